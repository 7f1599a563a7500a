package keys

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MaxFileSize is the largest size of a key file in bytes: some 100,000 keys.
const MaxFileSize = 16 << 20

// parseRecords reads the content of a key file, which may hold no key. name stands for the file in errors.
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
		if r.Revoked.IsZero() {
			names[r.Name] = number
		}
		records = append(records, r)
	}
	return records, nil
}

// read returns the content of a regular file and what the system says about it. It does not wait for a FIFO's writer.
func read(path string) ([]byte, fs.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w, make it with pubd keys add", err)
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: must be a regular file", path)
	}
	content, err := io.ReadAll(io.LimitReader(file, MaxFileSize+1))
	if err != nil {
		return nil, nil, err
	}
	return content, info, checkSize(path, content)
}

// checkMode rejects the mode of a key file in which others than its owner could put keys of their own, as ssh does with its files,
// and warns of one that anyone may read. The group may read: a service often gets the file that way.
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

// edit replaces the content of a key file by what change makes of it. An absent file is empty when create is set,
// else an error. A reader sees the whole old or the whole new file, also after a power cut; editors wait for each
// other, in one process or in many. Mode and owner stay; a new file has mode 0600. A symbolic link stays and its
// target changes. ready, which may be nil, is called when the new content is on the disk, before it takes the place of the old; its
// error leaves the old.
func edit(path string, create bool, change func(content []byte) ([]byte, error), ready func() error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	// The lock is on the folder: one on the file would be lost with the file that the rename replaces, and a lock
	// file would have to be left behind.
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := lock(folder); err != nil {
		return err
	}
	content, info, err := read(path)
	if err != nil && !(create && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	if content, err = change(content); err != nil {
		return err
	}
	if err := checkSize(path, content); err != nil {
		return err
	}
	if err := replace(path, content, info, ready); err != nil {
		return err
	}
	return folder.Sync()
}

// lock waits for the exclusive lock that closing the file gives up.
func lock(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err {
		case nil:
			return nil
		case syscall.EINTR:
		default:
			return &fs.PathError{Op: "lock", Path: file.Name(), Err: err}
		}
	}
}

// replace renames a new file over path. info tells the mode and owner to keep; nil means that there is no file yet. ready is as of
// edit.
func replace(path string, content []byte, info fs.FileInfo, ready func() error) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(adopt(file, info), write(file, content), file.Close())
	if err == nil && ready != nil {
		err = ready()
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

func write(file *os.File, content []byte) error {
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}

// adopt sets the owner and mode of the file to those of info: a server must go on reading keys that root has edited.
func adopt(file *os.File, info fs.FileInfo) error {
	if info == nil {
		return nil
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		if err := file.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			return fmt.Errorf("%w, edit the keys as the user who owns them", err)
		}
	}
	return file.Chmod(info.Mode().Perm())
}
