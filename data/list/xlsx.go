package list

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/xuri/excelize/v2"

	"pubd/loader"
)

// openWorkbook opens a sheet of an Excel workbook. Cells have the values that are stored, not as they are shown.
func (l *List) openWorkbook(content []byte) error {
	l.Form = XLSX
	most := min(maxExpanded, loader.MostExpanded(int64(len(content))))
	book, err := excelize.OpenReader(bytes.NewReader(content), excelize.Options{RawCellValue: true, UnzipSizeLimit: most, UnzipXMLSizeLimit: most})
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
	sheet := sheets[0]
	if l.options.Sheet != "" {
		if sheet = l.options.Sheet; !slices.Contains(sheets, sheet) {
			return fmt.Errorf("has no sheet %q: --sheet must be one of %s", loader.Shorten(sheet), Quoted(sheets))
		}
	}
	if len(sheets) > 1 {
		l.Found = append(l.Found, fmt.Sprintf("sheet %q of %s", loader.Shorten(sheet), Quoted(sheets)))
	}
	first, err := firstOf(book, sheet)
	if err != nil {
		return err
	}
	if len(first) == 0 {
		return fmt.Errorf("sheet %q is empty: choose one with --sheet, of %s", loader.Shorten(sheet), Quoted(sheets))
	}
	header, names := headerOf(first, l.options.Known)
	l.setHeader(first[header])
	if l.options.Sheet == "" && names == 0 {
		l.Better = betterSheet(book, sheets[1:], l.options.Known)
	}
	if header > 0 {
		l.Found = append(l.Found, fmt.Sprintf("header in row %d", l.Header))
	}
	err = readSheet(book, sheet, func(r record) bool {
		if r.line > l.Header && !l.isRepeated(r.cells) {
			if extra := len(r.cells) - len(l.Columns); extra > 0 && filled(r.cells[len(l.Columns):]) > 0 {
				l.addFault(&loader.Complaint{Line: r.line, Rule: fmt.Sprintf("has %d cells, the header has %d: name every column", len(r.cells), len(l.Columns))})
			} else {
				l.addCells(r.line, r.cells[:min(len(r.cells), len(l.Columns))])
			}
		}
		return l.ctx.Err() == nil
	})
	return cmp.Or(l.ctx.Err(), err)
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

// readSheet calls take with each row of a sheet that is not empty.
func readSheet(book *excelize.File, sheet string, take func(record) bool) error {
	rows, err := book.Rows(sheet)
	if err != nil {
		return fmt.Errorf("sheet %q: %w", loader.Shorten(sheet), err)
	}
	defer rows.Close()
	spare := moreBlank
	for line := 1; rows.Next(); line++ {
		cells, err := rows.Columns()
		if err != nil {
			return fmt.Errorf("sheet %q, row %d: %w", loader.Shorten(sheet), line, err)
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

// betterSheet returns the sheet whose header has the most names that are known, at least two; empty if none has.
func betterSheet(book *excelize.File, sheets []string, known func(string) bool) (best string) {
	most := 1
	for _, sheet := range sheets {
		first, err := firstOf(book, sheet)
		if err != nil {
			continue
		}
		if _, names := headerOf(first, known); names > most {
			best, most = sheet, names
		}
	}
	return best
}
