// Package convert converts the lists of pubs that people have to snapshots that package loader accepts without errors.
// [Convert] takes lists in memory, [Files] takes files; both return a snapshot and why rows were rejected.
//
//	list    a file becomes a table, whatever its form
//	plan    which of its columns become which of a snapshot, by their usual names, their values and what the caller says
//	fill    a row of the list becomes one of the snapshot: values, coordinates, address, category, town
//	merge   makes UIDs, rejects rows without a valid one, a name or a place, leaves out what else breaks the rules of
//	        snapshots, drops what was in a list before, and gives towns
//
// The plan is told before the rows are read. The rules are those of the loader, which applies them to each row: what is
// written can always be loaded. A rejected row is no error; a list that cannot be read to its end is one, and so is one
// without names or UIDs, which says what to add to the command. Lists and snapshot are held in memory. Calls share
// nothing and may run concurrently.
package convert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/heading"
	"pubd/cmd/pubd/lists/list"
	"pubd/cmd/pubd/lists/merge"
	"pubd/cmd/pubd/lists/opening"
	"pubd/index/corpus"
	"pubd/index/features"
	"pubd/loader"
)

// Options say how to read lists. The zero value finds out all it can.
type Options struct {
	// From is the form of the lists; empty to find out.
	From list.Form
	// Sheet is the sheet of a workbook, Path the names that lead to a list in JSON; see [list.Options].
	Sheet, Path string
	// Map says what columns of the lists mean that is not known by their names, or other than those say. Values of
	// columns that mean the same are joined.
	Map []Mapping
	// Header has the names of the columns of lists as MySQL writes them; see [list.Options].
	Header []string
	// Extra names the extra columns to keep, which have passed [loader.CheckExtra].
	Extra []string
	// Kinds are the kinds of elements of OpenStreetMap to keep, such as values of amenity; nil keeps pubs, bars and beer
	// gardens. They are also those of businesses in a register of the British food hygiene rating.
	Kinds []string
	// AutoUID gives a row without UID one that is made from its name and place. A UID that repeats in its list counts
	// as missing.
	AutoUID bool
	// IsPostgres is set if the lists are rows of PostgreSQL, whose points have the longitude first.
	IsPostgres bool
	// Vocabulary knows what columns are called that tell of features; nil is the built-in one.
	Vocabulary *features.Vocabulary
	// Towns says which pubs without a location get that of the nearest of Places within 3 km, or else that of most of the
	// five nearest pubs within 3 km.
	Towns merge.Towns
	// Places is a gazetteer; it may be nil.
	Places []corpus.GazetteerPlace
	// Planned is called before the rows of each list are read; it may be nil.
	Planned func(Plan)
}

// A Mapping says what a column of a list means.
type Mapping struct {
	// Ours is a column of a snapshot, as [loader.ColumnName] names them, or one of [Parts].
	Ours string
	// Theirs is the name of a column of the list, in any case.
	Theirs string
	// IfThere allows that a list does not have the column.
	IfThere bool
}

// Parts are what columns of a list may mean that are no columns of a snapshot: both coordinates in one, in any order or
// a certain one, and those of the British National Grid.
var Parts = []string{heading.BothCoordinates, heading.LatitudeFirst, heading.LongitudeFirst, heading.Easting, heading.Northing}

// A Plan is how a list will be read.
type Plan struct {
	Name string
	Form list.Form
	// Found says how the list is written.
	Found []string
	Steps []Step
}

// A Result is the snapshot that was made from lists.
type Result struct {
	// Result has the accepted rows, in the order of the lists.
	merge.Result
	// Rows counts the rows of the lists, and Repeated those whose pub is in a list before.
	Rows, Repeated int
	// Complaints say why each other row was rejected, in the order of the lists.
	Complaints []loader.Complaint
	// Skipped counts elements of OpenStreetMap of other kinds or without a name, by what they are.
	Skipped map[string]int
}

// Convert reads a list from memory. The name begins every complaint.
func Convert(name string, content []byte, options Options) (*Result, error) {
	l, err := list.Open(name, content, options.ofList())
	if err != nil {
		return nil, err
	}
	return read([]*list.List{l}, options)
}

// Files reads lists from files as one. A pub that is in several, by its UID or by its name and place as package twin
// compares them, is taken from the first.
func Files(paths []string, options Options) (*Result, error) {
	var lists []*list.List
	for _, path := range paths {
		l, err := list.OpenFile(path, options.ofList())
		if err != nil {
			return nil, err
		}
		lists = append(lists, l)
	}
	return read(lists, options)
}

