package manifest

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the maximum window for expanding an index file, in bytes.
const maxWindow = 32 << 20

// Compress writes an index file in its stored form, and returns its sizes and checksums; the caller sets key and
// format.
func Compress(to io.Writer, file io.Reader) (Index, error) {
	stored, expanded := newSum(to), newSum(io.Discard)
	encoder, err := zstd.NewWriter(stored, zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
		zstd.WithEncoderConcurrency(2))
	if err != nil {
		return Index{}, err
	}
	if _, err := io.Copy(io.MultiWriter(encoder, expanded), file); err != nil {
		encoder.Close()
		return Index{}, err
	}
	if err := encoder.Close(); err != nil {
		return Index{}, err
	}
	return Index{Size: stored.size, SHA256: stored.String(), ExpandedSize: expanded.size,
		ExpandedSHA256: expanded.String()}, nil
}

// Check returns an error unless a stored file is the one that the manifest names.
func (i *Index) Check(stored io.Reader) error {
	sum := newSum(io.Discard)
	if _, err := io.Copy(sum, io.LimitReader(stored, i.Size+1)); err != nil {
		return err
	}
	if sum.size != i.Size {
		return fmt.Errorf("%s: has another size than the %d bytes of index.size: is it another object, or cut short?", i.Key, i.Size)
	}
	if got := sum.String(); got != i.SHA256 {
		return fmt.Errorf("%s: SHA-256 %s: must be %s (index.sha256): it is damaged, or another object", i.Key, got, i.SHA256)
	}
	return nil
}

// Expand writes the index file that a stored file contains. The caller has checked it.
func (i *Index) Expand(to io.Writer, stored io.Reader) error {
	// The checksum in the file adds nothing to SHA-256.
	decoder, err := zstd.NewReader(stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow),
		zstd.IgnoreChecksum(true))
	if err != nil {
		return err
	}
	defer decoder.Close()
	sum := newSum(to)
	if _, err := io.Copy(sum, io.LimitReader(decoder, i.ExpandedSize+1)); err != nil {
		return fmt.Errorf("%s: %w", i.Key, err)
	}
	if sum.size != i.ExpandedSize {
		return fmt.Errorf("%s: does not expand to the %d bytes of index.expanded_size", i.Key, i.ExpandedSize)
	}
	if got := sum.String(); got != i.ExpandedSHA256 {
		return fmt.Errorf("%s: expands to another file than that of index.expanded_sha256", i.Key)
	}
	return nil
}

// A sum is a writer that passes bytes on, counts them and hashes them.
type sum struct {
	to   io.Writer
	size int64
	hash hash.Hash
}

func newSum(to io.Writer) *sum { return &sum{to: to, hash: sha256.New()} }

// Write implements io.Writer.
func (s *sum) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	s.hash.Write(p)
	return s.to.Write(p)
}

// String returns the SHA-256 in hexadecimal digits.
func (s *sum) String() string { return fmt.Sprintf("%x", s.hash.Sum(nil)) }
