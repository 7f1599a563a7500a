// Package atomicfile replaces files atomically: it writes a new file next to the old one and renames it, so that readers see either the old
// or the new content, never a part. It does not use google/renameio, as httpapi/keys does, because that leaves behind the files of killed
// processes, here as large as an index, and keeps neither owner and group nor symbolic links.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A File is a new file that has not yet replaced its target. It is locked while it is open. If the process dies first, the next Create for
// the same target removes it.
type File struct {
	*os.File
	place string
}

// Create creates a file for a target, in the same folder. If the target is a symbolic link to a file, the linked file is replaced. Create
// also removes what killed processes left for the same target.
func Create(place string) (*File, error) {
	if target, err := filepath.EvalSymlinks(place); err == nil {
		place = target
	}
	removeOrphans(place)
	for {
		file, err := os.CreateTemp(filepath.Dir(place), "."+filepath.Base(place)+".*")
		if err != nil {
			return nil, err
		}
		_ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX) // without lock support, removeOrphans removes nothing
		if _, err := os.Lstat(file.Name()); err == nil {
			return &File{file, place}, nil
		}
		file.Close() // another process removed it before it was locked
	}
}

// removeOrphans removes the files for a target that no process has locked.
func removeOrphans(place string) {
	entries, _ := os.ReadDir(filepath.Dir(place))
	for _, entry := range entries {
		digits, isOurs := strings.CutPrefix(entry.Name(), "."+filepath.Base(place)+".")
		if _, err := strconv.ParseUint(digits, 10, 64); !isOurs || err != nil || !entry.Type().IsRegular() {
			continue
		}
		name := filepath.Join(filepath.Dir(place), entry.Name())
		file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.Remove(name)
		}
		file.Close()
	}
}

// Commit replaces the target durably and closes the file. It keeps the mode of the target, and its owner and group as far as this user is
// allowed to; the mode of a new target is 0644. After an error the target is unchanged and the file is gone.
func (f *File) Commit() error {
	err := errors.Join(f.adopt(), f.Sync())
	if err == nil {
		err = os.Rename(f.Name(), f.place)
	}
	if err != nil {
		f.Abort()
		return err
	}
	if folder, err := os.Open(filepath.Dir(f.place)); err == nil {
		_ = folder.Sync() // not supported by every file system; the file itself is complete in either case
		folder.Close()
	}
	return f.Close()
}

// Abort removes the file and leaves the target unchanged.
func (f *File) Abort() {
	os.Remove(f.Name())
	f.Close()
}

// adopt gives the file the mode and owner of its target.
func (f *File) adopt() error {
	info, err := os.Stat(f.place)
	if err != nil {
		return f.Chmod(0o644)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && f.Chown(int(owner.Uid), int(owner.Gid)) != nil {
		_ = f.Chown(-1, int(owner.Gid))
	}
	return f.Chmod(info.Mode().Perm())
}
