package convert

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index"
	"pubd/loader"
)

const (
	// maxText is the maximum length of a text in a snapshot, in bytes.
	maxText = 1000
	// maxCell is up to what length a value is tidied, which may make it shorter: a workbook may repeat a long one in
	// every row.
	maxCell = 100_000
	// maxComplaints stops the reading of a list that consists mostly of rejected rows.
	maxComplaints = 1_000_000
)

// A draft collects the snapshot while lists are read, row by row.
type draft struct {
	columns []string
	checker *loader.Checker
	text    bytes.Buffer
	writer  *csv.Writer
	rows    []written
	uids    map[string]origin // of each UID, where it was first used
	twins   map[string][]twin // rows with the same automatic UID, if there are several
	places  places            // nil unless locations are to be found
}

// A written is a row of the draft, with the values that are known only when all rows are; empty if they stay.
type written struct {
	start, end    int
	uid, location string
}

// A twin is a row that has its automatic UID in common with others, and what orders it among them.
type twin struct {
	row int
	key string
}

// An origin is a row of a list.
type origin struct{ list, line, row int }

// places are the pubs by which the locations of others are found.
type places []place

type place struct {
	row      int
	at       geo.Point
	location string // empty if it is to be found
}

func newDraft(columns []string, options Options) *draft {
	d := &draft{columns: columns, checker: loader.NewChecker(columns, options.Extra), uids: map[string]origin{}, twins: map[string][]twin{}}
	if options.NearestTown {
		d.places = places{}
	}
	d.writer = csv.NewWriter(&d.text)
	d.write(columns)
	return d
}

func (d *draft) write(cells []string) (start, end int) {
	start = d.text.Len()
	d.writer.Write(cells)
	d.writer.Flush()
	return start, d.text.Len()
}

// cell returns the value of a row in a column; empty if the draft does not have it.
func (d *draft) cell(cells []string, column string) string {
	if at := slices.Index(d.columns, column); at >= 0 {
		return cells[at]
	}
	return ""
}

// An outcome is what became of a row.
type outcome uint8

const (
	taken outcome = iota
	rejected
	repeated // it is in a list before
)

// add adds a row of a list, whose cells are by column. It cleans them in place. auto asks for a UID if there is none.
func (d *draft) add(at origin, cells []string, auto bool) (outcome, loader.Complaint) {
	for i, cell := range cells {
		if len(cell) > maxCell {
			return rejected, tooLong(d.columns[i], cell)
		}
		if strings.ContainsRune(cell, utf8.RuneError) {
			return rejected, loader.Complaint{Column: d.columns[i], Value: loader.Shorten(cell),
				Rule: "must be valid UTF-8, without U+FFFD that stands for what was not: export it as UTF-8"}
		}
		if d.columns[i] != uidColumn && loader.KindOf(d.columns[i]) == index.Text {
			cell = tidy(cell)
		}
		if len(cell) > maxText {
			return rejected, tooLong(d.columns[i], cell)
		}
		cells[i] = cell
	}
	made := false
	if uid := slices.Index(d.columns, uidColumn); cells[uid] == "" && auto {
		if d.cell(cells, nameColumn) == "" {
			return rejected, loader.Complaint{Column: nameColumn, Rule: "must not be empty"}
		}
		cells[uid], made = d.autoUID(cells), true
	}
	pub, wrong := d.checker.Check(cells)
	if wrong.Rule != "" {
		if wrong.Column != uidColumn {
			wrong.UID = loader.Shorten(d.cell(cells, uidColumn))
		}
		return rejected, wrong
	}
	if first, known := d.uids[pub.UID]; known {
		switch {
		case first.list != at.list:
			return repeated, loader.Complaint{}
		case !made:
			return rejected, loader.Complaint{Column: uidColumn, Value: loader.Shorten(pub.UID), Rule: fmt.Sprintf("must be unique, first used on line %d", first.line)}
		}
		if d.twins[pub.UID] == nil {
			d.twins[pub.UID] = []twin{{first.row, d.twinKey(d.read(d.rows[first.row]))}}
		}
		d.twins[pub.UID] = append(d.twins[pub.UID], twin{len(d.rows), d.twinKey(cells)})
	} else {
		at.row = len(d.rows)
		d.uids[pub.UID] = at
	}
	if d.places != nil {
		d.places = append(d.places, place{len(d.rows), geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}, pub.Location})
	}
	start, end := d.write(cells)
	d.rows = append(d.rows, written{start: start, end: end})
	return taken, loader.Complaint{}
}

func tooLong(column, value string) loader.Complaint {
	return loader.Complaint{Column: column, Value: loader.Shorten(value), Rule: fmt.Sprintf("must be at most 1,000 bytes long, is %d", len(value))}
}

// finish returns the snapshot, and how many locations were found.
func (d *draft) finish() (snapshot []byte, located int) {
	for uid, rows := range d.twins {
		d.number(uid, rows)
	}
	if d.places != nil {
		located = d.locate()
	}
	text := d.text.Bytes()
	if !slices.ContainsFunc(d.rows, func(w written) bool { return w.uid != "" || w.location != "" }) {
		return text, located
	}
	var edited bytes.Buffer
	edited.Grow(len(text) + len(text)/16)
	edited.Write(text[:d.rows[0].start])
	writer := csv.NewWriter(&edited)
	for _, row := range d.rows {
		whole := text[row.start:row.end]
		if row.location == "" {
			if row.uid != "" { // an automatic one is the first cell, and needs no quotes
				edited.WriteString(row.uid)
				whole = whole[bytes.IndexByte(whole, ','):]
			}
			edited.Write(whole)
			continue
		}
		cells := d.read(row)
		cells[0] = cmp.Or(row.uid, cells[0])
		cells[slices.Index(d.columns, locationColumn)] = row.location
		writer.Write(cells)
		writer.Flush()
	}
	return edited.Bytes(), located
}

// read returns the cells of a row.
func (d *draft) read(row written) []string {
	// The draft wrote it.
	cells, _ := csv.NewReader(bytes.NewReader(d.text.Bytes()[row.start:row.end])).Read()
	return cells
}

// number gives rows with the same automatic UID different ones.
func (d *draft) number(uid string, twins []twin) {
	slices.SortStableFunc(twins, func(a, b twin) int { return strings.Compare(a.key, b.key) })
	n := 1
	for _, t := range twins[1:] {
		numbered := uid
		for known := true; known; _, known = d.uids[numbered] {
			n++
			numbered = fmt.Sprintf("%s-%d", uid, n)
		}
		d.rows[t.row].uid = numbered
	}
}

// tidy removes control characters and replaces each run of white space by a single space.
func tidy(text string) string {
	plain := true
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' ') {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
