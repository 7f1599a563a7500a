package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// scratchFolder creates a temporary folder for a purpose, and returns a function that removes it. It also removes those left by killed
// processes of this user: a folder is locked by its process.
func scratchFolder(purpose string) (folder string, remove func(), err error) {
	prefix := "pubd-" + purpose + "-"
	removeScratch(prefix)
	for {
		if folder, err = os.MkdirTemp("", prefix); err != nil {
			return "", nil, err
		}
		lock, err := os.Open(folder)
		if err != nil {
			if os.IsNotExist(err) {
				continue // another process removed it before it was locked
			}
			os.Remove(folder)
			return "", nil, err
		}
		_ = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX) // without locks, removeScratch removes nothing
		if _, err := os.Lstat(folder); err == nil {
			return folder, func() { os.RemoveAll(folder); lock.Close() }, nil
		}
		lock.Close()
	}
}

// removeScratch removes the temporary folders of this user that no process has locked.
func removeScratch(prefix string) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, entry := range entries {
		digits, isOurs := strings.CutPrefix(entry.Name(), prefix)
		if _, err := strconv.ParseUint(digits, 10, 64); !isOurs || err != nil || !entry.IsDir() {
			continue
		}
		folder := filepath.Join(os.TempDir(), entry.Name())
		lock, err := os.OpenFile(folder, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		info, err := lock.Stat()
		if err != nil {
			lock.Close()
			continue
		}
		owner, known := info.Sys().(*syscall.Stat_t)
		if known && int(owner.Uid) == os.Geteuid() && syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(folder)
		}
		lock.Close()
	}
}