// ofList returns the options for opening a list.
func (o Options) ofList() list.Options {
	kinds := o.kinds()
	options := list.Options{Form: o.From, Sheet: o.Sheet, Path: o.Path, Header: o.Header, Known: o.isKnown}
	options.Keep = func(form list.Form, tag func(string) string) string {
		switch form {
		case list.OSM, list.GeoJSON:
		case list.XML:
			business := strings.ToLower(tag("BusinessType"))
			tag = func(name string) string { return map[string]string{"amenity": business}[name] }
		default:
			return ""
		}
		return cell.OtherKind(kinds, form == list.OSM, tag)
	}
	return options
}

// kinds returns the kinds of elements of OpenStreetMap to keep.
func (o Options) kinds() []string {
	if o.Kinds == nil {
		return cell.UsualKinds
	}
	return o.Kinds
}

// isDayName reports whether the plain name of a column names a day, such as monday and mondayopen.
func isDayName(name string) bool {
	return len(name) > 2 && !strings.ContainsAny(name, "0123456789") && opening.Roles([]string{name})[0].Days != 0
}

// isKnown reports whether the name of a column of a list says something.
func (o Options) isKnown(name string) bool {
	name = loader.PlainName(name)
	return heading.IsKnown(name) || isDayName(name) || slices.ContainsFunc(o.Extra, func(extra string) bool { return loader.PlainName(extra) == name }) ||
		slices.ContainsFunc(o.Map, func(m Mapping) bool { return loader.PlainName(m.Theirs) == name })
}

// maxComplaints stops the reading of a list that consists mostly of rejected rows.
const maxComplaints = 1_000_000

func read(lists []*list.List, options Options) (*Result, error) {
	var plans []*plan
	for _, l := range lists {
		p, missing := newPlan(l, options)
		if missing != nil {
			missing.File = l.Name
			return nil, missing
		}
		plans = append(plans, p)
	}
	var columns []string
	for _, name := range append(loader.Columns(), options.Extra...) {
		if slices.ContainsFunc(plans, func(p *plan) bool { return slices.Contains(p.columns, name) }) {
			columns = append(columns, name)
		}
	}
	var names []string
	for _, l := range lists {
		names = append(names, l.Name)
	}
	result, d := &Result{Skipped: map[string]int{}}, merge.New(columns, options.Extra, names)
	for number, p := range plans {
		if number > 0 && p.autoUID && d.Contradicts(number, p.made(columns)) {
			p.list.Found = append(p.list.Found, "UIDs of other pubs in a list before")
			for _, of := range []string{cell.UIDColumn, heading.Identifier} {
				for _, field := range p.fields[of] {
					p.used[field] = false
				}
				delete(p.fields, of)
			}
		}
		if options.Planned != nil {
			options.Planned(Plan{p.list.Name, p.list.Form, p.list.Found, p.steps()})
		}
		if err := result.read(number, p, d, columns); err != nil {
			return nil, err
		}
		if p.towns != nil && options.Towns == merge.TownsIfFew {
			options.Towns = merge.TownsOfAll // those that are not in the addresses
		}
	}
	result.Result = d.Finish(options.Towns, options.Places)
	return result, nil
}

// read adds the rows of a list to a draft.
func (r *Result) read(number int, p *plan, d *merge.Draft, columns []string) error {
	f := p.newFiller(columns)
	for row := range p.list.Rows() {
		if p.kinds != nil && row.Fault == nil {
			if other := cell.OtherKind(p.kinds, true, func(tag string) string { return cell.Of(p.list.Columns, row.Cells, tag) }); other != "" {
				r.Skipped[other]++
				f.rows++
				continue
			}
		}
		r.Rows++
		var cells []string
		wrong := row.Fault
		if wrong == nil {
			if cells, wrong = f.row(row.Cells); wrong != nil {
				wrong.UID = loader.Shorten(cell.Of(columns, cells, cell.UIDColumn))
			}
		}
		isRepeated := false
		if wrong == nil {
			isRepeated, wrong = d.Add(merge.Origin{List: number, Line: row.Line, IsGuessed: f.isGuessed}, cells, f.said, p.autoUID)
		}
		if isRepeated {
			r.Repeated++
		}
		if wrong != nil {
			wrong.File, wrong.Line = p.list.Name, row.Line
			r.Complaints = append(r.Complaints, *wrong)
		}
		if len(r.Complaints) >= maxComplaints {
			return &loader.Complaint{File: p.list.Name, Rule: fmt.Sprintf("reading stopped after %d rejected rows: is it really a list of pubs?", len(r.Complaints))}
		}
	}
	for kind, count := range p.list.Skipped {
		r.Skipped[kind] += count
	}
	return nil
}

// CountedKinds returns the most frequent of some kinds with their counts, such as "cafe 12".
func CountedKinds(counts map[string]int) string { return counted(counts, 20) }

// counted returns the most frequent of some names with their counts.
func counted(counts map[string]int, most int) string {
	var all []string
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }) {
		all = append(all, fmt.Sprint(name, " ", counts[name]))
	}
	if len(all) > most {
		all = append(all[:most], "…")
	}
	return strings.Join(all, ", ")
}
