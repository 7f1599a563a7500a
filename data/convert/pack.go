package convert

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"pubd/loader/atomicfile"
)

// CheckName returns an error if a snapshot cannot be written to a file of that name.
func CheckName(path string) error {
	name := strings.ToLower(path)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch filepath.Ext(name) {
	case ".csv", ".json", ".ndjson", ".jsonl":
		return nil
	}
	return fmt.Errorf("%s: the name must end in .csv, .json, .ndjson or .jsonl, each also with .gz or .zst", path)
}

// Write replaces the file at path with a snapshot, as CSV or JSON and compressed as the name says. It does so
// atomically: a server that reads path meanwhile reads the old file or the new one. The file keeps its mode, and its
// owner as far as this user is allowed to; a symbolic link to a file is followed. If the context ends, nothing is left
// behind. What a killed process left is removed.
func Write(ctx context.Context, path string, snapshot []byte) error {
	if err := CheckName(path); err != nil {
		return err
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(pack(stopping{ctx, file}, path, snapshot), ctx.Err()); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// stopping is a writer that fails once its context has ended.
type stopping struct {
	ctx context.Context
	io.Writer
}

func (s stopping) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(p)
}

func pack(w io.Writer, path string, snapshot []byte) error {
	var packer io.WriteCloser
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		packer = gzip.NewWriter(w)
	case ".zst":
		encoder, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		packer = encoder
	default:
		return encode(w, path, snapshot)
	}
	return errors.Join(encode(packer, path, snapshot), packer.Close())
}
