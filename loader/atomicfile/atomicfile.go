// Package atomicfile writes files beside their place and renames them, so that readers find either the old file or the new
// one, never a part.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A File is a new file that has not yet taken its place. It is locked while it is open, and removed by the next Create for its
// place if the process dies before.
type File struct {
	*os.File
	place string
}

// Create makes a file for a place, in its folder. Where the place is a symbolic link to a file, that file's place is meant. It removes
// what processes that were killed left for the same place.
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
		_ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX) // where there are no locks, removeOrphans removes nothing
		if _, err := os.Lstat(file.Name()); err == nil {
			return &File{file, place}, nil
		}
		file.Close() // another process removed it before it was locked
	}
}

// removeOrphans removes the files for a place that nobody has locked.
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

// Commit puts the file in its place, durably, and closes it. It keeps the mode of the file that it replaces, and owner and group as far as
// this user may; the mode is 0644 if there is none. After an error the place is as before and the file is gone.
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
		_ = folder.Sync() // not every file system can; the file itself is whole in either case
		folder.Close()
	}
	return f.Close()
}

// Abort removes the file; the place is as before.
func (f *File) Abort() {
	os.Remove(f.Name())
	f.Close()
}

// adopt gives the file the mode and owner of the one that it is to replace.
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
