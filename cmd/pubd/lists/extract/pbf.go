package extract

import (
	"bufio"
	"bytes"
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

// eachInPBF calls take with the elements of a PBF file: a sequence of blobs, each with a length and a header before it.
func eachInPBF(file io.Reader, size int64, take func(*raw) error) error {
	if size == 0 {
		return damagedAt(0, damaged("is empty"))
	}
	in := bufio.NewReaderSize(file, 1<<16)
	b := block{take: take}
	for at := int64(0); at < size; {
		title, blob, end, err := frame(in, at, size)
		if err == nil && at == 0 && title != "OSMHeader" {
			err = damaged("must begin with a block OSMHeader instead of %.40q", title)
		}
		if isData := title == "OSMData"; err == nil && (isData || title == "OSMHeader") {
			var content []byte
			if content, err = expand(blob); err == nil && isData {
				err = b.read(content)
			} else if err == nil {
				err = checkHeader(content)
			}
		}
		if err != nil {
			return damagedAt(at, err)
		}
		at = end
	}
	return nil
}

// frame reads the blob that begins at a byte, and returns its type and where it ends.
func frame(in io.Reader, at, size int64) (title string, blob []byte, end int64, err error) {
	next := func(n int64) ([]byte, error) {
		if n > size-at {
			return nil, damaged("the file ends %d bytes too early", n-(size-at))
		}
		at += n
		content := make([]byte, n)
		_, err := io.ReadFull(in, content)
		return content, err
	}
	length, err := next(4)
	if err != nil {
		return "", nil, 0, err
	}
	n := binary.BigEndian.Uint32(length)
	if n > maxHeader {
		return "", nil, 0, damaged("a header of %d bytes: must have at most %d: is it PBF?", n, maxHeader)
	}
	header, err := next(int64(n))
	if err != nil {
		return "", nil, 0, err
	}
	var name packed
	blobSize := int64(-1)
	if err := parse(header, []any{1: &name, 3: &blobSize}); err != nil {
		return "", nil, 0, err
	}
	if blobSize < 0 || blobSize > maxBlob {
		return "", nil, 0, damaged("a block of %d bytes: must have from 0 to %d", blobSize, maxBlob)
	}
	blob, err = next(blobSize)
	return string(name), blob, at, err
}

// expand returns the content of a blob.
func expand(blob []byte) ([]byte, error) {
	var plain, deflated packed
	var others [4]packed
	size := int64(-1)
	err := parse(blob, []any{1: &plain, 2: &size, 3: &deflated, 4: &others[0], 5: &others[1], 6: &others[2], 7: &others[3]})
	other := slices.IndexFunc(others[:], func(content packed) bool { return content != nil })
	switch {
	case err != nil:
		return nil, err
	case plain != nil:
		return plain, nil
	case other >= 0:
		return nil, fmt.Errorf("is compressed with %s: must be zlib or none: convert it with `osmium cat -o out.osm.pbf`",
			[...]string{"lzma", "bzip2", "lz4", "zstd"}[other])
	case deflated == nil:
		return nil, damaged("a block without content")
	case size < 0 || size > maxBlob:
		return nil, damaged("a block of %d bytes when expanded: must have from 0 to %d", size, maxBlob)
	}
	reader, err := zlib.NewReader(bytes.NewReader(deflated))
	if err != nil {
		return nil, damaged("%v", err)
	}
	// The size may be wrong.
	content, err := io.ReadAll(io.LimitReader(reader, size+1))
	switch {
	case int64(len(content)) > size:
		return nil, damaged("a block of more than %d bytes when expanded, as it says", size)
	case err != nil:
		return nil, damaged("%v", err)
	case int64(len(content)) < size:
		return nil, damaged("a block of %d bytes when expanded instead of %d, as it says", len(content), size)
	}
	return content, nil
}

// features are those that a file may require of its reader.
var features = []string{"OsmSchema-V0.6", "DenseNodes"}

func checkHeader(content []byte) error {
	return parse(content, []any{4: func(feature []byte) error {
		switch {
		case string(feature) == "HistoricalInformation":
			return errors.New("has the history of elements: must have the present only: convert it with `osmium time-filter`")
		case !slices.Contains(features, string(feature)):
			return fmt.Errorf("requires feature %.40q: must require only %v: convert it with `osmium cat`", feature, features)
		}
		return nil
	}})
}
