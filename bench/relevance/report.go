package main

import (
	"fmt"
	"math"
	"strings"

	"pubd/bench/chart"
)

// A report is what was measured.
type report struct {
	snapshot      string
	source        string // of the names
	pubs, targets int
	columns       []string
	answers       map[string][]shares // by class or kind of stranger, in the order of the columns
	people        *people             // nil without questions of people
	keys          []int               // keystrokes, ascending
	rows          int                 // questions of each class for PostgreSQL
	postgres      string              // its version; "" if it was not measured
	without       string              // why it was not
}

// markdown returns the report as tables.
func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Relevance

`+"`go run ./bench/relevance`"+`: %s, %d pubs; %d names and the pubs that are meant (%s). Each cell is the share of questions
that have the pub among the first %d results, and first. Within 500 m the nearest come first, otherwise the best match (`+"`sort=relevance`"+`).
The same snapshot and names always give the same questions.

`, r.snapshot, r.pubs, r.targets, r.source, first)
	fmt.Fprintf(&b, "| name | questions | %s |\n|---|--:|%s\n", strings.Join(r.columns, " | "), strings.Repeat(":-:|", len(r.columns)))
	for _, class := range classes {
		row := r.answers[class.name]
		fmt.Fprintf(&b, "| %s | %d |", class.name, row[0].total)
		for _, s := range row {
			fmt.Fprintf(&b, " %s / %s |", share(s.found, s.total), share(s.first, s.total))
		}
		b.WriteString("\n")
	}
	if r.postgres != "" {
		fmt.Fprintf(&b, "\nPostgreSQL %s with pg_trgm gets the first %d questions of each class. It selects the most similar names (with the location if "+
			"there is no circle) above its similarity threshold.\n", r.postgres, r.rows)
	} else if r.without != "" {
		fmt.Fprintf(&b, "\nPostgreSQL was not measured: %s.\n", r.without)
	}
	b.WriteString("\n## Pubs that do not exist\n\nThe share of questions that have any result; lower is better.\n\n" +
		"| name | questions | within 5 km | name and place |")
	if r.postgres != "" {
		b.WriteString(" PostgreSQL within 5 km | PostgreSQL name and place |")
	}
	fmt.Fprintf(&b, "\n|---|--:|%s\n", strings.Repeat(":-:|", len(r.answers[strangerKinds[0]])))
	for _, kind := range strangerKinds {
		fmt.Fprintf(&b, "| %s | %d |", kind, r.answers[kind][0].total)
		for _, s := range r.answers[kind] {
			fmt.Fprintf(&b, " %s |", share(s.answered, s.total))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n## As you type\n\nKeystrokes until the pub is among %d suggestions, with `near` 1.5 km off, for %d names: median %d, nine out of ten %d.\n",
		suggested, len(r.keys), r.rank(0.5), r.rank(0.9))
	if r.people != nil {
		b.WriteString(r.people.markdown())
	}
	return b.String()
}

// rank returns how many keystrokes suffice for a share of the names.
func (r *report) rank(share float64) int {
	if len(r.keys) == 0 {
		return 0
	}
	return r.keys[int(math.Ceil(share*float64(len(r.keys))))-1]
}

func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	if part == whole {
		return "1.00"
	}
	return fmt.Sprintf(".%03d", 1000*part/whole) // rounded down: 1.00 means all
}

// chart draws the shares of targets among the first results, as SVG.
func (r *report) chart() string {
	bars := chart.Bars{Title: fmt.Sprintf("The right pub is among the first %d results", first), Unit: "% of the questions"}
	for _, class := range classes {
		bars.Labels = append(bars.Labels, class.name)
	}
	for column, name := range r.columns {
		series := chart.Series{Name: name}
		for _, class := range classes {
			s := r.answers[class.name][column]
			series.Values = append(series.Values, math.Round(1000*float64(s.found)/float64(max(1, s.total)))/10)
		}
		bars.Series = append(bars.Series, series)
	}
	return bars.SVG()
}
