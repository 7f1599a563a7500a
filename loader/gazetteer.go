package loader

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"

	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// Gazetteer is the file of a gazetteer; the zero value means that there is none.
type Gazetteer struct {
	Name    string
	Content []byte
}

// ReadGazetteer reads the file of a gazetteer of at most room bytes, as [ReadFileWithin] does; an empty path means that
// there is none.
func ReadGazetteer(path string, room int64) (Gazetteer, error) {
	if path == "" {
		return Gazetteer{}, nil
	}
	content, _, err := ReadFileWithin(path, room)
	return Gazetteer{path, content}, err
}

// LoadGazetteer reads a gazetteer from a file. An error in its content is a [*RejectedError].
func LoadGazetteer(path string) ([]corpus.GazetteerPlace, error) {
	file, err := ReadGazetteer(path, maxInMemory)
	if err != nil {
		return nil, err
	}
	places, _, err := loadGazetteer(file, Options{})
	return places, err
}

// Identity returns the SHA-256 that identifies a snapshot whose file has a SHA-256: that or, with a gazetteer, that of
// the SHA-256 of both.
func (g Gazetteer) Identity(snapshot [sha256.Size]byte) [sha256.Size]byte {
	if g.Content == nil {
		return snapshot
	}
	gazetteer := sha256.Sum256(g.Content)
	return sha256.Sum256(append(snapshot[:], gazetteer[:]...))
}

// The columns of a gazetteer that a snapshot does not have, all optional.
const (
	placePopulation = column(schema.ColumnCount + iota)
	placeRadius
	placeAliases
)

// maxRadius is the maximum radius of a place.
const maxRadius = 500

// loadGazetteer reads a gazetteer: CSV with the columns name, latitude, longitude and, optional, population, radius_km and
// aliases; others are ignored. It returns why rows were skipped, at most Options.MaxBadRows. An error in the content is
// a [*RejectedError].
func loadGazetteer(file Gazetteer, options Options) ([]corpus.GazetteerPlace, []Complaint, error) {
	name, content := file.Name, file.Content
	format, packing, _ := Shape(name)
	if format != "csv" {
		return nil, nil, fmt.Errorf("%s: the name of a gazetteer must end in .csv, .csv.gz or .csv.zst", Visible(name))
	}
	source := newSource(bytes.NewReader(content), int64(len(content)), packing, Options{})
	defer source.close()
	limit := max(options.MaxBadRows, 0)
	wrong := complaints{keep: max(limit, maxPrinted)}
	var places []corpus.GazetteerPlace
	reason := &Complaint{Rule: source.start()}
	if reason.Rule == "" {
		places, reason = readPlaces(source, name, &wrong, limit)
	}
	if damage := source.damage(); damage != "" {
		reason = &Complaint{Rule: damage}
	}
	if reason == nil && wrong.count <= limit && len(places) == 0 {
		reason = &Complaint{Rule: "has no place: a gazetteer must have at least one row that is not wrong"}
	}
	if reason != nil {
		reason.File = name
	}
	if reason != nil || wrong.count > limit {
		return nil, nil, &RejectedError{Complaints: wrong.kept[:min(len(wrong.kept), maxPrinted)], WrongRows: wrong.count, Reason: reason}
	}
	return places, wrong.kept, nil
}

// readPlaces reads all rows. The reason is what ended the reading before the end of the file, or nil.
func readPlaces(source *source, file string, wrong *complaints, limit int) (places []corpus.GazetteerPlace, reason *Complaint) {
	rows, reason := newCSVRows(source)
	if reason != nil {
		return nil, reason
	}
	table := newColumnTable(schema.ExtraColumns([]string{"population", "radius_km", "aliases"}))
	needed := []column{schema.ColumnName, schema.ColumnLatitude, schema.ColumnLongitude}
	columns, has, reason := table.columnsOf(rows, append(needed, placePopulation, placeRadius, placeAliases))
	if reason != nil {
		return nil, reason
	}
	for _, c := range needed {
		if !has[c] {
			return nil, &Complaint{Line: rows.line, Rule: fmt.Sprintf("the first line must name a column %s, separated by commas from the others; it has %s",
				strings.Join(namesOf(c), " or "), Quoted(rows.header))}
		}
	}
	cells := table.newRow()
	var reader rowReader
	for wrong.count <= limit+maxPrinted {
		record, reason := rows.next()
		if record == nil {
			return places, reason
		}
		fault := fault{column: unknown}
		if len(record) != len(rows.header) {
			fault.rule = fmt.Sprintf("has %d fields, the header has %d", len(record), len(rows.header))
		} else {
			var place corpus.GazetteerPlace
			cells.fill(columns, record)
			if place, fault = reader.place(cells); fault.rule == "" {
				places = append(places, place)
				continue
			}
		}
		wrong.add(table.complaint(file, rows.line, fault))
	}
	return nil, &Complaint{Rule: fmt.Sprintf("reading stopped after %d wrong rows", wrong.count)}
}

// place returns the place of a row.
func (r *rowReader) place(cells row) (place corpus.GazetteerPlace, wrong fault) {
	broken := func(c column, rule string) fault { return fault{c, cells[c].text, rule} }
	for _, c := range [...]column{schema.ColumnName, placeAliases} {
		if rule := r.text(c, cells[c]); rule != "" {
			return place, broken(c, rule)
		}
	}
	place.Name, place.Aliases = strings.Clone(cells.value(schema.ColumnName)), strings.Clone(cells.value(placeAliases))
	for i, into := range []*float64{&place.At.Lat, &place.At.Lng} {
		c := [...]column{schema.ColumnLatitude, schema.ColumnLongitude}[i]
		if cells[c].kind == missing {
			return place, broken(c, "must be given")
		}
		if rule := r.decimal(into, cells[c], &schema.Columns[c]); rule != "" {
			return place, broken(c, rule)
		}
	}
	population, isNumber := cells.decimal(placePopulation)
	if cells.value(placePopulation) != "" && !(isNumber && 0 <= population && population <= math.MaxFloat64) {
		return place, broken(placePopulation, "must be a number, 0 or more")
	}
	radius, isNumber := cells.decimal(placeRadius)
	if cells.value(placeRadius) != "" && !(isNumber && 0 < radius && radius <= maxRadius) {
		return place, broken(placeRadius, fmt.Sprintf("must be a number above 0, at most %d", maxRadius))
	}
	place.Population, place.Radius = population, geo.Kilometres(radius)
	return place, fault{}
}
