package convert

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/cmd/pubd/lists/twin"
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
	rows    [][]string        // by column
	uids    map[string]origin // of each UID, where it was first used
	twins   map[string][]int  // rows with the same automatic UID, if there are several
	lists   []string          // their names
	guessed []bool            // by row, whether its town is
	pubs    *twin.Finder      // the lists of the rows by name and place; nil if there is one list only
	twinned int               // rows that are left out as a list before has the pub, by name and place
	counts  []Count           // by column
}

// A Count says of a column how many of the pubs have a value in their lists, how many in the snapshot, and how many in
// their lists only: it breaks a rule, as in the example if there is one, or is not understood.
type Count struct {
	Column              string
	Read, Kept, LeftOut int
	Example             *loader.Complaint
}

// count notes what has become of a row that is taken: said are the columns that it has in its list, omitted the values
// that break a rule.
func (d *draft) count(at origin, cells []string, said []bool, omitted []loader.Complaint) {
	for i := range d.counts {
		c := &d.counts[i]
		if said[i] {
			c.Read++
		}
		if said[i] && cells[i] == "" {
			c.LeftOut++
		}
	}
	for _, wrong := range omitted {
		if c := &d.counts[slices.Index(d.columns, wrong.Column)]; c.Example == nil {
			wrong.Line, wrong.UID = at.line, loader.Shorten(d.cell(cells, uidColumn))
			c.Example = &wrong
		}
	}
}

// counted returns the counts of all rows.
func (d *draft) counted() []Count {
	for _, cells := range d.rows {
		for i, cell := range cells {
			if cell != "" {
				d.counts[i].Kept++
			}
		}
	}
	return d.counts
}

// required are the columns that reject a row.
var required = []string{uidColumn, nameColumn, latitudeColumn, longitudeColumn}

// An origin is a row of a list. Its town may be guessed.
type origin struct {
	list, line, row int
	isGuessed       bool
}

// newDraft returns an empty draft for lists with some names.
func newDraft(columns []string, options Options, lists []string) *draft {
	d := &draft{columns: columns, lists: lists, checker: loader.NewChecker(columns, options.Extra), uids: map[string]origin{},
		twins: map[string][]int{}}
	for _, name := range columns {
		d.counts = append(d.counts, Count{Column: name})
	}
	if len(lists) > 1 {
		d.pubs = &twin.Finder{}
	}
	return d
}

// cell returns the value of a row in a column; empty if the draft does not have it.
func (d *draft) cell(cells []string, column string) string { return cellOf(d.columns, cells, column) }

// cellOf returns the value of a row in the column with a name; empty if there is none.
func cellOf(columns, cells []string, name string) string {
	if at := slices.Index(columns, name); at >= 0 {
		return cells[at]
	}
	return ""
}

// add adds a row of a list, whose cells are by column, unless it is in a list before or has a complaint. said are the
// columns that the row has in the list. auto asks for a UID if there is none. What breaks a rule is left out, but a UID,
// a name and coordinates, without which there is no pub or another one.
func (d *draft) add(at origin, made []string, said []bool, auto bool) (isRepeated bool, wrong *loader.Complaint) {
	cells := slices.Clone(made)
	var omitted []loader.Complaint
	omit := func(wrong loader.Complaint) (isRequired bool) {
		if isRequired = slices.Contains(required, wrong.Column); !isRequired {
			omitted = append(omitted, wrong)
			cells[slices.Index(d.columns, wrong.Column)] = ""
		}
		return isRequired
	}
	for i, cell := range cells {
		if rule := ruleOf(cell); rule != "" {
			complaint := loader.Complaint{Column: d.columns[i], Value: loader.Shorten(cell), Rule: rule}
			if omit(complaint) {
				return false, &complaint
			}
		} else if d.columns[i] != uidColumn && loader.KindOf(d.columns[i]) == index.Text {
			cells[i] = tidy(cell)
		}
	}
	isAutomatic := false
	if uid := slices.Index(d.columns, uidColumn); cells[uid] == "" && auto {
		if d.cell(cells, nameColumn) == "" {
			return false, &loader.Complaint{Column: nameColumn, Rule: "must not be empty"}
		}
		cells[uid], isAutomatic = d.autoUID(cells), true
	}
	pub, complaint := d.checker.Check(cells)
	for complaint.Rule != "" {
		if omit(complaint) {
			if complaint.Column != uidColumn {
				complaint.UID = loader.Shorten(d.cell(cells, uidColumn))
			}
			return false, &complaint
		}
		pub, complaint = d.checker.Check(cells)
	}
	first, known := d.uids[pub.UID]
	isOther := known && first.list != at.list && d.isOther(d.rows[first.row], cells)
	if isOther && auto {
		pub.UID, isAutomatic = d.autoUID(cells), true
		cells[slices.Index(d.columns, uidColumn)] = pub.UID
		first, known = d.uids[pub.UID]
	}
	switch {
	case isOther && !auto:
		return false, &loader.Complaint{Column: uidColumn, Value: loader.Shorten(pub.UID), Rule: fmt.Sprintf("must be of one pub, is that of %s on line %d of %s: "+
			"if the lists are numbered alike, --uid auto makes new ones", loader.Visible(loader.Shorten(d.cell(d.rows[first.row], nameColumn))), first.line, d.lists[first.list])}
	case known && first.list != at.list:
		return true, nil
	case d.isTwin(at.list, &pub):
		d.twinned++
		return true, nil
	case known && !isAutomatic:
		return false, &loader.Complaint{Column: uidColumn, Value: loader.Shorten(pub.UID), Rule: fmt.Sprintf("must be unique, first used on line %d", first.line)}
	case known:
		if d.twins[pub.UID] == nil {
			d.twins[pub.UID] = []int{first.row}
		}
		d.twins[pub.UID] = append(d.twins[pub.UID], len(d.rows))
	default:
		at.row = len(d.rows)
		d.uids[pub.UID] = at
	}
	d.rows, d.guessed = append(d.rows, cells), append(d.guessed, at.isGuessed)
	d.count(at, cells, said, omitted)
	return false, nil
}

// isTwin reports whether a list before has a pub with a name like that of a pub of a list, within 50 m.
func (d *draft) isTwin(list int, pub *index.Pub) bool {
	if d.pubs == nil || math.IsNaN(pub.Latitude) {
		return false
	}
	other, _, found := d.pubs.Twin(twin.Key(cmp.Or(folded(pub.Name), pub.Name)), geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}.Vector(), list)
	return found && other != list
}

// ruleOf returns the rule that a text of any column breaks; empty if none.
func ruleOf(cell string) string {
	switch {
	case len(cell) > maxCell || len(cell) > maxText && len(tidy(cell)) > maxText:
		return fmt.Sprintf("must be at most 1,000 bytes long, is %d", len(cell))
	case strings.ContainsRune(cell, utf8.RuneError):
		return "must be valid UTF-8, without U+FFFD that stands for what was not: export it as UTF-8"
	}
	return ""
}

// finish gives rows with the same automatic UID different ones.
func (d *draft) finish() {
	for uid, twins := range d.twins {
		slices.SortStableFunc(twins, func(a, b int) int {
			return strings.Compare(d.twinKey(d.rows[a]), d.twinKey(d.rows[b]))
		})
		n := 1
		for _, row := range twins[1:] {
			numbered := uid
			for known := true; known; _, known = d.uids[numbered] {
				n++
				numbered = fmt.Sprintf("%s-%d", uid, n)
			}
			d.rows[row][slices.Index(d.columns, uidColumn)] = numbered
		}
	}
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
