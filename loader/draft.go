package loader

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pubd/index/corpus"
	"pubd/index/schema"
)

// maxWrongRows stops the reading of a file that consists of wrong rows: more of them are of no use, and a compressed
// file of a few megabytes can hold a billion rows.
const maxWrongRows = 1_000_000

// maxFurther is the maximum number of bytes to read, for more complaints, from a file that is already rejected.
const maxFurther = 64 << 20

// maxIgnored is the maximum number of unknown columns in a result.
const maxIgnored = 100

// draft collects the directory while its file is read, row by row in order of line.
type draft struct {
	file    string
	columns *columnTable
	cells   row // the row to fill next
	reader  rowReader
	pubs    *corpus.Rows
	has     []bool // by column
	extra   []schema.ExtraColumn
	types   []facetType // by extra column
	wrong   complaints
	leftOut []complaints // by column
	showUID bool         // in complaints
	begun   int          // line on which the last JSON row began
	limit   int          // of wrong rows
	reason  *Complaint
	hint    hints

	text       *limited // the expanded text
	rejectedAt int64    // bytes of text read when the limit of wrong rows was passed; 0 before

	unknown map[string]bool // names of the ignored columns
	ignored []string
	given   []bool // columns that the current JSON row has
	others  int    // members of all JSON rows that are no columns, beyond manyOthers a row
}

func newDraft(file string, text *limited, options Options) *draft {
	limit := max(options.MaxBadRows, 0)
	columns := newColumnTable(options.Extra)
	return &draft{
		columns: columns,
		extra:   options.Extra,
		types:   make([]facetType, len(options.Extra)),
		reader:  rowReader{extra: options.Extra},
		cells:   columns.newRow(),
		has:     make([]bool, len(columns.names)),
		file:    file,
		text:    text,
		pubs:    corpus.NewRows(len(options.Extra), options.Folder, options.Memory),
		wrong:   complaints{keep: max(limit, maxPrinted)},
		leftOut: make([]complaints, len(columns.names)),
		showUID: options.ShowUIDs,
		limit:   limit,
		unknown: map[string]bool{},
	}
}

// begin notes that a JSON row begins on a line. A line with several rows does not say which one is wrong, so
// complaints then show UIDs.
func (d *draft) begin(line int) {
	d.showUID = d.showUID || line == d.begun
	d.begun = line
}

// place says after which pub the reading ended on a line, unless the line says it.
func (d *draft) place(line int) string {
	if !d.showUID && line != d.begun || d.pubs.Len() == 0 {
		return ""
	}
	return fmt.Sprintf(" (after the pub of UID %q)", Shorten(d.pubs.UID(d.pubs.Len()-1)))
}

// add adds a row that begins on a line.
func (d *draft) add(line int, cells row) {
	pub, wrong := d.reader.pub(cells)
	if wrong.rule != "" {
		d.hint.noteRow(cells, wrong)
		d.complain(line, cells.value(schema.ColumnUID), wrong)
		return
	}
	if first, ok := d.pubs.Add(pub, line); !ok {
		d.hint.noteUID(pub.UID)
		rule := fmt.Sprintf("must be unique, first used on line %d", d.pubs.Line(first))
		d.wrong.add(d.columns.complaint(d.file, line, fault{schema.ColumnUID, pub.UID, rule}))
		return
	}
	d.noteTypes(pub)
	for _, wrong := range d.reader.leftOut {
		list := &d.leftOut[wrong.column]
		if list.count++; list.count == 1 {
			complaint := d.columns.complaint(d.file, line, wrong)
			complaint.UID = Shorten(pub.UID)
			list.kept = []Complaint{complaint}
			d.hint.note(complaint, wrong.value)
		}
	}
}

// leftOutValues returns the first value of each column that was left out, with how many were.
func (d *draft) leftOutValues() (list []Complaint) {
	for _, column := range d.leftOut {
		for _, c := range column.kept {
			c.Rule += "; left out"
			if more := column.count - 1; more > 0 {
				c.Rule += fmt.Sprintf(", with %d more of this column", more)
			}
			list = append(list, c)
		}
	}
	return d.shown(list)
}

// complain records a wrong row; its UID is empty if unknown.
func (d *draft) complain(line int, uid string, f fault) {
	if len(d.wrong.kept) == d.wrong.keep {
		d.wrong.count++
		return
	}
	complaint := d.columns.complaint(d.file, line, f)
	if f.column != schema.ColumnUID {
		complaint.UID = Shorten(uid)
	}
	d.wrong.add(complaint)
	d.hint.note(complaint, f.value)
}

