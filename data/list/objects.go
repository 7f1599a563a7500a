package list

import (
	"cmp"
	"fmt"
	"slices"

	"pubd/loader"
)

// maxColumns is the maximum number of columns, which are all the names that objects of a list have.
const maxColumns = 5000

// An object is a row whose cells have names.
type object struct {
	line          int
	names, values []string
	fault         *loader.Complaint
}

func (o *object) set(name, value string) {
	o.names, o.values = append(o.names, name), append(o.values, value)
}

// drop removes the cells with some names.
func (o *object) drop(names ...string) {
	kept := 0
	for i, name := range o.names {
		if !slices.Contains(names, name) {
			o.names[kept], o.values[kept] = name, o.values[i]
			kept++
		}
	}
	o.names, o.values = o.names[:kept], o.values[:kept]
}

// value returns the first value with a name that is not empty.
func (o *object) value(name string) string {
	for i, known := range o.names {
		if known == name && o.values[i] != "" {
			return o.values[i]
		}
	}
	return ""
}

// setObjects makes a table of objects. Its columns are all their names, in the order of their first appearance. each
// calls take with each object, in the same order at every call; the object may be reused.
func (l *List) setObjects(options Options, each func(take func(*object) bool) error) error {
	places := map[string]int{}
	kept := func(take func(*object) bool) error {
		clear(l.Skipped)
		err := each(func(o *object) bool {
			if l.stopped() != nil {
				return false
			}
			if options.Keep != nil && len(o.names) > 0 {
				if other := options.Keep(l.Form, o.value); other != "" {
					l.Skipped[other]++
					return true
				}
			}
			return take(o)
		})
		return cmp.Or(l.stopped(), err)
	}
	err := kept(func(o *object) bool {
		for _, name := range o.names {
			if _, known := places[name]; !known && len(places) <= maxColumns {
				places[name] = len(places)
				l.Columns = append(l.Columns, name)
			}
		}
		return true
	})
	switch {
	case err != nil:
		return err
	case len(places) > maxColumns:
		return fmt.Errorf("has more than %d names of members: is it a list of pubs? --list names the one to read", maxColumns)
	}
	l.read = func(take func(Row) bool) error {
		cells := make([]string, len(l.Columns))
		err := kept(func(o *object) bool {
			if o.fault != nil {
				return take(Row{Line: o.line, Fault: o.fault})
			}
			clear(cells)
			for i, name := range o.names {
				if at := places[name]; cells[at] == "" {
					cells[at] = o.values[i]
				}
			}
			return take(Row{Line: o.line, Cells: cells})
		})
		if err == nil {
			l.at(l.total)
		}
		return err
	}
	return nil
}
