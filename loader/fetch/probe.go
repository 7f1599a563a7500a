package fetch

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// probe returns the version of a file, and its first bytes if it may be a manifest. If it is still the known version,
// the error is storage.ErrUnchanged; if it is not there, of type storage.Unreachable. more are local files that are
// part of a local one.
func probe(ctx context.Context, c *storage.Client, files *disk.Disk, l storage.Location, known string,
	more ...string) (Offer, error) {
	read := func(ctx context.Context) (o Offer, err error) {
		object, err := c.Open(ctx, l, storage.Request{Known: known})
		if err != nil {
			return Offer{Version: known}, err
		}
		defer object.Close()
		o.Version = object.Version
		if o.Content, err = io.ReadAll(io.LimitReader(object, manifest.HeadSize)); err == nil &&
			o.Version != "" && o.Version == known {
			err = storage.ErrUnchanged
		}
		return o, err
	}
	if !l.IsLocal() {
		ctx, cancel := context.WithTimeout(ctx, files.Limit)
		defer cancel()
		return read(ctx)
	}
	o, err := Attempt(files, l.Path(), func(ctx context.Context) (o Offer, err error) {
		var versions []string
		for _, path := range append([]string{l.Path()}, more...) {
			version, err := storage.FileVersion(path)
			if err != nil {
				return o, &storage.Unreachable{Location: storage.Local(path), Err: loader.Bare(err)}
			}
			versions = append(versions, version)
		}
		if o.Version = strings.Join(versions, " "); o.Version == known {
			return o, storage.ErrUnchanged
		}
		if filepath.Ext(l.Path()) == ".json" {
			head, _ := read(ctx) // opening it again says why not
			o.Content = head.Content
		}
		return o, nil
	})
	return o, OfSource(err)
}
