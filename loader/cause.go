package loader

import (
	"fmt"
	"math"
	"regexp"

	"pubd/index"
)

// minCause is how many wrong rows have a common cause.
const minCause = 3

// causes counts wrong rows by what is probably wrong with the whole file.
type causes struct {
	exchanged    int     // rows of which the coordinates are in range only after an exchange
	south, north float64 // the limits of their latitudes, then
	metres       int     // rows of which both coordinates are numbers far beyond degrees
	hundred      int     // rows with a rating above 10, and none above 100
	highest      float64 // of these ratings
	shortened    string  // a UID of several rows, of which a spreadsheet program has dropped digits
}

// noteRow counts a wrong row.
func (h *hints) noteRow(cells row, f fault) {
	c := &h.causes
	if f.column == index.ColumnLatitude || f.column == index.ColumnLongitude {
		lat, isLat := cells.decimal(index.ColumnLatitude)
		lng, isLng := cells.decimal(index.ColumnLongitude)
		if isLat && isLng {
			c.noteCoordinates(lat, lng)
		}
		return
	}
	most := 0.0
	for metric := range index.Metric(index.MetricCount) {
		if rating, ok := cells.decimal(column(metric.Column())); ok {
			most = max(most, rating)
		}
	}
	if 10 < most && most <= 100 {
		c.hundred++
		c.highest = max(c.highest, most)
	}
}

func (c *causes) noteCoordinates(lat, lng float64) {
	if math.Abs(lat) <= 180 && math.Abs(lng) <= 180 {
		if math.Abs(lat) > 90 && math.Abs(lng) <= 90 {
			if c.exchanged++; c.exchanged == 1 {
				c.south, c.north = lng, lng
			}
			c.south, c.north = min(c.south, lng), max(c.north, lng)
		}
		return
	}
	if min(math.Abs(lat), math.Abs(lng)) >= leastMetres {
		c.metres++
	}
}

// leastMetres is no more than either coordinate of most places in a projection.
const leastMetres = 10_000

// noteUID notes a UID that is not unique.
func (h *hints) noteUID(uid string) {
	if h.causes.shortened == "" && shortened.MatchString(uid) {
		h.causes.shortened = uid
	}
}

// shortened is how spreadsheet programs write a number of many digits, such as 1.23E+11.
var shortened = regexp.MustCompile(`^[0-9](?:[.,][0-9]*)?E\+[0-9]+$`)

// decimal returns the number in a cell.
func (r row) decimal(c column) (value float64, ok bool) {
	if r[c].kind != textual && r[c].kind != number {
		return 0, false
	}
	return index.ParseDecimal([]byte(r[c].text))
}

// causes returns what is probably wrong with the whole file.
func (d *draft) causes() (list []Complaint) {
	c, rows := &d.hint.causes, d.pubs.Len()+d.wrong.count
	add := func(format string, values ...any) {
		list = append(list, Complaint{Rule: fmt.Sprintf(format, values...)})
	}
	if c.exchanged >= minCause {
		// Those in range are exchanged too if they would then be on the same parallels, and are not now.
		located, alike := 0, 0
		isBetween := func(lat float64) bool { return c.south <= lat && lat <= c.north }
		var p index.Pub
		for i := range d.pubs.Len() {
			if d.pubs.Get(i, &p); !math.IsNaN(p.Latitude) {
				located++
				if isBetween(p.Longitude) && !isBetween(p.Latitude) {
					alike++
				}
			}
		}
		if 10*alike >= 9*located {
			add("latitude and longitude are exchanged in %d of %d rows: swap the names of the two columns", c.exchanged+alike, rows)
		} else {
			add("latitude and longitude are exchanged in %d of %d rows: exchange them there", c.exchanged, rows)
		}
	}
	if c.metres >= minCause {
		add("latitude and longitude are metres in %d of %d rows: pubd import converts those of the British National Grid; "+
			"export others as degrees, WGS 84 (EPSG:4326)", c.metres, rows)
	}
	if rated := d.rated() + c.hundred; c.hundred >= minCause && 2*c.hundred > rated {
		add("ratings go up to %v in %d of %d rated rows: divide them by 10", c.highest, c.hundred, rated)
	}
	if c.shortened != "" {
		add("UIDs such as %s lack digits that a spreadsheet program dropped: format the column as text before, and export the file again", c.shortened)
	}
	return list
}

// rated counts the pubs with a rating.
func (d *draft) rated() (count int) {
	var pub index.Pub
	for i := range d.pubs.Len() {
		for _, rating := range d.pubs.Get(i, &pub).Ratings {
			if !math.IsNaN(rating) {
				count++
				break
			}
		}
	}
	return count
}
