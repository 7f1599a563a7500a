package loader

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPrinted is the number of wrong rows that a refusal lists.
const maxPrinted = 20

// maxShown is the number of characters of a value, or of a name, that a complaint shows.
const maxShown = 60

// Complaint tells what is wrong in one place of a file, as `pubs.csv:1042: latitude "91.3": must be from -90 to 90`.
type Complaint struct {
	// File is the name that the caller gave.
	File string
	// Line counts from 1 and is where the row begins; 0 means the file as a whole.
	Line int
	// Column is a column by its own name, not its alias, such as "latitude"; empty means the row as a whole.
	Column string
	// Value is what the file has there, at most 61 characters of it; empty means that there is nothing to show.
	Value string
	// Rule is what must be, in words that tell the fix.
	Rule string
	// UID is that of the row, at most 61 characters of it. It is empty unless [Options.ShowUIDs] asks for it, for a row without one, and where
	// the column is the UID itself.
	UID string
}

// Error returns the complaint in one line of printable characters.
func (c Complaint) Error() string {
	var b strings.Builder
	b.WriteString(Visible(c.File))
	if c.Line > 0 {
		fmt.Fprintf(&b, ":%d", c.Line)
	}
	b.WriteString(": ")
	b.WriteString(c.Column)
	if c.Column != "" && c.Value != "" {
		b.WriteByte(' ')
	}
	if c.Value != "" {
		b.WriteString(strconv.Quote(c.Value))
	}
	if c.Column != "" || c.Value != "" {
		b.WriteString(": ")
	}
	b.WriteString(c.Rule)
	if c.UID != "" {
		fmt.Fprintf(&b, " (UID %q)", c.UID)
	}
	return b.String()
}

// RefusedError tells why the content of a file is no snapshot to serve.
type RefusedError struct {
	// Hints tell what is likely to have caused the complaints, such as a misspelt column.
	Hints []Complaint
	// Complaints are the first 20 wrong rows, in order of line.
	Complaints []Complaint
	// WrongRows counts all wrong rows that were read.
	WrongRows int
	// Reason is what is wrong with the whole file, or what ended the reading; nil when the wrong rows are the reason.
	Reason *Complaint
}

// Error has a line for each hint and complaint, one that counts the wrong rows left out, and one for the reason.
func (e *RefusedError) Error() string {
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

// complaints keeps the first ones and counts all.
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

// shorten returns a copy of text, cut to maxShown characters.
func shorten(text string) string {
	at := 0
	for range maxShown {
		if at == len(text) {
			return strings.Clone(text)
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if at == len(text) {
		return strings.Clone(text)
	}
	return text[:at] + "…"
}

// Visible is text in which every character that is not printable is escaped, as in \x1b and \u202e: the name of a file may hold line
// breaks, and what moves the cursor of a terminal or turns the direction of writing. Applied again, it changes nothing.
func Visible(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }) < 0 {
		return text
	}
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

// printable is text cut like a value, with unprintable characters escaped, for a place where quotes would disturb. Only
// an empty text is quoted, to be seen.
func printable(text string) string {
	if text == "" {
		return `""`
	}
	quoted := strconv.Quote(shorten(text))
	return quoted[1 : len(quoted)-1]
}
