package loader

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/index/schema"
	"pubd/index/text"
)

// column is the position of a known column of a snapshot file in [schema.Columns], and indexes [row]. The extra columns
// that the operator keeps follow those, in their order.
type column int8

const unknown column = -1

func (c column) kind() schema.Kind {
	if c >= schema.ColumnCount {
		return schema.Text
	}
	return schema.Columns[c].Kind
}

// isLenient reports whether a value that breaks a rule is left out, instead of rejecting its row.
func (c column) isLenient() bool { return c >= schema.ColumnCount || schema.Columns[c].Lenient }

// namesOf returns the name of a standard column, followed by its aliases.
func namesOf(c column) []string {
	return append([]string{schema.Columns[c].Name}, schema.Columns[c].Aliases...)
}

// Columns returns the names of the standard columns of a snapshot file, such as "UID".
func Columns() []string {
	names := make([]string, schema.ColumnCount)
	for c := range names {
		names[c] = schema.Columns[c].Name
	}
	return names
}

// ColumnName returns the standard column that a name or alias, in any case, stands for, such as "longitude" for "LON";
// empty if there is none.
func ColumnName(name string) string {
	if c := newColumnTable(nil).find(name); c != unknown {
		return schema.Columns[c].Name
	}
	return ""
}

// KindOf returns the kind of a column, named as in Columns; an extra one has texts.
func KindOf(name string) schema.Kind {
	for c := range schema.Columns {
		if schema.Columns[c].Name == name {
			return schema.Columns[c].Kind
		}
	}
	return schema.Text
}

const (
	// MaxExtra is the maximum number of extra columns.
	MaxExtra = schema.MaxExtra
	// maxExtraName is the maximum length of the name of an extra column, in bytes.
	maxExtraName = 64
)

// CheckExtra returns an error if the extra columns are not valid.
func CheckExtra(columns []schema.ExtraColumn) error {
	if len(columns) > MaxExtra {
		return fmt.Errorf("has %d columns: must have at most %d", len(columns), MaxExtra)
	}
	facets := 0
	for i, column := range columns {
		name := column.Name()
		if column.IsFacet() {
			facets++
		}
		switch {
		case facets > schema.MaxExtraFacets:
			return fmt.Errorf("column %q: at most %d columns can be facets", name, schema.MaxExtraFacets)
		case strings.HasPrefix(name, schema.FacetPrefix):
			return fmt.Errorf("column %q: its name must not begin with %s", name, schema.FacetPrefix)
		case name == "" || len(name) > maxExtraName:
			return fmt.Errorf("column %q: its name must have 1 to %d bytes", name, maxExtraName)
		case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
			return fmt.Errorf("column %q: its name must be valid UTF-8 without control characters", name)
		case ColumnName(name) != "":
			return fmt.Errorf("column %q: is a column that pubd knows, and shows without --extra: leave it out", name)
		case newColumnTable(columns[:i]).find(name) != unknown:
			return fmt.Errorf("column %q: must be named once", name)
		}
	}
	return nil
}

// columnTable looks up columns by name.
type columnTable struct {
	names  []string // by column
	byName map[string]column
}

// newColumnTable returns the table of the standard columns and of extra ones, whose names have passed CheckExtra.
func newColumnTable(extra []schema.ExtraColumn) *columnTable {
	t := &columnTable{names: Columns(), byName: map[string]column{}}
	for _, c := range extra {
		t.names = append(t.names, c.Name())
	}
	for c, name := range t.names {
		t.byName[strings.ToLower(name)] = column(c)
	}
	for c := range column(schema.ColumnCount) {
		for _, alias := range namesOf(c) {
			t.byName[strings.ToLower(alias)] = c
		}
	}
	return t
}

// find returns the column with a name or alias, in any case.
func (t *columnTable) find(name string) column {
	if len(name) > maxExtraName {
		return unknown
	}
	if c, ok := t.byName[strings.ToLower(name)]; ok {
		return c
	}
	return unknown
}

// newRow returns an empty row.
func (t *columnTable) newRow() row { return make(row, len(t.names)) }

// PlainName returns the letters and digits of a column's name, in lower case and without accents: "Název" and "nazev",
// "addr:city" and "Addr City" are the same name.
func PlainName(name string) string {
	if len(name) > 4*maxExtraName {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, string(text.AppendFolded(nil, []byte(name))))
}
