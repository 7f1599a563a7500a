package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pubd/index"
)

// indexExtension is the file name extension of index files.
const indexExtension = ".idx"

// openIndexFile opens a file that begins like an index file, or has its extension; otherwise, or if it cannot be read, it returns nil. When
// the context ends, it stops waiting for files, such as some in /proc, that block.
func openIndexFile(ctx context.Context, path string) *os.File {
	// Opening a named pipe must not wait for a writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && (strings.EqualFold(filepath.Ext(path), indexExtension) || beginsAsIndex(ctx, file)) {
		return file
	}
	file.Close()
	return nil
}

func beginsAsIndex(ctx context.Context, file *os.File) bool {
	defer context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) })()
	head := make([]byte, 16)
	n, _ := io.ReadFull(file, head)
	return index.IsIndexFile(head[:n])
}
