package list

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"pubd/loader"
)

// openWorkbook opens a sheet of an Excel workbook. Below the header, all cells of a merged range have its value.
func (l *List) openWorkbook(content []byte) error {
	l.Form = XLSX
	most := min(maxExpanded, loader.MostExpanded(int64(len(content))))
	book, err := excelize.OpenReader(bytes.NewReader(content), excelize.Options{RawCellValue: true,
		ShortDatePattern: "yyyy-mm-dd", UnzipSizeLimit: most, UnzipXMLSizeLimit: most})
	if err != nil {
		return fmt.Errorf("is a workbook that cannot be read: %w: save it again as .xlsx, without a password, or as CSV", err)
	}
	if shared, found := book.Pkg.Load("xl/sharedStrings.xml"); found && hasLongString(shared.([]byte)) {
		return errors.New("has a text longer than 256 KiB, which Excel does not allow: is it a list of pubs?")
	}
	sheets := book.GetSheetList()
	if len(sheets) == 0 {
		return fmt.Errorf("is a workbook without sheets: save it again")
	}
	sheets = slices.Concat(visible(book, sheets, true), visible(book, sheets, false))
	sheet := l.options.Sheet
	if sheet == "" {
		sheet = bestSheet(book, sheets, l.options.Known)
	} else if !slices.Contains(sheets, sheet) {
		return fmt.Errorf("has no sheet %q: --sheet must be one of %s", loader.Shorten(sheet), loader.Quoted(sheets))
	}
	first, err := firstOf(book, sheet)
	if err != nil {
		return err
	}
	if len(first) == 0 {
		return fmt.Errorf("sheet %q is empty: choose one with --sheet, of %s", loader.Shorten(sheet), loader.Quoted(sheets))
	}
	header, _ := headerOf(first, l.options.Known)
	l.setHeader(first[header])
	read := []string{sheet}
	headers := map[string]record{sheet: first[header]}
	for _, other := range visible(book, sheets, true) {
		if r, ok := l.headerAlike(book, other); ok && l.options.Sheet == "" && other != sheet {
			read, headers[other] = append(read, other), r
		}
	}
	switch {
	case len(read) > 1:
		l.Found = append(l.Found, "as one, sheets "+loader.Quoted(read))
	case len(sheets) > 1:
		l.Found = append(l.Found, fmt.Sprintf("sheet %q of %s", loader.Shorten(sheet), loader.Quoted(sheets)))
	}
	if header > 0 {
		l.Found = append(l.Found, fmt.Sprintf("header in row %d", l.Header))
	}
	for _, sheet := range read {
		before := len(l.rows)
		if err := l.openSheet(book, sheet, headers[sheet]); err != nil {
			return err
		}
		for i := before; i < len(l.rows) && len(read) > 1; i++ {
			if r := &l.rows[i]; r.fault == nil {
				r.fields, r.cells = append(r.fields, int32(len(l.Columns))), append(r.cells, sheet)
			}
		}
	}
	if len(read) > 1 {
		l.Columns = append(l.Columns, "sheet")
	}
	return nil
}

// visible returns the sheets that are shown, or those that are hidden.
func visible(book *excelize.File, sheets []string, want bool) (found []string) {
	for _, sheet := range sheets {
		if is, err := book.GetSheetVisible(sheet); err == nil && is == want {
			found = append(found, sheet)
		}
	}
	return found
}

// headerAlike returns the header of a sheet if it has the columns of the list, in any order.
func (l *List) headerAlike(book *excelize.File, sheet string) (header record, ok bool) {
	first, err := firstOf(book, sheet)
	if err != nil || len(first) == 0 {
		return record{}, false
	}
	at, _ := headerOf(first, l.options.Known)
	other := List{}
	other.setHeader(first[at])
	return first[at], slices.Equal(slices.Sorted(slices.Values(other.Columns)), slices.Sorted(slices.Values(l.Columns)))
}

// openSheet adds the rows of a sheet below its header.
func (l *List) openSheet(book *excelize.File, sheet string, header record) error {
	merged, err := l.mergedIn(book, sheet)
	if err != nil {
		return fmt.Errorf("sheet %q: %w", loader.Shorten(sheet), err)
	}
	return readSheet(book, sheet, func(r record) bool {
		if r.line <= header.line {
			return true
		}
		fillMerged(&r, merged, len(l.Columns))
		if r.cells = inOrder(r.cells, header.cells, l.Columns); !l.isRepeated(r.cells) {
			l.addRecord(r)
		}
		return true
	})
}

// inOrder returns cells of columns with some names in the order that the names are wanted in. Cells beyond stay there.
func inOrder(cells, names, want []string) []string {
	ordered := make([]string, max(len(cells), len(want)))
	for i, cell := range cells {
		at := i
		if name := strings.TrimSpace(names[min(i, len(names)-1)]); i < len(names) && want[i] != name {
			at = slices.Index(want, name)
		}
		ordered[at] = cell
	}
	return ordered
}

// endOfString matches the end of a text that cells share.
var endOfString = regexp.MustCompile(`</(?:\w+:)?si>`)

// hasLongString reports whether one of the texts that cells share is longer than a cell of Excel may be, which is
// 32,767 characters. Each cell with it takes a copy.
func hasLongString(shared []byte) bool {
	const most = 256 << 10
	for len(shared) > most {
		end := endOfString.FindIndex(shared[:most])
		if end == nil {
			return true
		}
		shared = shared[end[1]:]
	}
	return false
}

