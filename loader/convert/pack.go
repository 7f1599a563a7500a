package convert

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxExpanded bounds the text of a compressed list, which is held in memory.
	maxExpanded = 2 << 30
	// maxWindow is what zstd's strongest levels need.
	maxWindow = 128 << 20
)

// expand is the text of a list, which tells by its first bytes how it is compressed.
func expand(content []byte) ([]byte, error) {
	var reader io.Reader
	var packing string
	switch {
	case bytes.HasPrefix(content, []byte("\x1f\x8b")):
		packing = "gzip"
		expanded, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w: copy the file again", err)
		}
		reader = expanded
	case bytes.HasPrefix(content, []byte("\x28\xb5\x2f\xfd")):
		packing = "zstd"
		expanded, err := zstd.NewReader(bytes.NewReader(content), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxExpanded))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w: copy the file again", err)
		}
		defer expanded.Close()
		reader = expanded
	default:
		return content, nil
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxExpanded+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w: copy the file again", packing, err)
	case len(text) > maxExpanded:
		return nil, fmt.Errorf("%s: expands to more than 2 GiB: split it", packing)
	}
	return text, nil
}

// CheckName tells what is wrong with the name of a snapshot to write.
func CheckName(path string) error {
	name := strings.ToLower(path)
	for _, ending := range []string{".csv", ".csv.gz", ".csv.zst"} {
		if strings.HasSuffix(name, ending) {
			return nil
		}
	}
	return fmt.Errorf("%s: the name must end in .csv, .csv.gz or .csv.zst", path)
}

// Write writes a snapshot, compressed as the name says, to a file beside path that is then renamed: a server that reads
// path meanwhile reads the old one or the new one. Mode and owner stay, as far as this user may have it so; a symbolic link
// to a file stays and the file changes. When the context ends, nothing is left behind; what a process that was killed left is removed.
func Write(ctx context.Context, path string, snapshot []byte) error {
	if err := CheckName(path); err != nil {
		return err
	}
	place := path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		place = target
	}
	removeLeft(place)
	file, err := createLocked(place)
	if err != nil {
		return err
	}
	err = errors.Join(pack(stopping{ctx, file}, path, snapshot), adopt(file, place), file.Sync())
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = os.Rename(file.Name(), place)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return errors.Join(err, file.Close())
}

// createLocked makes a file beside a place with a lock on it, which ends with the process, so that nobody removes it before.
func createLocked(place string) (*os.File, error) {
	for {
		file, err := os.CreateTemp(filepath.Dir(place), "."+filepath.Base(place)+".*")
		if err != nil {
			return nil, err
		}
		_ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX) // where there are no locks, removeLeft removes nothing
		if _, err := os.Lstat(file.Name()); err == nil {
			return file, nil
		}
		file.Close() // another removed it before it was locked
	}
}

// removeLeft removes what Write made for a place and a process that was killed did not rename.
func removeLeft(place string) {
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

// adopt gives a file the mode of the one that it is to replace, and owner and group as far as this user may; mode 0644 where there is
// none.
func adopt(file *os.File, place string) error {
	info, err := os.Stat(place)
	if err != nil {
		return file.Chmod(0o644)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && file.Chown(int(owner.Uid), int(owner.Gid)) != nil {
		_ = file.Chown(-1, int(owner.Gid))
	}
	return file.Chmod(info.Mode().Perm())
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
		_, err := w.Write(snapshot)
		return err
	}
	_, err := packer.Write(snapshot)
	return errors.Join(err, packer.Close())
}
