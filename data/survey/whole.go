package survey

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"pubd/index"
)

// A FileFinding is a mistake that probably is in the whole file, or in many of its rows.
type FileFinding struct {
	Kind Kind `json:"kind"`
	// Column has the names of the columns, separated by commas; empty for several kinds about coordinates and texts.
	Column string `json:"column,omitempty"`
	// Pubs is how many pubs have the mistake, Of among how many.
	Pubs int `json:"pubs"`
	Of   int `json:"of"`
	// FirstLine and LastLine are where most of the rows are, if they follow each other; otherwise 0.
	FirstLine int `json:"first_line,omitempty"`
	LastLine  int `json:"last_line,omitempty"`
	// Reason says what is odd, Advice what to do about it, in a few words.
	Reason string `json:"reason"`
	Advice string `json:"advice"`
}

// The kinds that only a whole file has.
const (
	Scale    Kind = "scale"
	UIDs     Kind = "uids"
	Constant Kind = "constant"
	Empty    Kind = "empty"
)

const (
	// group is how many pubs with the same mistake have a common cause, in a large file; in a small one it is a tenth,
	// at least minGroup.
	group, minGroup = 20, 5
	// minRows is how many values a column must have to be judged.
	minRows = 20
	// minShortened is how many UIDs must look like numbers that were shortened.
	minShortened = 3
)

// isGroup reports whether pubs with the same mistake have a common cause.
func isGroup(pubs, all int) bool { return pubs >= min(group, max(minGroup, all/10)) }

// addGroups adds the findings about many pubs that are misplaced in the same way.
func (f *finder) addGroups(outliers []outlier, located int) {
	for _, kind := range []Kind{Swapped, Sign, Sea} {
		var pubs []int
		columns := map[string]int{}
		for _, o := range outliers {
			if o.kind == kind {
				pubs = append(pubs, int(o.pub))
				if o.by != nil {
					columns[o.by.column]++
				}
			}
		}
		if !isGroup(len(pubs), located) {
			continue
		}
		finding := FileFinding{Kind: kind, Pubs: len(pubs), Of: located}
		where := ""
		if first, last, ok := run(pubs, len(f.pubs)); ok && f.lines != nil {
			finding.FirstLine, finding.LastLine = f.lines[first], f.lines[last]
			where = fmt.Sprintf(", most of them on lines %d to %d", finding.FirstLine, finding.LastLine)
		}
		among := fmt.Sprintf("%d of %d pubs", len(pubs), located)
		switch kind {
		case Swapped:
			finding.Reason, finding.Advice = "latitude and longitude are probably exchanged in "+among+where, "exchange them there"
		case Sign:
			finding.Column = most(columns)
			finding.Reason, finding.Advice = "the sign of "+signed(finding.Column)+" is probably wrong in "+among+where, "add or remove the minus there"
		case Sea:
			finding.Reason, finding.Advice = among+" are in the sea"+where, "check that the coordinates are those of these pubs, in degrees of WGS 84"
		}
		f.whole = append(f.whole, finding)
	}
}

// run returns the first and the last of nine tenths of pubs, in the order of the file, if they are a quarter or more of
// the pubs in between, and those are at most half of all.
func run(pubs []int, all int) (first, last int, ok bool) {
	rest := len(pubs) / 20
	first, last = pubs[rest], pubs[len(pubs)-1-rest]
	return first, last, last-first < min(4*(len(pubs)-2*rest), all/2)
}

// findWhole finds what is odd about columns, and what most pubs have.
func (f *finder) findWhole(directory *index.Directory, s *Survey, columns []string) {
	f.findShortened()
	f.findScale()
	f.findShared(s.Counts)
	f.findConstant()
	f.findEmpty(s.Coverage, columns)
}

// shortened is how spreadsheet programs write a number of many digits.
var shortened = regexp.MustCompile(`^[0-9](?:[.,][0-9]+)?E\+[0-9]+$`)

func (f *finder) findShortened() {
	count, example := 0, ""
	for i := range f.pubs {
		if uid := f.pubs[i].UID; strings.Contains(uid, "E+") && shortened.MatchString(uid) {
			if count++; count == 1 {
				example = uid
			}
		}
	}
	if count >= minShortened {
		f.whole = append(f.whole, FileFinding{Kind: UIDs, Column: index.Columns[index.ColumnUID].Name, Pubs: count, Of: len(f.pubs),
			Reason: fmt.Sprintf("%d of %d UIDs lack digits that a spreadsheet program dropped, such as %s", count, len(f.pubs), example),
			Advice: "format the column as text before the digits are lost, and export the file again"})
	}
}

