package lists

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/lists/survey"
	"pubd/loader"
)

// writeFile prints what a report says of the whole file, and what was skipped.
func (c *Report) writeFile(w io.Writer) {
	if !c.OK {
		fmt.Fprintln(w, c.Refusal)
		return
	}
	for _, line := range slices.Concat(c.Hints, c.LeftOut) {
		fmt.Fprintln(w, line)
	}
	for _, complaint := range c.Skipped {
		fmt.Fprintf(w, "%s (skipped)\n", complaint)
	}
	if len(c.Ignored) > 0 {
		fmt.Fprintf(w, "%s: unknown columns, ignored: %s\n", loader.Visible(c.File), strings.Join(c.Ignored, ", "))
	}
	fmt.Fprintf(w, "%s: ok: %d pubs, %d rated, %d without coordinates", loader.Visible(c.File), c.Pubs, c.Rated, c.Nowhere)
	if len(c.Skipped) > 0 {
		fmt.Fprintf(w, "; %d wrong rows skipped", len(c.Skipped))
	}
	fmt.Fprintln(w)
	for _, finding := range c.FileFindings {
		fmt.Fprintf(w, "%s: %s: %s\n", loader.Visible(c.File), finding.Reason, finding.Advice)
	}
}

// write prints a report, with the content of the file and what is probably a mistake.
func (c *Report) write(w io.Writer) {
	if c.writeFile(w); !c.OK {
		return
	}
	fmt.Fprintf(w, "\n%-16s %10s\n", "column", "pubs")
	for _, column := range c.Coverage {
		fmt.Fprintf(w, "%-16s %10s %9s\n", column.Column, cli.Grouped(column.Pubs), percent(column.Pubs, c.Pubs))
	}
	if slices.ContainsFunc(c.Values, func(v survey.Values) bool { return v.Distinct > 0 }) {
		fmt.Fprintln(w)
	}
	for _, column := range c.Values {
		if column.Distinct > 0 {
			fmt.Fprintf(w, "%s has %s: %s\n", column.Column, cli.Counted(column.Distinct, "value"), listed(column.Most, column.Distinct))
		}
	}
	if s := c.Spacing; s != nil {
		fmt.Fprintf(w, "half of the pubs have another within %.2f km; %.0f km is far\n", s.Median, s.Far)
	}
	c.writeFindings(w)
}

func (c *Report) writeFindings(w io.Writer) {
	if len(c.Findings) == 0 {
		other := ""
		if len(c.FileFindings) > 0 {
			other = "other "
		}
		fmt.Fprintf(w, "\nno %slikely mistakes\n", other)
		return
	}
	fmt.Fprintf(w, "\n%s\n", cli.Counted(len(c.Findings), "likely mistake"))
	rest := c.Findings // in the order of Kinds
	for _, kind := range survey.Kinds {
		findings := rest[:c.Counts[kind.Kind]]
		rest = rest[len(findings):]
		if len(findings) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s %s: %s\n", cli.Grouped(len(findings)), kind.Title, kind.Advice)
		for _, f := range findings[:min(len(findings), MaxExamples)] {
			pub := f.UID + " " + f.Name
			if f.Location != "" {
				pub += ", " + f.Location
			}
			fmt.Fprintf(w, "  %s\n", loader.Visible(fmt.Sprintf("%s:%d: %s: %s", c.File, f.Line, pub, f.Reason)))
		}
		if more := len(findings) - MaxExamples; more > 0 {
			fmt.Fprintf(w, "  … and %s more (--json has them)\n", cli.Grouped(more))
		}
	}
}

// percent returns a share to a tenth; only everything is 100 %, and only nothing is 0 %.
func percent(part, whole int) string {
	share := 100 * float64(part) / float64(whole)
	switch {
	case part > 0 && share < 0.05:
		return "> 0.0 %"
	case part < whole && share > 99.95:
		return "< 100.0 %"
	}
	return fmt.Sprintf("%.1f %%", share)
}

// listed returns values with their counts.
func listed(values []survey.Value, distinct int) string {
	var parts []string
	for _, v := range values {
		part := loader.Visible(v.Value) + " " + cli.Grouped(v.Pubs)
		if v.Spellings > 1 {
			part += fmt.Sprintf(" (%d spellings)", v.Spellings)
		}
		parts = append(parts, part)
	}
	if distinct > len(values) {
		parts = append(parts, "…")
	}
	return strings.Join(parts, "; ")
}
