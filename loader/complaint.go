package loader

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPrinted is the maximum number of wrong rows in an error.
const maxPrinted = 20

// maxShown is the maximum number of characters of a value or name in a complaint.
const maxShown = 60

// A Complaint says what is wrong at one place of a file, such as `pubs.csv:1042: latitude "91.3": must be from -90 to
// 90`.
type Complaint struct {
	// File is the name passed by the caller.
	File string
	// Line is where the row begins, from 1; 0 means the file as a whole.
	Line int
	// Column is the name of the column, not its alias, such as "latitude"; empty means the whole row.
	Column string
	// Value is the value in the file, shortened to at most 61 characters; empty means that there is nothing to show.
	Value string
	// Rule is what is required, worded so that it says the fix.
	Rule string
	// UID is the UID of the row, at most 61 characters of it. It is empty unless [Options.ShowUIDs] is set or several
	// rows begin on one line, for a row without one, and if the column is the UID itself.
	UID string
}

// Error returns the complaint as one line of printable characters.
func (c Complaint) Error() string {
	line := Visible(c.File)
	if c.Line > 0 {
		line += fmt.Sprintf(":%d", c.Line)
	}
	what := c.Column
	if c.Value != "" {
		what = strings.TrimPrefix(what+" "+strconv.Quote(c.Value), " ")
	}
	if what != "" {
		line += ": " + what
	}
	line += ": " + c.Rule
	if c.UID != "" {
		line += fmt.Sprintf(" (UID %q)", c.UID)
	}
	return line
}

// complaint returns the complaint about a wrong row.
func (t *columnTable) complaint(file string, line int, f fault) Complaint {
	c := Complaint{File: file, Line: line, Value: Shorten(f.value), Rule: f.rule}
	if f.column != unknown {
		c.Column = t.names[f.column]
	}
	return c
}

// A RejectedError says why the content of a file cannot be served.
type RejectedError struct {
	// Hints name the likely causes of the complaints, such as a misspelt column.
	Hints []Complaint
	// Complaints has the first 20 wrong rows, in order of line.
	Complaints []Complaint
	// WrongRows is the number of all wrong rows that were read.
	WrongRows int
	// Reason is what is wrong with the whole file, or what ended the reading; nil if the wrong rows are the reason.
	Reason *Complaint
}

// Error has a line for each hint and complaint, one with the number of wrong rows left out, and one for the reason.
func (e *RejectedError) Error() string {
	var lines []string
	for _, hint := range e.Hints {
		lines = append(lines, hint.Error())
	}
	for _, complaint := range e.Complaints {
		lines = append(lines, complaint.Error())
	}
	if more := e.WrongRows - len(e.Complaints); more > 0 {
		rows := "rows"
		if more == 1 {
			rows = "row"
		}
		lines = append(lines, fmt.Sprintf("… and %d more wrong %s (%d in all)", more, rows, e.WrongRows))
	}
	if e.Reason != nil {
		lines = append(lines, e.Reason.Error())
	}
	return strings.Join(lines, "\n")
}

// complaints keeps the first complaints and counts all of them.
type complaints struct {
	kept  []Complaint
	count int
	keep  int
}

func (c *complaints) add(complaint Complaint) {
	c.count++
	if len(c.kept) < c.keep {
		c.kept = append(c.kept, complaint)
	}
}

// Shorten returns a copy of a text for a complaint, cut to 60 characters.
func Shorten(text string) string {
	characters := 0
	for at := range text {
		if characters++; characters > maxShown {
			return text[:at] + "…"
		}
	}
	return strings.Clone(text)
}

// Quoted returns the first 30 names, for a message.
func Quoted(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), 30)] {
		quoted = append(quoted, fmt.Sprintf("%q", Shorten(name)))
	}
	if more := len(names) - len(quoted); more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	return strings.Join(quoted, ", ")
}

// Reword returns an error with another text, in which errors.Is and errors.As find the same.
func Reword(err error, text string) error { return reworded{err, text} }

type reworded struct {
	error
	text string
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// Visible escapes every character of a text that is not printable, as in \x1b and \u202e: the name of a file may
// contain line breaks, terminal escapes and characters that change the direction of writing. It is idempotent.
func Visible(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if strconv.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(text[:size])
		} else {
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}
