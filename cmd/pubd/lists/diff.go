package lists

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pubd/cmd/pubd/cli"
	"pubd/index"
	"pubd/loader"
)

// Diff is the command that compares two snapshots.
type Diff struct {
	JSON bool   `name:"json" help:"Write a JSON object with the counts and every difference."`
	Old  string `arg:"" name:"old" predictor:"file" help:"A snapshot: CSV, JSON or NDJSON, plain, .gz or .zst."`
	New  string `arg:"" name:"new" predictor:"file" help:"The snapshot to compare with it."`
}

// Run writes the differences. It returns [cli.ErrReported] if there are any, and [cli.ErrTrouble] for an error.
func (c *Diff) Run(t cli.Terminal) error {
	difference, err := c.Compare(t)
	if err == nil {
		err = c.write(t.Out, difference)
	}
	switch {
	case err != nil:
		fmt.Fprintln(t.Err, "pubd:", err)
		return cli.ErrTrouble
	case !difference.IsEmpty():
		return cli.ErrReported
	}
	return nil
}

// Compare reads the snapshots and returns their differences.
func (c *Diff) Compare(t cli.Terminal) (*Difference, error) {
	before, err := readDirectory(t, c.Old)
	if err != nil {
		return nil, err
	}
	after, err := readDirectory(t, c.New)
	if err != nil {
		return nil, err
	}
	bar := cli.NewProgress(t.Err, "comparing", false)
	defer bar.Finish()
	return compare(before, after), nil
}

func readDirectory(t cli.Terminal, file string) (*index.Directory, error) {
	bar := cli.NewProgress(t.Err, "reading "+file, true)
	defer bar.Finish()
	loaded, err := loader.LoadFile(file, loader.Options{Progress: bar.Show})
	if err != nil {
		return nil, err
	}
	return &loaded.Directory, nil
}

func (c *Diff) write(w io.Writer, d *Difference) error {
	var b strings.Builder
	if c.JSON {
		if err := writeJSON(&b, d); err != nil {
			return err
		}
	} else {
		c.summarise(&b, d)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// summarise writes the number of differences, and some of each kind.
func (c *Diff) summarise(w io.Writer, d *Difference) {
	fmt.Fprintf(w, "%s: %s pubs\n%s: %s pubs\n", loader.Visible(c.Old), cli.Grouped(d.Counts.Old), loader.Visible(c.New), cli.Grouped(d.Counts.New))
	if d.Counts.Nudged > 0 {
		fmt.Fprintf(w, "%s pubs moved by %d m or less, which does not count\n", cli.Grouped(d.Counts.Nudged), moveTolerance)
	}
	if d.IsEmpty() {
		fmt.Fprintln(w, "no differences")
		return
	}
	fmt.Fprintf(w, "%s added, %s removed, %s moved, %s renamed, %s ratings changed, %s other members changed\n", cli.Grouped(len(d.Added)),
		cli.Grouped(len(d.Removed)), cli.Grouped(len(d.Moved)), cli.Grouped(len(d.Renamed)), cli.Grouped(len(d.Ratings)), cli.Grouped(len(d.Other)))
	if d.ReviewCounts != nil {
		counting := c.Old
		if d.ReviewCounts.New {
			counting = c.New
		}
		fmt.Fprintf(w, "only %s has a column review_count: without one, a pub with any rating is rated\n", loader.Visible(counting))
	}
	section(w, "added", d.Added, pubRef.String)
	section(w, "removed", d.Removed, pubRef.String)
	section(w, "moved", d.Moved, func(m move) string { return fmt.Sprintf("%s: %s", m.pubRef, length(m.Metres)) })
	section(w, "renamed", d.Renamed, func(c change) string { return fmt.Sprintf("%s: was %v", c.pubRef, c.Old) })
	section(w, "ratings changed"+byName(d.Counts.Ratings), d.Ratings, change.String)
	section(w, "other members changed"+byName(d.Counts.Other), d.Other, change.String)
}

// section writes the differences of a kind, if there are any.
func section[T any](w io.Writer, kind string, all []T, show func(T) string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s %s\n", cli.Grouped(len(all)), kind)
	for _, one := range all[:min(len(all), MaxExamples)] {
		fmt.Fprintf(w, "  %s\n", loader.Visible(show(one)))
	}
	if more := len(all) - MaxExamples; more > 0 {
		fmt.Fprintf(w, "  … and %s more (--json has them)\n", cli.Grouped(more))
	}
}

// byName returns counts in parentheses, ordered by name.
func byName(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, name+" "+cli.Grouped(counts[name]))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// length returns a length in metres, or in kilometres from 1 km on.
func length(metres float64) string {
	if metres < 1000 {
		return fmt.Sprintf("%.1f m", metres)
	}
	return fmt.Sprintf("%.1f km", metres/1000)
}

// String returns the pub as people know it, such as "24 Anchor Inn, Dedham".
func (b pubRef) String() string {
	if b.Location == "" {
		return b.UID + " " + b.Name
	}
	return b.UID + " " + b.Name + ", " + b.Location
}

// String returns the member and its values.
func (c change) String() string {
	return fmt.Sprintf("%s: %s %s, was %s", c.pubRef, c.Member, shown(c.New), shown(c.Old))
}

// shown returns a value as text.
func shown(value any) string {
	switch value := value.(type) {
	case nil:
		return "missing"
	case [2]float64:
		return fmt.Sprintf("%v, %v", value[0], value[1])
	}
	return fmt.Sprint(value)
}
