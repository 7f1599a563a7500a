package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"pubd/loader/atomicfile"
	"pubd/loader/disk"
)

// MaxFileSize is the maximum size of a key file in bytes, about 100,000 keys.
const MaxFileSize = 16 << 20

// parseRecords parses the content of a key file, which may have no key. name stands for the file in errors.
func parseRecords(name string, content []byte) ([]record, error) {
	var records []record
	names, digests := map[string]int{}, map[digest]int{}
	number := 0
	for line := range bytes.Lines(content) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		r, err := parseRecord(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if before := digests[r.digest]; before > 0 {
			return nil, fmt.Errorf("%s:%d: sha256 of key %q: is on line %d already, remove one of them",
				name, number, r.Name, before)
		}
		if before := names[r.Name]; before > 0 && r.Revoked.IsZero() {
			return nil, fmt.Errorf("%s:%d: name %q: is in use on line %d, revoke or rename one of them",
				name, number, r.Name, before)
		}
		r.line = number
		digests[r.digest] = number
		if r.Revoked.IsZero() && r.Expires.IsZero() {
			names[r.Name] = number
		}
		records = append(records, r)
	}
	return records, nil
}

// read returns the content of a key file and its info.
func read(ctx context.Context, path string) ([]byte, fs.FileInfo, error) {
	content, info, err := disk.ReadFile(ctx, path, MaxFileSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w, make it with pubd keys add", err)
	case errors.As(err, new(disk.TooLarge)):
		err = fmt.Errorf("%w, remove revoked keys", err)
	}
	return content, info, err
}

// checkMode rejects the mode of a key file that others than its owner can write to, as ssh does, and warns if anyone
// can read it. The group may read it: services often get the file that way.
func checkMode(path string, mode fs.FileMode) (warning, err error) {
	switch {
	case mode&0o022 != 0:
		return nil, fmt.Errorf("%s: mode %04o: must not be writable by group or others, who could add keys: chmod go-w %[1]s", path, mode)
	case mode&0o004 != 0:
		return fmt.Errorf("%s: mode %04o: anyone on this machine can read it: chmod o-r %[1]s", path, mode), nil
	}
	return nil, nil
}

func checkSize(path string, content []byte) error {
	if len(content) > MaxFileSize {
		return fmt.Errorf("%s: must be at most %d bytes, remove revoked keys", path, MaxFileSize)
	}
	return nil
}

// edit replaces the content of a key file by the result of change. An absent file is empty if create is set, otherwise
// an error. Readers see either the whole old or the whole new file, even after a power failure; concurrent editors, in
// any process, wait for each other. Mode and owner are kept; a new file has mode 0600. A symbolic link is followed.
// ready, which may be nil, is called when the new content is on disk, before it replaces the old one; its error keeps
// the old one.
func edit(path string, create bool, change func(content []byte) ([]byte, error), ready func() error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	// The lock is on the folder: the rename would replace a locked file, and a lock file would have to be left behind.
	unlock, err := atomicfile.Lock(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	content, info, err := read(context.Background(), path)
	if err != nil && !(create && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	if content, err = change(content); err != nil {
		return err
	}
	if err := checkSize(path, content); err != nil {
		return err
	}
	return replace(path, content, info, ready)
}

// replace replaces the file at path atomically. info has the owner to keep: a server must still be able to read keys
// that root has edited; nil means that there is no file yet. ready is as in edit.
func replace(path string, content []byte, info fs.FileInfo, ready func() error) error {
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	if info == nil {
		file.SetMode(0o600)
	} else if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		if err = file.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			err = fmt.Errorf("%w, edit the keys as the user who owns them", err)
		}
	}
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil && ready != nil {
		err = ready()
	}
	if err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}
