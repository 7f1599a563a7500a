package merge

import (
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"pubd/loader"
	"pubd/loader/atomicfile"
)

// Write replaces the file at path with a snapshot, as CSV or JSON and compressed as [loader.Shape] says. It does so
// atomically: a server that reads path meanwhile reads the old file or the new one. The file keeps its mode, and its
// owner as far as this user is allowed to; a symbolic link to a file is followed. A killed process leaves nothing, or what the
// next one removes.
func Write(path string, snapshot Snapshot) error {
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	if err := snapshot.pack(file, path); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

func (s Snapshot) pack(w io.Writer, path string) error {
	format, packing, err := loader.Shape(path)
	if err != nil {
		return err
	}
	finish := func() error { return nil }
	switch packing {
	case "gzip":
		packer := gzip.NewWriter(w)
		w, finish = packer, packer.Close
	case "zstd":
		packer, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		w, finish = packer, packer.Close
	}
	if format == "csv" {
		return errors.Join(s.WriteCSV(w), finish())
	}
	return errors.Join(s.writeJSON(w, format == "json"), finish())
}
