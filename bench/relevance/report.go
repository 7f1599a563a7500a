package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"pubd/bench/chart"
)

// A report is what was measured.
type report struct {
	snapshot, source string
	pubs, pairs      int
	columns          []string
	answers          map[string][]shares // by class, or kind of strangers, in the order of the columns
	keys             []int               // sorted
	rows             int                 // questions of each class that PostgreSQL was asked
	postgres         string
	without          string // why it was not
}

// writeMarkdown writes the report as tables.
func (r *report) writeMarkdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Relevance

`+"`go run ./bench/relevance`"+`: %s, %d pubs; %d pairs of a name and the pub that is meant (%s). Each cell is the share of questions
that have the pub among the first %d, and first. Within 500 m (the point is 0.2 km off where names are the snapshot's own) the nearest
come first, otherwise the best match (`+"`sort=relevance`"+`). Everything is drawn by hashes: the same snapshot and pairs ask the same.

`, r.snapshot, r.pubs, r.pairs, r.source, first)
	fmt.Fprintf(&b, "| asked for by its name | questions | %s |\n|---|--:|%s\n", strings.Join(r.columns, " | "), strings.Repeat(":-:|", len(r.columns)))
	for _, class := range classes {
		row := r.answers[class.name]
		fmt.Fprintf(&b, "| %s | %d |", class.name, row[0].asked)
		for _, s := range row {
			fmt.Fprintf(&b, " %s / %s |", share(s.found, s.asked), share(s.first, s.asked))
		}
		b.WriteString("\n")
	}
	if r.postgres != "" {
		fmt.Fprintf(&b, "\nPostgreSQL %s with pg_trgm is asked the first %d questions of each class for the most similar names (with places, outside "+
			"of a circle) among those that it takes for similar at all.\n", r.postgres, r.rows)
	} else if r.without != "" {
		fmt.Fprintf(&b, "\nPostgreSQL was not measured: %s.\n", r.without)
	}
	b.WriteString("\n## Pubs that do not exist\n\nThe share of questions that are answered; the fewer the better.\n\n" +
		"| asked for | questions | within 5 km | name and place |")
	if r.postgres != "" {
		b.WriteString(" PostgreSQL within 5 km | PostgreSQL name and place |")
	}
	fmt.Fprintf(&b, "\n|---|--:|%s\n", strings.Repeat(":-:|", len(r.answers[strangerKinds[0]])))
	for _, kind := range strangerKinds {
		fmt.Fprintf(&b, "| %s | %d |", kind, r.answers[kind][0].asked)
		for _, s := range r.answers[kind] {
			fmt.Fprintf(&b, " %s |", share(s.answered, s.asked))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n## As you type\n\nKeys until the pub is among %d suggestions, with `near` 1.5 km off, of %d names: median %d, nine of ten %d.\n",
		suggested, len(r.keys), r.rank(0.5), r.rank(0.9))
	_, err := io.WriteString(out, b.String())
	return err
}

// rank returns how many keys a share of the names take at most.
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
	return fmt.Sprintf(".%03d", 1000*part/whole) // rounded down: 1.00 is all
}

// writeChart draws the shares among the first ten.
func (r *report) writeChart(out io.Writer) error {
	bars := chart.Bars{Title: fmt.Sprintf("The pub that is meant is among the first %d", first), Unit: "% of the questions"}
	for _, class := range classes {
		bars.Labels = append(bars.Labels, class.name)
	}
	for column, name := range r.columns {
		series := chart.Series{Name: name}
		for _, class := range classes {
			s := r.answers[class.name][column]
			series.Values = append(series.Values, math.Round(1000*float64(s.found)/float64(max(1, s.asked)))/10)
		}
		bars.Series = append(bars.Series, series)
	}
	_, err := io.WriteString(out, bars.SVG())
	return err
}
