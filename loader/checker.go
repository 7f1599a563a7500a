package loader

import (
	"strconv"

	"pubd/index/schema"
)

// A Checker applies the rules of a snapshot to rows, for a program that writes one: what it accepts, Load does. It is
// used by one goroutine.
type Checker struct {
	columns *columnTable
	places  []column
	cells   row
	reader  rowReader
	counts  bool // there is a column review_count
}

// NewChecker returns a checker of rows with some columns: those of [Columns], and extra ones that have passed
// [CheckExtra].
func NewChecker(columns, extra []string) *Checker {
	table := newColumnTable(schema.ExtraColumns(extra))
	c := &Checker{columns: table, cells: table.newRow()}
	for _, name := range columns {
		place := table.find(name)
		c.places = append(c.places, place)
		c.counts = c.counts || place == schema.ColumnReviewCount
	}
	return c
}

// Check returns the pub of a row, and what is wrong with it: a rule that is empty if nothing is, and the column and the
// value that it is about. It does not know whether the UID repeats.
func (c *Checker) Check(cells []string) (pub schema.Pub, wrong Complaint) {
	for i, place := range c.places {
		c.cells.set(place, cells[i], textual)
	}
	made, fault := c.reader.pub(c.cells)
	for _, leftOut := range c.reader.leftOut {
		fault = leftOut
	}
	if fault.rule != "" {
		return pub, c.columns.complaint("", 0, fault)
	}
	if c.counts && made.ReviewCount == 0 {
		for metric, rating := range made.Ratings {
			if rating > 0 {
				return *made, Complaint{Column: schema.Metric(metric).String(), Value: strconv.FormatFloat(rating, 'g', -1, 64), Rule: ruleUnreviewed}
			}
		}
	}
	return *made, Complaint{}
}

// ruleUnreviewed is the rule of ratings without reviews.
const ruleUnreviewed = "must be empty or 0 where review_count is 0 or missing"