// shown removes the UIDs from complaints that do not show them. Only the whole file says whether they do.
func (d *draft) shown(list []Complaint) []Complaint {
	if !d.showUID {
		for i := range list {
			list[i].UID = ""
		}
	}
	return list
}

// tooManyErrors reports whether to stop reading.
func (d *draft) tooManyErrors() bool {
	if d.wrong.count <= d.limit {
		return false
	}
	if d.rejectedAt == 0 {
		d.rejectedAt = d.text.read
	}
	return d.wrong.count >= maxWrongRows || d.text.read-d.rejectedAt > maxFurther
}

// nameOf returns the name of an unknown column for a message. An empty one is quoted, so that it can be seen.
func nameOf(column string) string { return cmp.Or(Visible(Shorten(column)), `""`) }

// ignore records the name of an unknown column.
func (d *draft) ignore(name string) {
	if d.unknown[name] || len(d.ignored) == maxIgnored {
		return
	}
	d.unknown[strings.Clone(name)] = true
	d.ignored = append(d.ignored, nameOf(name))
}

// finish applies the rules that need the whole file.
func (d *draft) finish() (*Result, error) {
	if d.reason == nil && d.tooManyErrors() {
		d.reason = &Complaint{Rule: fmt.Sprintf("reading stopped after %d wrong rows", d.wrong.count)}
	}
	if d.reason != nil {
		d.reason.File = d.file
		return nil, d.rejection()
	}
	if d.has[schema.ColumnReviewCount] {
		d.dropUnreviewed()
	}
	if d.wrong.count > d.limit {
		return nil, d.rejection()
	}
	if d.pubs.Len() == 0 {
		d.reason = &Complaint{File: d.file, Rule: "has no pub: a snapshot must have at least one"}
		if d.wrong.count > 0 {
			d.reason.Rule = "has no pub left: a snapshot must have at least one row that is not wrong"
		}
		for name := range d.unknown {
			if strings.Contains(name, "\r") {
				d.reason.Rule = "has no line after the header: lines must end in LF, or CR LF" + convertRule
			}
		}
		return nil, d.rejection()
	}
	if !d.has[schema.Total.Column()] {
		d.pubs.Rate(func(_ int, ratings *schema.Ratings, _ int64) bool {
			ratings[schema.Total] = mean(ratings)
			return true
		})
	}
	var absent []string
	for c, name := range d.columns.names {
		if !d.has[c] && c >= schema.ColumnCount {
			absent = append(absent, name)
		}
	}
	return &Result{
		Absent:    absent,
		Directory: corpus.Directory{Rows: d.pubs, CountsReviews: d.has[schema.ColumnReviewCount], Extra: d.extra},
		Ignored:   d.ignored,
		Hints:     d.hints(),
		Types:     d.typesFound(),
		LeftOut:   d.leftOutValues(),
		Skipped:   d.shown(d.wrong.kept),
	}, nil
}

func (d *draft) rejection() *RejectedError {
	kept := d.wrong.kept[:min(len(d.wrong.kept), maxPrinted)]
	return &RejectedError{Hints: d.hints(), Complaints: d.shown(kept), WrongRows: d.wrong.count, Reason: d.reason}
}

// dropUnreviewed turns ratings of 0 without reviews into missing ones, and leaves out pubs with other ratings but no
// reviews.
func (d *draft) dropUnreviewed() {
	late := complaints{keep: d.wrong.keep}
	d.pubs.Rate(func(row int, ratings *schema.Ratings, reviews int64) bool {
		if reviews > 0 {
			return true
		}
		if rated := slices.IndexFunc(ratings[:], func(rating float64) bool { return rating > 0 }); rated >= 0 {
			late.add(Complaint{d.file, d.pubs.Line(row), schema.Metric(rated).String(), strconv.FormatFloat(ratings[rated], 'g', -1, 64),
				ruleUnreviewed, Shorten(d.pubs.UID(row))})
			return false
		}
		for metric, rating := range ratings {
			if rating == 0 {
				ratings[metric] = math.NaN()
			}
		}
		return true
	})
	if late.count == 0 {
		return
	}
	all := append(d.wrong.kept, late.kept...)
	slices.SortStableFunc(all, func(a, b Complaint) int { return a.Line - b.Line })
	d.wrong.kept = all[:min(len(all), d.wrong.keep)]
	d.wrong.count += late.count
}
