// Package loader reads snapshot files into an [index.Directory] and complains about wrong ones by line.
package loader

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"pubd/index"
)

// Options say how a snapshot is read. The zero value allows no wrong row.
type Options struct {
	// MaxBadRows is the number of wrong rows that are skipped; one more rejects the file.
	MaxBadRows int
	// Room is how many bytes of memory the file, building the snapshot and serving it may take at once; what would take more is a
	// [*RoomError]. 0 is no limit.
	Room int64
	// Extra names further columns to keep, which passed [CheckExtra]. They follow the rules of location; in JSON they may also be a number
	// or a truth value, taken as written.
	Extra []string
	// ShowUIDs has complaints name the UID of their row, for content whose lines the reader of a complaint does not see.
	ShowUIDs bool
	// Lines asks for the line of each pub, 8 bytes a pub.
	Lines bool
	// Progress is called about once a mebibyte, and at the end, with the bytes of the file that have been parsed
	// and its size. It is called from the goroutine that reads; nil means nobody asks.
	Progress func(read, total int64)
}

func (o *Options) room() int64 {
	if o.Room == 0 {
		return math.MaxInt64
	}
	return o.Room
}

// Result is a snapshot that is good enough to serve.
type Result struct {
	// Directory has the pubs in the order of the file, at least one.
	Directory index.Directory
	// Lines has the line where the row of each pub begins, from 1; nil unless Options.Lines asks for it.
	Lines []int
	// Ignored names the unknown columns, once each in order of first appearance, without unprintable characters;
	// at most 100.
	Ignored []string
	// Hints tell which unknown columns are likely to be misspelt ones, and what else may have caused what was skipped.
	Hints []Complaint
	// Absent names the columns of Options.Extra that no row has.
	Absent []string
	// Skipped tells why each wrong row was left out, in order of line; at most Options.MaxBadRows.
	Skipped []Complaint
}

// LoadFile reads the snapshot at path. The file may be replaced meanwhile: the result is one whole state of it or
// an error. An error of the content is a [*RefusedError] or a [*RoomError]; a file that does not exist is [io/fs.ErrNotExist]. While it
// runs, it holds the file's bytes and the pubs, not the expanded text of a compressed file.
func LoadFile(path string, options Options) (*Result, error) {
	if _, err := shapeOf(path); err != nil {
		return nil, err
	}
	content, err := ReadFileWithin(path, options.room())
	if err != nil {
		return nil, err
	}
	return Load(path, content, options)
}

// Load reads a snapshot from memory. The name, such as "pubs.csv.gz", decides the format and begins every complaint.
// The result shares no memory with content.
func Load(name string, content []byte, options Options) (*Result, error) {
	shape, err := shapeOf(name)
	if err != nil {
		return nil, err
	}
	stored := bytes.NewReader(content)
	source := newSource(stored, shape.packing, options)
	defer source.close()
	draft := newDraft(name, stored, source.expanded, options)
	reason := source.start()
	if reason == "" {
		switch shape.format {
		case "csv":
			draft.reason = readCSV(source, draft)
		case "json":
			draft.reason = readJSON(source, draft)
		case "ndjson":
			draft.reason = readNDJSON(source, draft)
		}
	} else {
		draft.reason = &Complaint{Rule: reason}
	}
	// What a parser makes of the text before a damaged place says less than the damage.
	if damage := source.damage(); damage != "" {
		draft.reason = &Complaint{Rule: damage}
	}
	result, err := draft.finish()
	if err == nil && options.Lines {
		result.Lines = draft.lines
	}
	return result, err
}

// shape is what the name of a file tells.
type shape struct {
	format  string // "csv", "json" or "ndjson"
	packing string // "gzip", "zstd" or ""
}

func shapeOf(name string) (shape, error) {
	base := strings.ToLower(filepath.Base(name))
	var s shape
	if rest, ok := strings.CutSuffix(base, ".gz"); ok {
		base, s.packing = rest, "gzip"
	} else if rest, ok := strings.CutSuffix(base, ".zst"); ok {
		base, s.packing = rest, "zstd"
	}
	switch filepath.Ext(base) {
	case ".csv":
		s.format = "csv"
	case ".json":
		s.format = "json"
	case ".ndjson", ".jsonl":
		s.format = "ndjson"
	default:
		return shape{}, fmt.Errorf("%s: the name must end in .csv, .json, .ndjson or .jsonl, each also with .gz or .zst", Visible(name))
	}
	return s, nil
}
