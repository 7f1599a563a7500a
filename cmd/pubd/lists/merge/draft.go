// Package merge makes one snapshot of the rows of lists: a [Draft] applies the rules of package loader to each, makes UIDs,
// drops pubs that a list before has, numbers those that agree, and gives towns; [Write] writes the [Snapshot].
package merge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/twin"
	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/loader"
)

// A Draft collects a snapshot while lists are read, row by row.
type Draft struct {
	columns []string
	checker *loader.Checker
	rows    [][]string        // by column
	uids    map[string]Origin // of each UID, where it was first used
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
func (d *Draft) count(at Origin, cells []string, said []bool, omitted []loader.Complaint) {
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
			wrong.File, wrong.Line, wrong.UID = d.lists[at.List], at.Line, loader.Shorten(d.cell(cells, cell.UIDColumn))
			c.Example = &wrong
		}
	}
}

// required are the columns that reject a row.
var required = []string{cell.UIDColumn, cell.NameColumn, cell.LatitudeColumn, cell.LongitudeColumn}

// An Origin is a row of a list, whose town may be guessed.
type Origin struct {
	List, Line int
	IsGuessed  bool
	row        int // of the draft
}

// New returns an empty draft with some columns, of which some are extra ones, for lists with some names.
func New(columns, extra, lists []string) *Draft {
	d := &Draft{columns: columns, lists: lists, checker: loader.NewChecker(columns, extra), uids: map[string]Origin{}, twins: map[string][]int{}}
	for _, name := range columns {
		d.counts = append(d.counts, Count{Column: name})
	}
	if len(lists) > 1 {
		d.pubs = &twin.Finder{}
	}
	return d
}

// cell returns the value of a row in a column; empty if the draft does not have it.
func (d *Draft) cell(cells []string, column string) string { return cell.Of(d.columns, cells, column) }

// Add adds a row of a list, whose cells are by column, unless it is in a list before or has a complaint. said are the
// columns that the row has in the list. auto asks for a UID if there is none. What breaks a rule is left out, but a UID,
// a name and coordinates, without which there is no pub or another one.
func (d *Draft) Add(at Origin, made []string, said []bool, auto bool) (isRepeated bool, wrong *loader.Complaint) {
	cells := slices.Clone(made)
	var omitted []loader.Complaint
	omit := func(wrong loader.Complaint) (isRequired bool) {
		if isRequired = slices.Contains(required, wrong.Column); !isRequired {
			omitted = append(omitted, wrong)
			cells[slices.Index(d.columns, wrong.Column)] = ""
			if hours := slices.Index(d.columns, cell.HoursColumn); hours >= 0 && wrong.Column == schema.Columns[schema.ColumnTimeZone].Name {
				cells[hours] = "" // which would be those of another zone
			}
		}
		return isRequired
	}
	for i, text := range cells {
		if rule := ruleOf(text); rule != "" {
			complaint := loader.Complaint{Column: d.columns[i], Value: loader.Shorten(text), Rule: rule}
			if omit(complaint) {
				return false, &complaint
			}
		} else if d.columns[i] != cell.UIDColumn && loader.KindOf(d.columns[i]) == schema.Text {
			cells[i] = tidy(text)
		}
	}
	isAutomatic := false
	if uid := slices.Index(d.columns, cell.UIDColumn); cells[uid] == "" && auto {
		if d.cell(cells, cell.NameColumn) == "" {
			return false, &loader.Complaint{Column: cell.NameColumn, Rule: "must not be empty"}
		}
		cells[uid], isAutomatic = d.autoUID(cells), true
	}
	pub, complaint := d.checker.Check(cells)
	for complaint.Rule != "" {
		if omit(complaint) {
			if complaint.Column != cell.UIDColumn {
				complaint.UID = loader.Shorten(d.cell(cells, cell.UIDColumn))
			}
			return false, &complaint
		}
		pub, complaint = d.checker.Check(cells)
	}
	first, known := d.uids[pub.UID]
	isOther := known && first.List != at.List && d.isOther(d.rows[first.row], cells)
	if isOther && auto {
		pub.UID, isAutomatic = d.autoUID(cells), true
		cells[slices.Index(d.columns, cell.UIDColumn)] = pub.UID
		first, known = d.uids[pub.UID]
	}
	switch {
	case isOther && !auto:
		return false, &loader.Complaint{Column: cell.UIDColumn, Value: loader.Shorten(pub.UID), Rule: fmt.Sprintf("must be of one pub, is that of %s on line %d of %s: "+
			"if the lists are numbered alike, --uid auto makes new ones", loader.Visible(loader.Shorten(d.cell(d.rows[first.row], cell.NameColumn))), first.Line, loader.Visible(loader.Shorten(d.lists[first.List])))}
	case known && first.List != at.List:
		return true, nil
	case d.isTwin(at.List, &pub):
		d.twinned++
		return true, nil
	case known && !isAutomatic:
		return false, &loader.Complaint{Column: cell.UIDColumn, Value: loader.Shorten(pub.UID), Rule: fmt.Sprintf("must be unique, first used on line %d", first.Line)}
	case known:
		if d.twins[pub.UID] == nil {
			d.twins[pub.UID] = []int{first.row}
		}
		d.twins[pub.UID] = append(d.twins[pub.UID], len(d.rows))
	default:
		at.row = len(d.rows)
		d.uids[pub.UID] = at
	}
	d.rows, d.guessed = append(d.rows, cells), append(d.guessed, at.IsGuessed)
	d.count(at, cells, said, omitted)
	return false, nil
}

// isTwin reports whether a list before has a pub with a name like that of a pub of a list, within 50 m.
func (d *Draft) isTwin(list int, pub *schema.Pub) bool {
	if d.pubs == nil || math.IsNaN(pub.Latitude) {
		return false
	}
	other, _, found := d.pubs.Twin(twin.Key(pub.Name), geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}.Vector(), list)
	return found && other != list
}

// ruleOf returns the rule that a text of any column breaks; empty if none.
func ruleOf(text string) string {
	switch {
	case len(text) > cell.MaxLength || len(text) > cell.MaxText && len(tidy(text)) > cell.MaxText:
		return fmt.Sprintf("must be at most 1,000 bytes long, is %d", len(text))
	case strings.ContainsRune(text, utf8.RuneError):
		return "must be valid UTF-8, without U+FFFD that stands for what was not: export it as UTF-8"
	}
	return ""
}

// A Result is a finished draft.
type Result struct {
	Snapshot Snapshot
	// Counts says of each column what has become of its values.
	Counts []Count
	// Twins counts the rows left out because a list before has the pub, by name and place and not by UID, and Located the
	// pubs that have the location of a place or of their neighbours.
	Twins, Located int
}

// Finish gives rows with the same automatic UID different ones, and pubs without a location that of a place of a gazetteer
// or of their neighbours. The draft must not be used any more.
func (d *Draft) Finish(towns Towns, gazetteer []corpus.GazetteerPlace) Result {
	d.number()
	r := Result{Located: d.locate(towns, gazetteer), Twins: d.twinned, Snapshot: Snapshot{d.columns, d.rows}, Counts: d.counts}
	for _, cells := range d.rows {
		for i, text := range cells {
			if text != "" {
				r.Counts[i].Kept++
			}
		}
	}
	return r
}

// number gives rows with the same automatic UID different ones.
func (d *Draft) number() {
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
			d.rows[row][slices.Index(d.columns, cell.UIDColumn)] = numbered
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
