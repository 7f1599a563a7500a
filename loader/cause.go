package loader

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"pubd/index/schema"
)

// minCause is how many wrong rows have a common cause.
const minCause = 3

// causes counts wrong rows by what is probably wrong with the whole file.
type causes struct {
	exchanged int     // rows of which the coordinates are in range only after an exchange
	metres    int     // rows of which both coordinates are numbers far beyond degrees
	hundred   int     // rows with a rating above 10, and none above 100
	highest   float64 // of these ratings
	shortened string  // a UID of several rows, of which a spreadsheet program has dropped digits
}

// noteRow counts a wrong row.
func (h *hints) noteRow(cells row, f fault) {
	c := &h.causes
	if f.column == schema.ColumnLatitude || f.column == schema.ColumnLongitude {
		lat, isLat := cells.decimal(schema.ColumnLatitude)
		lng, isLng := cells.decimal(schema.ColumnLongitude)
		switch {
		case !isLat || !isLng:
		case math.Abs(lat) <= 180 && math.Abs(lng) <= 90: // but as they are, they are wrong
			c.exchanged++
		case min(math.Abs(lat), math.Abs(lng)) >= leastMetres:
			c.metres++
		}
		return
	}
	most := 0.0
	for metric := range schema.Metric(schema.MetricCount) {
		if rating, ok := cells.decimal(column(metric.Column())); ok {
			most = max(most, rating)
		}
	}
	if 10 < most && most <= 100 {
		c.hundred++
		c.highest = max(c.highest, most)
	}
}

// leastMetres is no more than either coordinate of most places in a projection.
const leastMetres = 10_000

// noteUID notes a UID that is not unique.
func (h *hints) noteUID(uid string) {
	if h.causes.shortened == "" && IsShortened(uid) {
		h.causes.shortened = uid
	}
}

var shortened = regexp.MustCompile(`^[0-9](?:[.,][0-9]*)?E\+[0-9]+$`)

// IsShortened reports whether a UID is a number as spreadsheet programs write one of many digits, such as 1.23E+11.
func IsShortened(uid string) bool { return strings.Contains(uid, "E+") && shortened.MatchString(uid) }

// decimal returns the number in a cell.
func (r row) decimal(c column) (value float64, ok bool) {
	if r[c].kind != textual && r[c].kind != number {
		return 0, false
	}
	return schema.ParseDecimal([]byte(r[c].text))
}

// causes returns what is probably wrong with the whole file.
func (d *draft) causes() (list []Complaint) {
	c, rows := &d.hint.causes, d.pubs.Len()+d.wrong.count
	add := func(format string, values ...any) {
		list = append(list, Complaint{Rule: fmt.Sprintf(format, values...)})
	}
	if c.exchanged >= minCause {
		add("latitude and longitude are exchanged in at least %d of %d rows: exchange them", c.exchanged, rows)
	}
	if c.metres >= minCause {
		add("latitude and longitude are metres in %d of %d rows: pubd import converts those of the British National Grid; "+
			"export others as degrees, WGS 84 (EPSG:4326)", c.metres, rows)
	}
	if c.hundred >= minCause && 2*c.hundred > rows {
		add("ratings go up to %v in %d of %d rows: divide them by 10", c.highest, c.hundred, rows)
	}
	if c.shortened != "" {
		add("UIDs such as %s lack digits that a spreadsheet program dropped: format the column as text before, and export the file again", c.shortened)
	}
	return list
}
