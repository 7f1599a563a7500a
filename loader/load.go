// Package loader reads snapshot files into a [corpus.Directory], and decides which rows are right. [Load] is the
// entry point for bytes, [LoadFile] for a file, and [LoadRows] for millions of pubs: a name and bytes go in, and a
// [Result] or a [RejectedError] comes out. The name determines format and compression: what a file seems to be is only
// used to explain an error.
//
//	source  the expanded text, within limits on its size and on the length of a row
//	rows    csv.go and json.go find rows, their lines and their columns
//	row     cells become a pub, or what is wrong with one of them
//	draft   collects pubs, rejects repeated UIDs, and counts wrong rows
//
// A [Complaint] names file, line, column, value and rule, so that a maintainer can mend the file. Wrong rows reject
// it, unless Options allow some; the following rows are still checked, so that one run shows many mistakes. Nothing is
// guessed: misspelt columns are hints, and package convert repairs. Neither a file nor its expanded text is held in
// memory. Calls share nothing and may run concurrently. Files may be hostile: the sizes of a file, its text and a row
// have limits.
package loader

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/index/spool"
)

// Options say how to read a snapshot. The zero value allows no wrong row.
type Options struct {
	// MaxBadRows is the number of wrong rows to skip; one more rejects the file.
	MaxBadRows int
	// Extra are extra columns to keep, which have passed [CheckExtra]. In JSON their values may also be numbers and
	// booleans, kept as written.
	Extra []schema.ExtraColumn
	// Places is the gazetteer, if there is one.
	Places Gazetteer
	// ShowUIDs adds the UID of the row to complaints, for readers who do not have the lines of the content. Where
	// several rows of JSON begin on one line, complaints have it in any case.
	ShowUIDs bool
	// Folder is where LoadRows keeps what takes more than Memory bytes, in a file without a name. If it is empty, rows
	// that take more are the error [spool.ErrNoMemory]; Memory 0 is no limit then.
	Folder string
	Memory int64
	// Progress is called about once per MiB, and at the end, with the bytes of the file parsed so far and its size. It
	// is called by the goroutine that reads; it may be nil.
	Progress func(read, total int64)
}

// A Result is a snapshot that can be served.
type Result struct {
	// Directory has the pubs in the order of the file, at least one.
	Directory corpus.Directory
	// Lines has the line where the row of each pub begins, from 1; nil of LoadRows, whose Rows have it.
	Lines []int
	// Ignored names the unknown columns, once each in order of first appearance, without unprintable characters; at
	// most 100.
	Ignored []string
	// Hints name unknown columns that are probably misspelt, and other likely causes of skipped rows.
	Hints []Complaint
	// LeftOut has for each column that a row does not need, such as features, the first value that breaks a rule, and
	// says how many do: the pubs are without them.
	LeftOut []Complaint
	// Types names the facets of Options.Extra that have no declared type, with that of their values: price:number.
	Types []string
	// Absent names the columns of Options.Extra that no row has.
	Absent []string
	// Skipped says why each wrong row was left out, in order of line; at most Options.MaxBadRows of the snapshot and
	// of the gazetteer.
	Skipped []Complaint
}

// LoadFile reads the snapshot at path, without holding its bytes in memory. The file may be replaced meanwhile: the
// result is one complete version of it, or an error. An error in the content is a [*RejectedError]; a missing file is
// [io/fs.ErrNotExist].
func LoadFile(path string, options Options) (*Result, error) {
	file, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	result, err := LoadRows(path, file, file.Size(), options)
	if err != nil {
		return nil, err
	}
	if _, err := file.End(); err != nil {
		result.Directory.Rows.Close()
		return nil, err
	}
	return result.inHeap(), nil
}

// Load reads a snapshot from memory. The name, such as "pubs.csv.gz", determines the format and begins every
// complaint. The result shares no memory with content.
func Load(name string, content []byte, options Options) (*Result, error) {
	result, err := LoadRows(name, bytes.NewReader(content), int64(len(content)), options)
	if err != nil {
		return nil, err
	}
	return result.inHeap(), nil
}

// inHeap replaces the rows of a directory by pubs.
func (r *Result) inHeap() *Result {
	d := &r.Directory
	r.Lines = make([]int, d.Rows.Len())
	for i := range r.Lines {
		r.Lines[i] = d.Rows.Line(i)
	}
	d.Rows, d.Pubs = nil, d.Rows.Pubs()
	return r
}

// LoadRows is Load for a file of size bytes that is read once, from its beginning, and for any number of pubs: they are
// in the Rows of the directory, which the caller must close or hand to [index.Build].
func LoadRows(name string, file io.Reader, size int64, options Options) (result *Result, err error) {
	format, packing, err := Shape(name)
	if err != nil {
		return nil, fmt.Errorf("%w; pubd import converts other lists, pubd inspect shows index files", err)
	}
	source := newSource(file, size, packing, options)
	defer source.close()
	draft := newDraft(name, source.expanded, options)
	defer func() {
		if err != nil {
			draft.pubs.Close()
		}
	}()
	defer spool.Catch(&err)
	reason := source.start()
	if reason == "" {
		switch format {
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
	// Damage says more than what a parser makes of the text before it.
	if damage := source.damage(); damage != "" {
		draft.reason = &Complaint{Rule: damage}
	}
	if result, err = draft.finish(); err != nil || options.Places.Content == nil {
		return result, err
	}
	places, skipped, err := loadGazetteer(options.Places, options)
	result.Directory.Gazetteer, result.Skipped = places, append(result.Skipped, skipped...)
	return result, err
}

// Shape returns what the name of a snapshot file says about it: its format, "csv", "json" or "ndjson", and its packing,
// "gzip", "zstd" or "".
func Shape(name string) (format, packing string, err error) {
	base := strings.ToLower(filepath.Base(name))
	if rest, ok := strings.CutSuffix(base, ".gz"); ok {
		base, packing = rest, "gzip"
	} else if rest, ok := strings.CutSuffix(base, ".zst"); ok {
		base, packing = rest, "zstd"
	}
	switch format = strings.TrimPrefix(filepath.Ext(base), "."); format {
	case "csv", "json", "ndjson":
		return format, packing, nil
	case "jsonl":
		return "ndjson", packing, nil
	}
	return "", "", fmt.Errorf("%s: the name must end in .csv, .json, .ndjson or .jsonl, each also with .gz or .zst", Visible(name))
}
