// Package atomicfile replaces files atomically: it writes a new file next to the old one and renames it, so that
// readers see either the old or the new content, never a part. [Create] begins a file, [File.Commit] makes it durable
// and renames it, [File.Abort] removes it. [TempFolder] creates a temporary folder, and [Lock] locks one.
//
// A new file has no name, so that a killed process leaves nothing. Where the file system needs one (see O_TMPFILE in
// open(2)), and of folders, what killed processes left is removed by the next call for the same target or prefix: what is
// in use is locked, and the kernel releases the lock of a process that ends. So processes may write the same target at
// once; the last rename counts. A File serves one goroutine.
//
// It does not use google/renameio, because that leaves behind the files of killed processes, here as large as an index,
// and keeps neither owner and group nor symbolic links.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// A File is a new file that has not yet replaced its target. It is locked while it is open.
type File struct {
	*os.File
	place string
	name  string      // empty while it has none
	mode  fs.FileMode // 0 is that of the target
}

// Create creates a file for a target, in the same folder. If the target is a symbolic link to a file, the linked file
// is replaced. Create also removes what killed processes left for the same target.
func Create(place string) (*File, error) {
	if target, err := filepath.EvalSymlinks(place); err == nil {
		place = target
	}
	folder, prefix := filepath.Dir(place), prefixOf(place)
	removeOrphans(folder, prefix, 0)
	if file, err := os.OpenFile(folder, unix.O_TMPFILE|os.O_RDWR, 0o600); err == nil {
		_ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		return &File{File: file, place: place}, nil
	}
	file, err := createLocked(func() (*os.File, error) { return os.CreateTemp(folder, prefix+"*") })
	if err != nil {
		return nil, err
	}
	return &File{File: file, place: place, name: file.Name()}, nil
}

// prefixOf returns what the names of new files for a target begin with, before digits.
func prefixOf(place string) string { return "." + filepath.Base(place) + "." }

// Name returns the target.
func (f *File) Name() string { return f.place }

// SetTarget changes the target to another one in the same folder.
func (f *File) SetTarget(place string) { f.place = place }

// SetMode sets the mode that the target gets; its owner is then this user. Until then only this user can read the file.
func (f *File) SetMode(mode fs.FileMode) { f.mode = mode }

// Commit replaces the target durably and closes the file. Unless SetMode was called, it keeps the mode of the target,
// and its owner and group as far as this user is allowed to; the mode of a new target is 0644. After an error the
// target is unchanged and the file is gone.
func (f *File) Commit() error {
	err := errors.Join(f.adopt(), f.Sync(), f.link())
	if err == nil {
		err = os.Rename(f.name, f.place)
	}
	if err != nil {
		f.Abort()
		return err
	}
	if folder, err := os.Open(filepath.Dir(f.place)); err == nil {
		_ = folder.Sync() // not supported by every file system; the file itself is complete in either case
		folder.Close()
	}
	f.Close() // that the content is on disk is known from Sync
	return nil
}

// link gives the file a name if it has none.
func (f *File) link() (err error) {
	for f.name == "" {
		name := filepath.Join(filepath.Dir(f.place), fmt.Sprint(prefixOf(f.place), rand.Uint32()))
		err = unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
		if err != nil && err != unix.EEXIST {
			return &fs.PathError{Op: "link", Path: name, Err: err}
		}
		if err == nil {
			f.name = name
		}
	}
	return nil
}

// Abort removes the file and leaves the target unchanged.
func (f *File) Abort() {
	if f.name != "" {
		os.Remove(f.name)
	}
	f.Close()
}

// adopt gives the file its mode, or the mode and owner of its target.
func (f *File) adopt() error {
	if f.mode != 0 {
		return f.Chmod(f.mode)
	}
	info, err := os.Stat(f.place)
	if err != nil {
		return f.Chmod(0o644)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && f.Chown(int(owner.Uid), int(owner.Gid)) != nil {
		_ = f.Chown(-1, int(owner.Gid))
	}
	return f.Chmod(info.Mode().Perm())
}

// Lock waits until nobody else, in any process, has a folder locked, and locks it until unlock. A lock on a file in it
// would not outlive a rename.
func Lock(folder string) (unlock func() error, err error) {
	file, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err {
		case nil:
			return file.Close, nil
		case syscall.EINTR:
		default:
			return nil, errors.Join(&fs.PathError{Op: "lock", Path: folder, Err: err}, file.Close())
		}
	}
}
