package extract

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zlib"
)

// Limits of the format.
const (
	maxHeader = 64 << 10 // bytes of a blob's header
	maxBlob   = 32 << 20 // bytes of a blob, compressed or expanded
)

// pbfFile is a PBF file: a sequence of blobs, each with a length and a header before it.
type pbfFile struct {
	file     io.ReadSeeker
	size     int64
	blob     []byte
	expanded []byte
	inflate  io.ReadCloser // nil at first
	block    block
}

func (f *pbfFile) pass(ctx context.Context, part span, p pass) (spans [3]span, err error) {
	if _, err := f.file.Seek(part.from, io.SeekStart); err != nil {
		return spans, err
	}
	in := bufio.NewReaderSize(f.file, 1<<16)
	for at := part.from; at < part.to; {
		if err := ctx.Err(); err != nil {
			return spans, err
		}
		title, blob, end, err := f.frame(in, at)
		if err != nil {
			return spans, damagedAt(at, err)
		}
		if at == 0 && title != "OSMHeader" {
			return spans, damagedAt(at, damaged("must begin with a block OSMHeader instead of %.40q", title))
		}
		switch title {
		case "OSMHeader":
			err = f.checkHeader(blob)
		case "OSMData":
			var has kinds
			has, err = f.data(blob, p)
			for kind := range has {
				if has[kind] {
					spans[kind] = spans[kind].add(at, end)
				}
			}
		}
		if err != nil {
			return spans, damagedAt(at, err)
		}
		at = end
		p.read(at)
	}
	if f.size == 0 {
		return spans, damagedAt(0, damaged("is empty"))
	}
	return spans, nil
}

// frame reads the blob that begins at a byte, and returns its type and where it ends.
func (f *pbfFile) frame(in io.Reader, at int64) (title string, blob []byte, end int64, err error) {
	var length [4]byte
	if err := f.full(in, length[:], &at); err != nil {
		return "", nil, 0, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxHeader {
		return "", nil, 0, damaged("a header of %d bytes: must have at most %d: is it PBF?", n, maxHeader)
	}
	header, err := f.grow(in, int64(n), &at)
	if err != nil {
		return "", nil, 0, err
	}
	size := int64(-1)
	m := message{rest: header}
	for m.next() {
		switch m.number {
		case 1:
			title = string(m.bytes())
		case 3:
			size = m.varint()
		}
	}
	if m.err != nil {
		return "", nil, 0, m.err
	}
	if size < 0 || size > maxBlob {
		return "", nil, 0, damaged("a block of %d bytes: must have from 0 to %d", size, maxBlob)
	}
	blob, err = f.grow(in, size, &at)
	return title, blob, at, err
}

// grow reads bytes into the buffer of blobs, which becomes no larger than the file.
func (f *pbfFile) grow(in io.Reader, n int64, at *int64) ([]byte, error) {
	if n > f.size-*at {
		return nil, damaged("the file ends %d bytes too early", n-(f.size-*at))
	}
	f.blob = slices.Grow(f.blob[:0], int(n))[:n]
	return f.blob, f.full(in, f.blob, at)
}

func (f *pbfFile) full(in io.Reader, buffer []byte, at *int64) error {
	n, err := io.ReadFull(in, buffer)
	*at += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return damaged("the file ends within a block")
	}
	return err
}

// expand returns the content of a blob, which is valid until the next one is read.
func (f *pbfFile) expand(blob []byte) ([]byte, error) {
	var plain, deflated []byte
	var other string
	size := int64(-1)
	m := message{rest: blob}
	for m.next() {
		switch m.number {
		case 1:
			plain = m.bytes()
		case 2:
			size = m.varint()
		case 3:
			deflated = m.bytes()
		case 4, 5, 6, 7:
			other = [...]string{"lzma", "bzip2", "lz4", "zstd"}[m.number-4]
		}
	}
	switch {
	case m.err != nil:
		return nil, m.err
	case plain != nil:
		return plain, nil
	case other != "":
		return nil, fmt.Errorf("is compressed with %s: must be zlib or none: convert it with `osmium cat -o out.osm.pbf`", other)
	case deflated == nil:
		return nil, damaged("a block without content")
	case size < 0 || size > maxBlob:
		return nil, damaged("a block of %d bytes when expanded: must have from 0 to %d", size, maxBlob)
	}
	if err := f.inflateTo(deflated, int(size)); err != nil {
		return nil, damaged("%v", err)
	}
	return f.expanded, nil
}

// inflateTo expands data of zlib that must have a size. The buffer grows as there is more: the size may be wrong.
func (f *pbfFile) inflateTo(deflated []byte, size int) error {
	in := bytes.NewReader(deflated)
	var err error
	if f.inflate == nil {
		f.inflate, err = zlib.NewReader(in)
	} else {
		err = f.inflate.(zlib.Resetter).Reset(in, nil)
	}
	if err != nil {
		return err
	}
	f.expanded = f.expanded[:0]
	for {
		f.expanded = slices.Grow(f.expanded, min(size+1-len(f.expanded), 1<<20))
		n, err := f.inflate.Read(f.expanded[len(f.expanded):cap(f.expanded)])
		f.expanded = f.expanded[:len(f.expanded)+n]
		switch {
		case len(f.expanded) > size:
			return fmt.Errorf("a block of more than %d bytes when expanded, as it says", size)
		case err == io.EOF && len(f.expanded) == size:
			return nil
		case err == io.EOF:
			return fmt.Errorf("a block of %d bytes when expanded instead of %d, as it says", len(f.expanded), size)
		case err != nil:
			return err
		}
	}
}

// features are those that a file may require of its reader.
var features = []string{"OsmSchema-V0.6", "DenseNodes"}

func (f *pbfFile) checkHeader(blob []byte) error {
	content, err := f.expand(blob)
	if err != nil {
		return err
	}
	m := message{rest: content}
	for m.next() {
		if m.number != 4 {
			continue
		}
		switch feature := string(m.bytes()); {
		case feature == "HistoricalInformation":
			return errors.New("has the history of elements: must have the present only: convert it with `osmium time-filter`")
		case m.err == nil && !slices.Contains(features, feature):
			return fmt.Errorf("requires feature %.40q: must require only %v: convert it with `osmium cat`", feature, features)
		}
	}
	return m.err
}

func (f *pbfFile) data(blob []byte, p pass) (has kinds, err error) {
	content, err := f.expand(blob)
	if err != nil {
		return has, err
	}
	return f.block.read(content, p)
}
