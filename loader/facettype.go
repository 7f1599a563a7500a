package loader

import (
	"fmt"

	"pubd/index"
)

// A facetType counts the values of an extra column that is a facet without a declared type: numbers, and other texts, of
// which it has the first.
type facetType struct {
	numbers, texts int
	first          Complaint
}

// noteTypes counts the values of a pub.
func (d *draft) noteTypes(pub *index.Pub, line int) {
	for i, value := range pub.Extra {
		column, t := d.extra[i], &d.types[i]
		if value == "" || !column.IsFacet() || column.Type() != "" {
			continue
		}
		if _, ok := index.ParseDecimal([]byte(value)); ok {
			t.numbers++
		} else if t.texts++; t.texts == 1 {
			t.first = Complaint{File: d.file, Line: line, Column: column.Name(), Value: Shorten(value), UID: Shorten(pub.UID)}
		}
	}
}

// typeHints returns hints about texts in columns in which most values are numbers.
func (d *draft) typeHints() (list []Complaint) {
	for i, t := range d.types {
		if 0 < t.texts && t.texts < t.numbers {
			t.first.Rule = fmt.Sprintf("is no number, unlike most values, so the column has texts and no limits: --facet %s%s leaves out what is none",
				d.extra[i].Name(), index.NumberType)
			list = append(list, t.first)
		}
	}
	return d.shown(list)
}

// typesFound returns the columns that are facets without a declared type, with that of their values.
func (d *draft) typesFound() (columns []string) {
	for i, column := range d.extra {
		if !column.IsFacet() || column.Type() != "" {
			continue
		}
		found := index.TextType
		if t := &d.types[i]; t.numbers > 0 && t.texts == 0 {
			found = index.NumberType
		}
		columns = append(columns, column.Name()+found)
	}
	return columns
}
