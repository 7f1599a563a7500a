package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// TempFolder creates a folder for temporary files whose name begins with a prefix, in another folder or, if that is
// empty, the system's, and returns a function that removes it. It is locked until then. TempFolder also removes what
// killed processes of this user left under the same prefix.
func TempFolder(in, prefix string) (folder string, remove func(), err error) {
	if in == "" {
		in = os.TempDir()
	}
	removeOrphans(in, prefix, fs.ModeDir)
	lock, err := createLocked(func() (*os.File, error) {
		for {
			name, err := os.MkdirTemp(in, prefix)
			if err != nil {
				return nil, err
			}
			file, err := os.Open(name)
			if os.IsNotExist(err) {
				continue // another process removed it before it was locked
			}
			if err != nil {
				os.Remove(name)
			}
			return file, err
		}
	})
	if err != nil {
		return "", nil, err
	}
	return lock.Name(), func() { os.RemoveAll(lock.Name()); lock.Close() }, nil
}

// createLocked locks the file or folder that create creates, and creates another one if it was removed before that.
func createLocked(create func() (*os.File, error)) (*os.File, error) {
	for {
		file, err := create()
		if err != nil {
			return nil, err
		}
		_ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX) // without lock support, removeOrphans removes nothing
		if _, err := os.Lstat(file.Name()); err == nil {
			return file, nil
		}
		file.Close()
	}
}

// removeOrphans removes what is of a kind in a folder, has a name of a prefix and digits, and is locked by no process:
// files of kind 0, and folders of this user of kind [fs.ModeDir].
func removeOrphans(folder, prefix string, kind fs.FileMode) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		digits, isOurs := strings.CutPrefix(entry.Name(), prefix)
		if _, err := strconv.ParseUint(digits, 10, 64); !isOurs || err != nil || entry.Type() != kind {
			continue
		}
		name := filepath.Join(folder, entry.Name())
		file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if isRemovable(file, kind) && syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(name)
		}
		file.Close()
	}
}

// isRemovable reports whether a file is still of a kind and, if it is a folder, of this user.
func isRemovable(file *os.File, kind fs.FileMode) bool {
	info, err := file.Stat()
	if err != nil || info.Mode().Type() != kind {
		return false
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	return kind.IsRegular() || known && int(owner.Uid) == os.Geteuid()
}
