package convert

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/index"
	"pubd/loader"
)

const (
	// maxText is the maximum length of a text in a snapshot, in bytes.
	maxText = 1000
	// maxShown is the maximum number of characters of a value in a complaint.
	maxShown = 60
	// maxComplaints stops the reading of a list that consists mostly of rejected rows.
	maxComplaints = 1_000_000
)

// draft collects the snapshot while the list is read, row by row.
type draft struct {
	file     string
	members  []string // members of a pub, by column of the snapshot
	snapshot bytes.Buffer
	writer   *csv.Writer
	line     int // of the snapshot, to be written next
	written  []writtenRow
	uids     map[string]int // line of the list where each was first used
	extra    []string       // extra columns to keep
	decimals int            // count of numbers with a decimal comma
	autoUID  bool           // give rows without UID one
	twins    map[string]int // count of each UID that was made
	pair     int            // field of a table that has both coordinates, or -1

	result     Result
	complaints []numbered

	report          func(read, total int64)
	reported, total int64
}

// writtenRow is a row of the list that was written to the snapshot and that the loader has yet to check.
type writtenRow struct {
	row, line  int // in the list
	begins     int // line of the snapshot
	start, end int // bytes of the snapshot
}

// numbered is a complaint with the row of the list that it is about.
type numbered struct {
	row int
	loader.Complaint
}

func newDraft(file string, size int, options Options) *draft {
	d := &draft{file: file, line: 1, uids: map[string]int{}, extra: options.Extra, autoUID: options.AutoUID, twins: map[string]int{}, pair: -1, report: options.Progress, total: int64(size)}
	d.writer = csv.NewWriter(&d.snapshot)
	return d
}

// sentinelUID is the UID of the first row of every draft, which is removed in the end: without any valid row the
// loader would reject the snapshot as a whole, with only the first of its complaints.
const sentinelUID = "pubd import: a row that is right"

// begin writes the header. UID and name must be among the columns.
func (d *draft) begin(members ...string) {
	d.members = members
	d.write(members)
	cells := make([]string, len(members))
	cells[slices.Index(members, "UID")], cells[slices.Index(members, "name")] = sentinelUID, "Bell"
	d.write(cells)
	d.uids[sentinelUID] = 0
}

// beginWithExtra is begin with all extra columns behind the others.
func (d *draft) beginWithExtra(members []string) { d.begin(slices.Concat(members, d.extra)...) }

func (d *draft) write(cells []string) (start, end int) {
	start = d.snapshot.Len()
	d.writer.Write(cells)
	d.writer.Flush()
	end = d.snapshot.Len()
	d.line += bytes.Count(d.snapshot.Bytes()[start:end], []byte("\n"))
	return start, end
}

// add adds a row that begins on a line; cells are its values by column of the snapshot. It cleans them in place.
func (d *draft) add(line int, cells ...string) {
	for i, cell := range cells {
		member := d.members[i]
		if strings.ContainsRune(cell, utf8.RuneError) {
			d.complain(line, member, cell, "must be valid UTF-8, without U+FFFD that stands for what was not: export it as UTF-8")
			return
		}
		if cell = strings.TrimSpace(cell); cell == `\N` {
			cell = ""
		}
		if member != "UID" && loader.KindOf(member) == index.Text {
			cell = tidy(cell)
		}
		if len(cell) > maxText {
			d.complain(line, member, cell, fmt.Sprintf("must be at most 1,000 bytes long, is %d", len(cell)))
			return
		}
		cells[i] = cell
	}
	uid := cells[slices.Index(d.members, "UID")]
	if uid == "" && d.autoUID {
		uid = d.uidOf(cells)
		cells[slices.Index(d.members, "UID")] = uid
	}
	if first, repeats := d.uids[uid]; repeats && uid != "" {
		d.complain(line, "UID", uid, fmt.Sprintf("must be unique, first used on line %d", first))
		return
	}
	d.uids[uid] = line
	begins := d.line
	start, end := d.write(cells)
	d.written = append(d.written, writtenRow{d.result.Rows, line, begins, start, end})
	d.result.Rows++
}

// addValues is add for JSON values.
func (d *draft) addValues(line int, values ...json.RawMessage) {
	cells := make([]string, len(values))
	for i, value := range values {
		cell, ok := plain(value)
		if !ok {
			d.complain(line, d.members[i], string(value[:min(len(value), 4*maxShown)]), "must be text or a number")
			return
		}
		cells[i] = cell
	}
	d.add(line, cells...)
}

// complain records a rejected row.
func (d *draft) complain(line int, member, value, rule string) {
	complaint := loader.Complaint{File: d.file, Line: line, Column: member, Value: loader.Shorten(value), Rule: rule}
	d.complaints = append(d.complaints, numbered{d.result.Rows, complaint})
	d.result.Rows++
}

// tooManyErrors reports whether to stop reading.
func (d *draft) tooManyErrors() bool { return len(d.complaints) >= maxComplaints }

func (d *draft) progress(read int64) {
	if d.report != nil && (read-d.reported >= 1<<20 || read == d.total && read > d.reported) {
		d.reported = read
		d.report(read, d.total)
	}
}

// finish leaves out the rows that the loader rejects.
func (d *draft) finish() (*Result, error) {
	text := d.snapshot.Bytes()
	loaded, err := loader.Load("snapshot.csv", text, loader.Options{MaxBadRows: math.MaxInt, Extra: d.extra, ShowUIDs: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.file, err)
	}
	refused := map[int]bool{}
	for _, complaint := range loaded.Skipped {
		at, _ := slices.BinarySearchFunc(d.written, complaint.Line, func(w writtenRow, line int) int { return w.begins - line })
		written := d.written[at]
		refused[at] = true
		complaint.File, complaint.Line = d.file, written.line
		d.complaints = append(d.complaints, numbered{written.row, complaint})
	}
	if d.decimals > 0 {
		d.result.Converted = append(d.result.Converted, fmt.Sprintf("decimal commas in %d numbers", d.decimals))
	}
	slices.SortStableFunc(d.complaints, func(a, b numbered) int { return cmp.Or(a.Line-b.Line, a.row-b.row) })
	for _, complaint := range d.complaints {
		d.result.Complaints = append(d.result.Complaints, complaint.Complaint)
	}
	if d.result.Taken = len(d.written) - len(refused); d.result.Taken == 0 {
		return &d.result, nil
	}
	snapshot := text[:bytes.IndexByte(text, '\n')+1]
	for i, written := range d.written {
		if !refused[i] {
			snapshot = append(snapshot, text[written.start:written.end]...)
		}
	}
	d.result.Snapshot = snapshot
	return &d.result, nil
}

// tidy removes control characters and replaces each run of white space by a single space.
func tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
