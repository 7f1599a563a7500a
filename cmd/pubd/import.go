package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/convert"
)

// maxExamples is how many of a kind a report shows.
const maxExamples = 20

type importCommand struct {
	From string   `required:"" enum:"openpubs,osm,geojson,breweries,csv,postgres" placeholder:"FORM" help:"openpubs: the Open Pubs file; osm: Overpass JSON; geojson: OpenStreetMap as a FeatureCollection; breweries: Open Brewery DB, JSON or CSV; csv: any other CSV; postgres: a database query, without the argument in."`
	Map  []string `placeholder:"OURS=THEIRS" help:"Map a member of a pub to a column of the CSV, such as name=Title; not needed where the names match."`
	UID  string   `name:"uid" default:"column" enum:"column,auto" placeholder:"auto" help:"auto: make a UID from name and place for each pub that has none, the same at every import."`
	extraFlag
	postgresFlags
	AllComplaints bool   `help:"Show every rejected row, not only the first 20."`
	In            string `arg:"" name:"in" predictor:"file" help:"The list, plain or compressed with gzip or zstd."`
	Out           string `arg:"" optional:"" name:"out" predictor:"file" help:"The snapshot to write: .csv, .json or .ndjson, plain, .gz or .zst."`

	columns map[string]string
}

// Validate implements kong's check of a command's flags.
func (c *importCommand) Validate() error {
	if err := c.extraFlag.Validate(); err != nil {
		return err
	}
	if err := c.postgresFlags.validate(c.From); err != nil {
		return err
	}
	switch {
	case c.From == fromPostgres && c.Out != "":
		return errors.New("--from postgres: reads a database: leave out the argument in")
	case c.From == fromPostgres:
		c.In, c.Out = c.name(), c.In
	case c.Out == "":
		return errors.New("expected \"<out>\"")
	}
	if len(c.Map) > 0 && c.From != "csv" && c.From != fromPostgres {
		return fmt.Errorf("--map: is for --from csv only, %s has its own columns", c.From)
	}
	c.columns = map[string]string{}
	for _, pair := range c.Map {
		member, theirs, _ := strings.Cut(pair, "=")
		if theirs = strings.TrimSpace(theirs); theirs == "" {
			return fmt.Errorf("--map %q: must be a member and a column, such as name=Title", pair)
		}
		ours := loader.ColumnName(strings.TrimSpace(member))
		if ours == "" {
			return fmt.Errorf("--map %q: %q is not a snapshot column; those are %s", pair, member, strings.Join(loader.Columns(), ", "))
		}
		if c.columns[theirs] != "" {
			return fmt.Errorf("--map %q: the column must be named once", pair)
		}
		c.columns[theirs] = ours
	}
	return convert.CheckName(c.Out)
}

// Run writes the snapshot. It is an error if no row was accepted.
func (c *importCommand) Run(ctx context.Context, t terminal) error {
	place, form := c.In, c.From
	if form == fromPostgres {
		dir, remove, err := atomicfile.TempFolder("", "pubd-import-")
		if err != nil {
			return err
		}
		defer remove()
		if place, err = c.read(ctx, t, dir); err != nil {
			return err
		}
		form = "csv"
	}
	in, absent := os.Stat(place)
	if out, err := os.Stat(c.Out); absent == nil && err == nil && os.SameFile(in, out) {
		return fmt.Errorf("%s: must be another file than the list itself", loader.Visible(c.Out))
	}
	reading := newProgress(t.err, "reading "+c.In, true)
	defer reading.finish()
	content, err := loader.ReadFile(place)
	if err != nil {
		return err
	}
	result, err := convert.Convert(c.In, content, convert.Options{From: form, Columns: c.columns, Extra: c.Extra, AutoUID: c.UID == "auto", Progress: reading.show})
	reading.finish()
	if err != nil {
		return err
	}
	if result.Taken > 0 {
		writing := newProgress(t.err, "writing "+c.Out, false)
		untilSignal, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		err := convert.Write(untilSignal, c.Out, result.Snapshot)
		stop()
		writing.finish()
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s: not written: interrupted", loader.Visible(c.Out))
		}
		if err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(t.err, c.summary(result)); err != nil {
		return fmt.Errorf("standard error: %w", err)
	}
	if result.Taken == 0 {
		return errReported
	}
	return nil
}

// summary lists what was rejected, and ends with the counts.
func (c *importCommand) summary(result *convert.Result) string {
	var b strings.Builder
	shown := result.Complaints
	if !c.AllComplaints {
		shown = shown[:min(len(shown), maxExamples)]
	}
	for _, complaint := range shown {
		fmt.Fprintln(&b, complaint)
	}
	if more := len(result.Complaints) - len(shown); more > 0 {
		fmt.Fprintf(&b, "… and %s more (--all-complaints shows them)\n", grouped(more))
	}
	if slices.ContainsFunc(result.Complaints, func(c loader.Complaint) bool { return c.Column == "UID" && c.Value == "" }) {
		fmt.Fprintf(&b, "%s: has pubs without UID: --uid auto makes one from name and place\n", loader.Visible(c.In))
	}
	if len(result.Repaired) > 0 {
		var lines []string
		for _, line := range result.Repaired[:min(len(result.Repaired), maxExamples)] {
			lines = append(lines, strconv.Itoa(line))
		}
		if more := len(result.Repaired) - len(lines); more > 0 {
			lines = append(lines, grouped(more)+" more")
		}
		fmt.Fprintf(&b, "%s: shifted rows repaired: %s, on lines %s\n", loader.Visible(c.In), grouped(len(result.Repaired)), strings.Join(lines, ", "))
	}
	if len(result.Converted) > 0 {
		fmt.Fprintf(&b, "%s: converted: %s\n", loader.Visible(c.In), strings.Join(result.Converted, ", "))
	}
	if len(result.Ignored) > 0 {
		fmt.Fprintf(&b, "%s: unknown columns, left out (--extra keeps them): %s\n", loader.Visible(c.In), strings.Join(result.Ignored, ", "))
	}
	if result.Untagged > 0 {
		fmt.Fprintf(&b, "%s: elements without tags, such as the corners of ways, skipped: %s\n", loader.Visible(c.In), grouped(result.Untagged))
	}
	if result.Taken == 0 {
		fmt.Fprintf(&b, "%s: not written: no row was accepted\n", loader.Visible(c.Out))
	}
	fmt.Fprintf(&b, "%s of %s rows accepted, %s rejected\n", grouped(result.Taken), grouped(result.Rows), grouped(result.Rows-result.Taken))
	return b.String()
}

// grouped formats a count with a comma before every three digits, such as 51,566.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
