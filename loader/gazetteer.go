package loader

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"pubd/index"
)

// Places is the file of a gazetteer; the zero value means that there is none.
type Places struct {
	Name    string
	Content []byte
}

// ReadPlaces reads the file of a gazetteer of at most room bytes, as [ReadFileWithin] does; an empty path means that
// there is none.
func ReadPlaces(path string, room int64) (Places, error) {
	if path == "" {
		return Places{}, nil
	}
	content, _, err := ReadFileWithin(path, room)
	return Places{path, content}, err
}

// Identity returns the SHA-256 that identifies a snapshot whose file has a SHA-256: that or, with a gazetteer, that of
// the SHA-256 of both.
func (p Places) Identity(snapshot [sha256.Size]byte) [sha256.Size]byte {
	if p.Content == nil {
		return snapshot
	}
	gazetteer := sha256.Sum256(p.Content)
	return sha256.Sum256(append(snapshot[:], gazetteer[:]...))
}

// The columns of a gazetteer.
const (
	placeName = iota
	placeLatitude
	placeLongitude
	placePopulation
	placeColumns
)

var placeColumnNames = [placeColumns][]string{namesOf(index.ColumnName), namesOf(index.ColumnLatitude), namesOf(index.ColumnLongitude), {"population"}}

// loadPlaces reads a gazetteer: CSV with the columns name, latitude, longitude and, optional, population; others are
// ignored. It returns why rows were skipped, at most Options.MaxBadRows. An error in the content is a
// [*RejectedError].
func loadPlaces(file Places, options Options) ([]index.GazetteerPlace, []Complaint, error) {
	name, content := file.Name, file.Content
	shape, err := shapeOf(name)
	if err == nil && shape.format != "csv" {
		err = fmt.Errorf("%s: the name of a gazetteer must end in .csv, .csv.gz or .csv.zst", Visible(name))
	}
	if err != nil {
		return nil, nil, err
	}
	source := newSource(bytes.NewReader(content), int64(len(content)), shape.packing, Options{})
	defer source.close()
	source.expanded.parted = true
	r := gazetteerReader{file: name, wrong: complaints{keep: max(options.MaxBadRows, maxPrinted)}, limit: max(options.MaxBadRows, 0)}
	reason := &Complaint{Rule: source.start()}
	if reason.Rule == "" {
		reason = r.read(source)
	}
	if damage := source.damage(); damage != "" {
		reason = &Complaint{Rule: damage}
	}
	if reason == nil && r.wrong.count <= r.limit && len(r.places) == 0 {
		reason = &Complaint{Rule: "has no place: a gazetteer must have at least one row that is not wrong"}
	}
	if reason != nil {
		reason.File = name
	}
	if reason != nil || r.wrong.count > r.limit {
		return nil, nil, &RejectedError{Complaints: r.wrong.kept[:min(len(r.wrong.kept), maxPrinted)], WrongRows: r.wrong.count, Reason: reason}
	}
	return r.places, r.wrong.kept, nil
}

// gazetteerReader collects the places of a file.
type gazetteerReader struct {
	file   string
	places []index.GazetteerPlace
	wrong  complaints
	limit  int
	row    rowReader
}

// read reads all rows. It returns what ended the reading before the end of the file, or nil.
func (r *gazetteerReader) read(source *source) *Complaint {
	if source.hasOldLines() {
		return &Complaint{Rule: oldLines}
	}
	rows, reason := newCSVRows(source)
	if reason != nil {
		return reason
	}
	columns, reason := placeHeader(rows.header)
	if reason != nil {
		reason.Line = rows.line
		return reason
	}
	for r.wrong.count <= r.limit+maxPrinted {
		record, reason := rows.next()
		if record == nil {
			return reason
		}
		if len(record) != len(rows.header) {
			r.wrong.add(Complaint{File: r.file, Line: rows.line, Rule: fmt.Sprintf("has %d fields, the header has %d", len(record), len(rows.header))})
			continue
		}
		place, column, rule := r.place(record, columns)
		if rule == "" {
			r.places = append(r.places, place)
			continue
		}
		complaint := Complaint{File: r.file, Line: rows.line, Column: placeColumnNames[column][0], Rule: rule}
		if columns[column] >= 0 {
			complaint.Value = Shorten(record[columns[column]])
		}
		r.wrong.add(complaint)
	}
	return &Complaint{Rule: fmt.Sprintf("reading stopped after %d wrong rows", r.wrong.count)}
}

// placeHeader returns the field of each column, -1 for an absent one.
func placeHeader(header []string) (columns [placeColumns]int, reason *Complaint) {
	for column, names := range placeColumnNames {
		columns[column] = -1
		for i, name := range header {
			if !slices.Contains(names, lower(name)) {
				continue
			}
			if columns[column] >= 0 {
				rule := fmt.Sprintf("must be there once, but the header has %s: leave out or rename one of them", quoteNames([]string{header[columns[column]], name}))
				return columns, &Complaint{Column: names[0], Rule: rule}
			}
			columns[column] = i
		}
		if columns[column] < 0 && column != placePopulation {
			return columns, &Complaint{Rule: fmt.Sprintf("the first line must name a column %s, separated by commas from the others; it has %s",
				strings.Join(names, " or "), quoteNames(header))}
		}
	}
	return columns, nil
}

// place returns the place of a row, or the rule that it breaks in a column.
func (r *gazetteerReader) place(record []string, columns [placeColumns]int) (place index.GazetteerPlace, column int, rule string) {
	value := func(column int) cell {
		cells := make(row, 1)
		if columns[column] >= 0 {
			cells.set(0, record[columns[column]], textual)
		}
		return cells[0]
	}
	name := value(placeName)
	if rule := r.row.text(index.ColumnName, name); rule != "" {
		return place, placeName, rule
	}
	place.Name = strings.Clone(name.text)
	for _, number := range [...]struct {
		column int
		into   *float64
		like   *index.Column
	}{{placeLatitude, &place.At.Lat, &index.Columns[index.ColumnLatitude]}, {placeLongitude, &place.At.Lng, &index.Columns[index.ColumnLongitude]}} {
		given := value(number.column)
		if given.kind == missing {
			return place, number.column, "must be given"
		}
		if rule := r.row.decimal(number.into, given, number.like); rule != "" {
			return place, number.column, rule
		}
	}
	if population := value(placePopulation); population.kind != missing {
		number, ok := index.ParseDecimal([]byte(population.text))
		if !ok || number < 0 || math.IsInf(number, 0) {
			return place, placePopulation, "must be a number, 0 or more"
		}
		place.Population = number
	}
	return place, 0, ""
}
