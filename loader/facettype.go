package loader

import "pubd/index/schema"

// A facetType is what values an extra column has that is a facet without a declared type.
type facetType struct{ numbers, texts bool }

// noteTypes notes the values of a pub.
func (d *draft) noteTypes(pub *schema.Pub) {
	for i, value := range pub.Extra {
		if t := &d.types[i]; value != "" && !t.texts {
			_, isNumber := schema.ParseDecimal([]byte(value))
			t.numbers, t.texts = t.numbers || isNumber, !isNumber
		}
	}
}

// typesFound returns the columns that are facets without a declared type, with that of their values.
func (d *draft) typesFound() (columns []string) {
	for i, column := range d.extra {
		if !column.IsFacet() || column.Type() != "" {
			continue
		}
		found := schema.TextType
		if d.types[i] == (facetType{numbers: true}) {
			found = schema.NumberType
		}
		columns = append(columns, column.Name()+found)
	}
	return columns
}
