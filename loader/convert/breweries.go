package convert

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pubd/loader"
)

type breweryColumn struct {
	column string
	from   []string
}

// breweryColumns maps columns of a snapshot to the members of Open Brewery DB that they come from, in its current or
// an earlier version: the first that is present.
var breweryColumns = withOtherMembers([]breweryColumn{
	{"UID", []string{"id"}},
	{"name", []string{"name"}},
	{"location", []string{"city"}},
	{"address", []string{"street", "address_1"}},
	{"postcode", []string{"postal_code"}},
	{"area", []string{"state_province", "state"}}, // and the country
	{"latitude", []string{"latitude"}},
	{"longitude", []string{"longitude"}},
	{"common_category", []string{"brewery_type"}},
})

// withOtherMembers appends the columns on request that are missing, with members of the same name like extra columns.
// Breweries have no other names.
func withOtherMembers(columns []breweryColumn) []breweryColumn {
	names := []string{"alt_names"}
	for _, c := range columns {
		names = append(names, c.column)
	}
	for _, name := range withOthers(names)[len(names):] {
		columns = append(columns, breweryColumn{name, []string{name, name + "_url"}})
	}
	return columns
}

// readBreweries reads Open Brewery DB, as returned by its API or as its CSV file.
func (d *draft) readBreweries(text []byte) *loader.Complaint {
	columns := make([]string, len(breweryColumns))
	for i, c := range breweryColumns {
		columns[i] = c.column
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		var header []string
		begin := func(names []string) *loader.Complaint {
			for _, name := range names {
				name = lowered(strings.TrimSpace(name))
				if header = append(header, name); !d.isOfBrewery(name) {
					d.result.Ignored = append(d.result.Ignored, strings.Trim(list([]string{name}), `"`))
				}
			}
			for _, needed := range []string{"id", "name"} {
				if !slices.Contains(header, needed) {
					return &loader.Complaint{Column: "column", Value: needed, Rule: "must be in the first line, which has " + list(names)}
				}
			}
			d.beginWithExtra(columns)
			return nil
		}
		return d.readRows(text, begin, func(line int, record []string) {
			d.addBrewery(line, func(name string) json.RawMessage {
				if at := slices.Index(header, name); at >= 0 && strings.TrimSpace(record[at]) != "" {
					return quoted(record[at])
				}
				return nil
			})
		})
	}
	if reason := valid(text); reason != nil {
		return reason
	}
	d.beginWithExtra(columns)
	_, reason := d.elements(text, "", func(line int, value json.RawMessage) {
		var brewery map[string]json.RawMessage
		if err := json.Unmarshal(value, &brewery); err != nil || brewery == nil {
			d.complain(line, "", string(value[:min(len(value), 4*maxShown)]), "must be an object, a brewery")
			return
		}
		d.addBrewery(line, func(name string) json.RawMessage { return brewery[name] })
	})
	return reason
}

// isOfBrewery reports whether a member of a brewery is used.
func (d *draft) isOfBrewery(name string) bool {
	for _, c := range breweryColumns {
		if slices.Contains(c.from, name) {
			return true
		}
	}
	return name == "country" || slices.ContainsFunc(d.extra, func(extra string) bool { return name == lowered(extra) || name == lowered(extra)+"_url" })
}

// addBrewery adds a brewery. The members that are present are not null.
func (d *draft) addBrewery(line int, member func(name string) json.RawMessage) {
	first := func(names ...string) json.RawMessage {
		for _, name := range names {
			if value := member(name); !isAbsent(value) {
				return value
			}
		}
		return nil
	}
	var values []json.RawMessage
	for _, c := range breweryColumns {
		value := first(c.from...)
		if c.column == "area" {
			if country := first("country"); isAbsent(value) {
				value = country
			} else if !isAbsent(country) {
				value = joined(", ", value, country)
			}
		}
		values = append(values, value)
	}
	for _, name := range d.extra {
		values = append(values, first(lowered(name), lowered(name)+"_url"))
	}
	d.addValues(line, values...)
}

func lowered(name string) string { return strings.ToLower(name) }

// joined joins the non-empty texts with a separator. If a value is not a text, it returns the first such value
// instead.
func joined(separator string, values ...json.RawMessage) json.RawMessage {
	var texts []string
	for _, value := range values {
		text, ok := plain(value)
		if !ok {
			return value
		}
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
	}
	return quoted(strings.Join(texts, separator))
}