// findScale detects ratings that are out of 5: none is higher, some are nearly 5, and half of them are in its upper
// half.
func (f *finder) findScale() {
	pubs, high, upper, all, most := 0, 0, 0, 0, 0.0
	for i := range f.pubs {
		rated := false
		for _, rating := range f.pubs[i].Ratings {
			if math.IsNaN(rating) {
				continue
			}
			if most = max(most, rating); most > 5 {
				return
			}
			rated = true
			all++
			if rating >= 4 {
				high++
			}
			if rating >= 2.5 {
				upper++
			}
		}
		if rated {
			pubs++
		}
	}
	if pubs >= minRows && most > 4.5 && 10*high >= all && 2*upper >= all {
		f.whole = append(f.whole, FileFinding{Kind: Scale, Pubs: pubs, Of: len(f.pubs),
			Reason: fmt.Sprintf("ratings are probably out of 5: those of %d pubs go up to %v, and none is higher", pubs, most),
			Advice: "multiply them by 2, if they are"})
	}
}

// shared are the kinds of findings that most pubs of those concerned may have, for one cause.
var shared = []struct {
	kind   Kind
	reason string
	of     func(text string) bool // whether a text makes its pub one of those concerned; nil if all are
}{
	{Zero, "coordinates are 0°, 0° in %d of %d pubs", nil},
	{Mojibake, "text was not read as UTF-8, and is garbled, in %d of %d pubs with more than ASCII", func(text string) bool { return !isASCII(text) }},
	{Entity, "text is HTML in %d of %d pubs with an &", func(text string) bool { return strings.Contains(text, "&") }},
	{Spaces, "text has extra spaces in %d of %d pubs", nil},
	{Capitals, "names are in capitals in %d of %d pubs", nil},
}

// findShared finds what more than half of the pubs concerned have.
func (f *finder) findShared(counts map[Kind]int) {
	for _, s := range shared {
		count, concerned := counts[s.kind], len(f.pubs)
		if count < minRows {
			continue
		}
		if s.of != nil {
			concerned = 0
			for i := range f.pubs {
				if p := &f.pubs[i]; s.of(p.Name) || s.of(p.Location) || s.of(p.Trading) || s.of(p.Category) {
					concerned++
				}
			}
		}
		if 2*count > concerned {
			f.whole = append(f.whole, FileFinding{Kind: s.kind, Pubs: count, Of: concerned, Reason: fmt.Sprintf(s.reason, count, concerned), Advice: advice(s.kind)})
		}
	}
}

func advice(kind Kind) string {
	for _, k := range Kinds {
		if k.Kind == kind {
			return k.Advice
		}
	}
	return ""
}

// mayBeConstant reports whether a column has the same value in all rows of a usual list: that of a town, of breweries,
// of pubs that are open, or of one reviewer. Totals may be computed from ratings that are constant, and 0°, 0° is
// reported as such.
func mayBeConstant(column int, value string) bool {
	switch column {
	case index.ColumnLocation, index.ColumnTrading, index.ColumnCategory, index.ColumnArea, index.Total.Column():
		return true
	case index.ColumnLatitude, index.ColumnLongitude:
		return value == "0"
	case index.ColumnReviewCount:
		return value == "1"
	}
	return false
}

// findConstant finds columns with the same value in all pubs that have one.
func (f *finder) findConstant() {
	for column := index.ColumnName; column < index.ColumnCount; column++ {
		c := &index.Columns[column]
		count, value, same := 0, "", true
		for i := 0; same && i < len(f.pubs); i++ {
			if c.Has(&f.pubs[i]) {
				is := fmt.Sprint(c.Value(&f.pubs[i]))
				if count++; count == 1 {
					value = is
				}
				same = is == value
			}
		}
		if same && count >= minRows && !mayBeConstant(column, value) {
			f.whole = append(f.whole, FileFinding{Kind: Constant, Column: c.Name, Pubs: count, Of: len(f.pubs),
				Reason: fmt.Sprintf("%s is %s in all %d pubs that have one", c.Name, quoted(value), count), Advice: "was a cell copied down?"})
		}
	}
}

// findEmpty finds columns of the file that no pub has.
func (f *finder) findEmpty(coverage []Coverage, columns []string) {
	var empty []string
	for _, c := range coverage {
		if c.Pubs == 0 && slices.Contains(columns, c.Column) {
			empty = append(empty, c.Column)
		}
	}
	if len(empty) == 0 || len(f.pubs) < minRows {
		return
	}
	names, is := strings.Join(empty, ", "), "is"
	if len(empty) > 1 {
		is = "are"
	}
	f.whole = append(f.whole, FileFinding{Kind: Empty, Column: names, Of: len(f.pubs),
		Reason: fmt.Sprintf("%s %s empty in all %d rows", names, is, len(f.pubs)), Advice: "leave out the column, or fill it"})
}