// The empty cells that the rows of a sheet may have: each row some, and all together more. A row takes as long as it is
// wide, whatever it has.
const (
	maxBlank  = 1000
	moreBlank = 4 << 20
)

// A mergedRange of a sheet. Rows and columns are from 1.
type mergedRange struct {
	left, top, right, bottom int
	value                    string // of its first cell, once that has been read
}

// fillMerged gives the cells of a row that are in merged ranges their values. A range that is as wide as the list is a title.
func fillMerged(r *record, ranges []mergedRange, width int) {
	for i := range ranges {
		m := &ranges[i]
		if r.line < m.top || r.line > m.bottom || m.left == 1 && m.right >= width {
			continue
		}
		if r.line == m.top && m.left <= len(r.cells) {
			m.value = r.cells[m.left-1]
		}
		right := min(m.right, width)
		r.cells = append(r.cells, make([]string, max(0, right-len(r.cells)))...)
		for column := m.left; column <= right && m.value != ""; column++ {
			r.cells[column-1] = m.value
		}
	}
}

// mergedIn returns the merged ranges of a sheet. In a large workbook, where to find them takes more memory than to read
// it, they are left as they are stored, and so are very many.
func (l *List) mergedIn(book *excelize.File, sheet string) (ranges []mergedRange, err error) {
	const maxMerged, maxSize = 1000, 64 << 20
	size, count := 0, 0
	book.Pkg.Range(func(name, content any) bool {
		if part, ok := content.([]byte); ok && strings.HasPrefix(name.(string), "xl/worksheets/") {
			size, count = size+len(part), count+bytes.Count(part, []byte("mergeCell "))
		}
		return true
	})
	if count == 0 {
		return nil, nil
	}
	if count > maxMerged || size > maxSize {
		l.Found = append(l.Found, "merged cells with a value in the first one only")
		return nil, nil
	}
	cells, err := book.GetMergeCells(sheet, true)
	for _, cell := range cells {
		var r mergedRange
		var start, end error
		r.left, r.top, start = excelize.CellNameToCoordinates(cell.GetStartAxis())
		r.right, r.bottom, end = excelize.CellNameToCoordinates(cell.GetEndAxis())
		if start == nil && end == nil {
			ranges = append(ranges, r)
		}
	}
	return ranges, err
}

// asShown matches a number as a sheet shows it, if that says more than the number: a percentage, leading zeros, a date, a
// time or a ratio.
var asShown = regexp.MustCompile(`^-?[0-9.,]+ ?%$|^0[0-9]|[0-9] ?[-/:] ?[0-9]|[0-9]\.[0-9]+\.[0-9]|[0-9][- ]\pL+[- ][0-9]`)

// readSheet calls take with each row of a sheet that is not empty. Numbers have the value that is stored, with all its
// digits, unless what the sheet shows matches asShown.
func readSheet(book *excelize.File, sheet string, take func(record) bool) error {
	rows, err := book.Rows(sheet)
	if err != nil {
		return fmt.Errorf("sheet %q: %w", loader.Shorten(sheet), err)
	}
	defer rows.Close()
	shown, err := book.Rows(sheet)
	if err != nil {
		return fmt.Errorf("sheet %q: %w", loader.Shorten(sheet), err)
	}
	defer shown.Close()
	spare := moreBlank
	for line := 1; rows.Next() && shown.Next(); line++ {
		cells, err := rows.Columns()
		if err != nil {
			return fmt.Errorf("sheet %q, row %d: %w", loader.Shorten(sheet), line, err)
		}
		texts, err := shown.Columns(excelize.Options{})
		if err != nil {
			return fmt.Errorf("sheet %q, row %d: %w", loader.Shorten(sheet), line, err)
		}
		for i, text := range texts[:min(len(texts), len(cells))] {
			if text != cells[i] && asShown.MatchString(text) {
				cells[i] = text
			}
		}
		length := 0
		for _, cell := range cells {
			length += len(cell)
		}
		if length > maxRow {
			return faultf(line, "a row is longer than 16 MiB: is it a list of pubs?")
		}
		n := filled(cells)
		if n == 0 {
			continue
		}
		if spare += maxBlank - (len(cells) - n); spare < 0 {
			return faultf(line, "rows have more than %d empty cells: delete the columns far to the right of the list", maxBlank)
		}
		if !take(record{line: line, cells: cells}) {
			return nil
		}
	}
	return rows.Error()
}

// firstOf returns the first rows of a sheet.
func firstOf(book *excelize.File, sheet string) (first []record, err error) {
	err = readSheet(book, sheet, func(r record) bool {
		first = append(first, r)
		return len(first) < headerRows
	})
	return first, err
}

// bestSheet returns the first sheet if its header has a name that is known, otherwise the one with the most such names,
// at least two; the first if none has.
func bestSheet(book *excelize.File, sheets []string, known func(string) bool) string {
	best, most := sheets[0], 1
	for i, sheet := range sheets {
		first, err := firstOf(book, sheet)
		if err != nil {
			continue
		}
		switch _, names := headerOf(first, known); {
		case i == 0 && names > 0:
			return sheet
		case names > most:
			best, most = sheet, names
		}
	}
	return best
}
