package query

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index/schema"
)

// A Column is an extra column of a snapshot by which answers can filter. It is a parameter of its name, and two with min_
// and max_ before it, which are errors unless it is one of numbers. One without a name has none.
type Column struct {
	Name     string
	IsNumber bool
}

// Columns are the extra columns of snapshots.
type Columns interface {
	// Of returns those of the snapshot with an ID, or of the one being served for nil, in the order of the facets from
	// [schema.ExtraFacet] on. It is a fault if the snapshot is not available.
	Of(snapshot []byte) ([]Column, fault.Fault)
}

var columnName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// CheckColumn returns an error if a column cannot be a parameter of its name.
func CheckColumn(name string) error {
	if !columnName.MatchString(name) {
		return fmt.Errorf("column %q: a parameter of its name has at most 64 letters, digits, dots, _ and -, a letter first", name)
	}
	if strings.HasPrefix(name, params.Least) || strings.HasPrefix(name, params.Most) {
		return fmt.Errorf("column %q: %s and %s begin the limits of columns of numbers: name the column differently", name, params.Least, params.Most)
	}
	for _, parameter := range []string{name, params.Least + name, params.Most + name} {
		if p, taken := params.ByName[parameter]; taken {
			return fmt.Errorf("column %q: the API has a parameter %s already: name the column differently", name, p)
		}
	}
	return nil
}

// A columnValue is a value of a parameter of an extra column.
type columnValue struct {
	pair
	column int
	before string // least, most or nothing
}

// takeColumns takes the parameters of extra columns from those that are unknown. An empty one counts only when it is
// repeated.
func (p *Params) takeColumns() {
	q := p.values
	unknown := q.unknown[:0]
	for _, given := range q.unknown {
		value, known := p.columnOf(given)
		switch {
		case !known:
			unknown = append(unknown, given)
		case slices.ContainsFunc(p.byColumn, func(other columnValue) bool { return bytes.Equal(other.name, given.name) }):
			p.repeated = cmp.Or(p.repeated, string(given.name))
		default:
			p.byColumn = append(p.byColumn, value)
		}
	}
	q.unknown = unknown
	p.byColumn = slices.DeleteFunc(p.byColumn, func(v columnValue) bool { return len(bytes.TrimSpace(v.value)) == 0 })
}

// columnOf returns which extra column a parameter filters by.
func (p *Params) columnOf(given pair) (value columnValue, known bool) {
	for i, column := range p.columns {
		name, before := string(given.name), ""
		if bytes.HasPrefix(given.name, []byte(params.Least)) || bytes.HasPrefix(given.name, []byte(params.Most)) {
			before, name = name[:len(params.Least)], name[len(params.Least):]
		}
		if column.Name != "" && name == column.Name {
			return columnValue{given, i, before}, true
		}
	}
	return columnValue{}, false
}

// parseColumns parses the parameters of extra columns.
func (p *Params) parseColumns() fault.Fault {
	for _, given := range p.byColumn {
		facet := schema.ExtraFacet + schema.Facet(given.column)
		if given.before == "" {
			p.lists = append(p.lists, list{facet, given.value})
			continue
		}
		if column := p.columns[given.column]; !column.IsNumber {
			return fault.Fault{Row: fault.InvalidParameter, Parameter: string(given.name), Rule: "needs a column of numbers, and " + column.Name + " has texts in this snapshot",
				Hint: "columns of numbers are " + params.Listed(p.numberNames())}
		}
		limit, ok := schema.ParseDecimal(given.value)
		if !ok {
			return fault.Fault{Row: fault.InvalidParameter, Parameter: string(given.name), Rule: "must be a number"}
		}
		p.addLimit(schema.ExtraNumber+schema.Number(given.column), limit, given.before == params.Most)
	}
	return fault.Fault{}
}

// withColumns returns names and those of the extra columns.
func (p *Params) withColumns(names []string) []string {
	names = slices.Clip(names)
	for _, column := range p.columns {
		if column.Name != "" {
			names = append(names, column.Name)
		}
	}
	return names
}

// FacetName returns the name of a facet in responses.
func (p *Params) FacetName(f schema.Facet) string {
	if f >= schema.ExtraFacet {
		return p.columns[f-schema.ExtraFacet].Name
	}
	return f.String()
}

// NumberName returns the name of a number in responses.
func (p *Params) NumberName(n schema.Number) string {
	if n >= schema.ExtraNumber {
		return p.columns[n-schema.ExtraNumber].Name
	}
	return n.String()
}
