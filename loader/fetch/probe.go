package fetch

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"pubd/loader"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// probe returns the version of the source, and its first bytes if it may be a manifest. If it is still the known version,
// the error is storage.ErrUnchanged; if it is not there, of type storage.Unreachable. more are local files that are part
// of a local one.
func (d *Source) probe(ctx context.Context, known string, more ...string) (o Offer, err error) {
	l := d.Location
	if l.IsLocal() {
		var versions []string
		for _, path := range append([]string{l.Path()}, more...) {
			d.clock.At(path)
			version, err := storage.FileVersion(path)
			if err != nil {
				return o, &storage.Unreachable{Location: storage.Local(path), Err: loader.Bare(err)}
			}
			versions = append(versions, version)
		}
		if o.Version = strings.Join(versions, " "); o.Version == known {
			return o, storage.ErrUnchanged
		}
		if filepath.Ext(l.Path()) != ".json" {
			return o, nil
		}
	}
	d.from(l)
	ctx, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	object, err := d.storage.Open(ctx, l, storage.Request{Known: known})
	switch {
	case err != nil && l.IsLocal(): // opening it again says why not
		return o, nil
	case err != nil:
		return Offer{Version: known}, err
	}
	defer object.Close()
	if !l.IsLocal() {
		o.Version = object.Version
	}
	if o.Content, err = io.ReadAll(io.LimitReader(object, manifest.HeadSize)); err == nil && o.Version != "" && o.Version == known {
		err = storage.ErrUnchanged
	}
	return o, err
}
