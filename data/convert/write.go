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

// extensions returns the endings of the name of a file, in lower case: that of its format and that of its packing.
func extensions(path string) (format, packing string) {
	name := strings.ToLower(path)
	if packing = filepath.Ext(name); packing != ".gz" && packing != ".zst" {
		packing = ""
	}
	return filepath.Ext(strings.TrimSuffix(name, packing)), packing
}

// CheckName returns an error if a snapshot cannot be written to a file of that name.
func CheckName(path string) error {
	switch format, _ := extensions(path); format {
	case ".csv", ".json", ".ndjson", ".jsonl":
		return nil
	}
	return fmt.Errorf("%s: the name must end in .csv, .json, .ndjson or .jsonl, each also with .gz or .zst", path)
}

// Write replaces the file at path with a snapshot, as CSV or JSON and compressed as the name says, which has passed
// [CheckName]. It does so atomically: a server that reads path meanwhile reads the old file or the new one. The file
// keeps its mode, and its owner as far as this user is allowed to; a symbolic link to a file is followed. If the
// context ends, nothing is left behind. What a killed process left is removed.
func Write(ctx context.Context, path string, snapshot Snapshot) error {
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(snapshot.pack(stopping{ctx, file}, path), ctx.Err()); err != nil {
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

func (s Snapshot) pack(w io.Writer, path string) error {
	format, packing := extensions(path)
	finish := func() error { return nil }
	switch packing {
	case ".gz":
		packer := gzip.NewWriter(w)
		w, finish = packer, packer.Close
	case ".zst":
		packer, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		w, finish = packer, packer.Close
	}
	if format == ".csv" {
		return errors.Join(s.WriteCSV(w), finish())
	}
	return errors.Join(s.writeJSON(w, format == ".json"), finish())
}
