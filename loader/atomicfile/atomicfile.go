// Package atomicfile replaces files atomically: it writes a new file next to the old one and renames it, so that
// readers see either the old or the new content, never a part. [Create] begins a file, [File.Commit] makes it durable
// and renames it, [File.Abort] removes it. [TempFolder] creates a temporary folder, and [Lock] locks one.
//
// What killed processes left of either is removed by the next call for the same target or prefix: files and folders in
// use are locked, and the kernel releases the lock of a process that ends. So processes may write the same target at
// once; the last rename counts. A File serves one goroutine.
//
// It does not use google/renameio, because that leaves behind the files of killed processes, here as large as an index,
// and keeps neither owner and group nor symbolic links.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A File is a new file that has not yet replaced its target. It is locked while it is open. If the process dies first,
// the next Create for the same target removes it.
type File struct {
	*os.File
	place string
	mode  fs.FileMode // 0 is that of the target
}

// Create creates a file for a target, in the same folder. If the target is a symbolic link to a file, the linked file
// is replaced. Create also removes what killed processes left for the same target.
func Create(place string) (*File, error) {
	if target, err := filepath.EvalSymlinks(place); err == nil {
		place = target
	}
	folder, prefix := filepath.Dir(place), "."+filepath.Base(place)+"."
	removeOrphans(folder, prefix, 0)
	file, err := createLocked(func() (*os.File, error) { return os.CreateTemp(folder, prefix+"*") })
	if err != nil {
		return nil, err
	}
	return &File{File: file, place: place}, nil
}

// SetMode sets the mode that the target gets; its owner is then this user. Until then only this user can read the file.
func (f *File) SetMode(mode fs.FileMode) { f.mode = mode }

// Commit replaces the target durably and closes the file. Unless SetMode was called, it keeps the mode of the target,
// and its owner and group as far as this user is allowed to; the mode of a new target is 0644. After an error the
// target is unchanged and the file is gone.
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
	f.Close() // that the content is on disk is known from Sync
	return nil
}

// Abort removes the file and leaves the target unchanged.
func (f *File) Abort() {
	os.Remove(f.Name())
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
