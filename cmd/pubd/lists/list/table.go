package list

import (
	"fmt"
	"slices"
	"strings"

	"pubd/loader"
)

// headerRows is in how many of the first rows the header may be: titles, dates and notes stand above it.
const headerRows = 20

// A record is a row of cells, before it is known what they mean.
type record struct {
	line  int
	cells []string
}

// headerOf returns the position of the header in the first rows of a table, and how many of its names are known. It is
// the row with the most names that are known, at least two if it is not the first; and where none are, the first row
// that has most of the cells of the others.
func headerOf(records []record, known func(string) bool) (header, names int) {
	widths := map[int]int{}
	most := 0 // the commonest number of cells
	for _, r := range records {
		width := filled(r.cells)
		if widths[width]++; widths[width] > widths[most] || widths[width] == widths[most] && width > most {
			most = width
		}
	}
	header = -1
	for i, r := range records {
		found := map[string]bool{}
		for _, cell := range r.cells {
			if cell = strings.TrimSpace(cell); cell != "" && known != nil && known(cell) {
				found[strings.ToLower(cell)] = true
			}
		}
		switch n := len(found); {
		case n > names && (n > 1 || header < 0):
			header, names = i, n
		case header < 0 && names == 0 && 5*filled(r.cells) >= 3*most && filled(r.cells) > 0:
			header = i
		}
	}
	return max(header, 0), names
}

// filled counts the cells that are not empty.
func filled(cells []string) (n int) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// setHeader takes the names of the columns.
func (l *List) setHeader(header record) {
	l.Header = header.line
	l.Columns = nil
	for _, name := range header.cells {
		l.Columns = append(l.Columns, strings.TrimSpace(name))
	}
}

// addRecord adds a row of a table in which cells may lack at the end.
func (l *List) addRecord(r record) {
	if len(r.cells) > len(l.Columns) && filled(r.cells[len(l.Columns):]) > 0 {
		l.addFault(&loader.Complaint{Line: r.line, Rule: fmt.Sprintf("has %d cells, the header has %d: name every column", len(r.cells), len(l.Columns))})
		return
	}
	l.addCells(r.line, r.cells[:min(len(r.cells), len(l.Columns))])
}

// isRepeated reports whether a row is the header again, as where printed pages were joined.
func (l *List) isRepeated(cells []string) bool {
	return len(cells) == len(l.Columns) && slices.EqualFunc(cells, l.Columns, func(cell, name string) bool { return strings.TrimSpace(cell) == name })
}
