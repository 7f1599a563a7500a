package lists

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/database"
	"pubd/cmd/pubd/lists/convert"
	"pubd/cmd/pubd/lists/list"
	"pubd/cmd/pubd/lists/merge"
	"pubd/loader"
)

const (
	// MaxExamples is how many of a kind a report shows.
	MaxExamples = 20
	// dryRows is how many rows of the result a dry run shows.
	dryRows = 10
	// badShare is the share of rows beyond which rejected ones are a failure: one in badShare.
	badShare = 10
)

// Import is the command that converts lists to a snapshot.
type Import struct {
	From   string   `enum:",csv,xlsx,json,geojson,kml,gpx,xml,osm,postgres" default:"" placeholder:"FORM" help:"What the lists must be: csv, xlsx, json, geojson, kml, gpx, xml, osm (Overpass JSON, PBF or XML); found out if left out. postgres: a database query, without the argument of a list."`
	Map    []string `sep:"none" placeholder:"OURS=THEIRS" help:"What a column of the list means, such as name=Title or coordinates=Where; not needed where its name says it. openpubs and breweries say it for those lists."`
	UID    string   `name:"uid" default:"column" enum:"column,auto" placeholder:"auto" help:"auto: make a UID from name and place for each pub that has none, the same at every import."`
	Town   string   `default:"" enum:",nearest,none" placeholder:"nearest" help:"nearest: give every pub without a town the nearest one of --places within 3 km, or else that of most of the five nearest pubs; none: give none. Left out: if there are --places, or if half of the pubs or more have no town."`
	Places string   `placeholder:"FILE" predictor:"file" help:"A gazetteer of towns for pubs without one: CSV with name, latitude, longitude, population."`
	Kinds  []string `default:"pub,bar,biergarten" placeholder:"KIND" help:"What to keep of OpenStreetMap: pub, bar, biergarten, brewery (all but brewery), or other values of amenity, such as cafe."`
	Sheet  string   `placeholder:"NAME" help:"The sheet of a workbook; left out, the first visible one whose columns are known, and those with the same columns."`
	List   string   `placeholder:"PATH" help:"Where the list is in JSON or XML, such as data.pubs; * stands for any name."`
	DryRun bool     `help:"Show the plan and the first ten rows of the result, and write nothing."`
	cli.ExtraFlag
	cli.FeaturesFlag
	database.PostgresFlags
	AllComplaints bool `help:"Show every rejected row, not only the first 20."`
	// The first argument is one of its own, so that flags may stand behind it.
	In   string   `arg:"" optional:"" name:"list" predictor:"file" help:"The list: CSV, .xlsx, JSON, GeoJSON, KML, GPX, PBF and others, plain or compressed."`
	Rest []string `arg:"" optional:"" name:"snapshot" predictor:"file" help:"More lists, which are read as one, and last the snapshot to write: .csv, .json or .ndjson, plain, .gz or .zst."`

	lists   []string
	out     string
	options convert.Options
}

// Validate implements kong's check of a command's flags.
func (c *Import) Validate() error {
	if err := c.ExtraFlag.Validate(); err != nil {
		return err
	}
	if err := c.PostgresFlags.Check(c.From); err != nil {
		return err
	}
	files := c.Rest
	if c.In != "" {
		files = append([]string{c.In}, c.Rest...)
	}
	switch n := len(files); {
	case c.From == database.FromPostgres && n > 1:
		return errors.New("--from postgres: reads a database: leave out the argument of a list")
	case c.From == database.FromPostgres && n == 1:
		c.out = files[0]
	case n > 1:
		c.lists, c.out = files[:n-1], files[n-1]
	case c.DryRun:
		c.lists = files
	}
	if len(c.lists) == 0 && c.From != database.FromPostgres {
		return errors.New("expected a list, and behind it the snapshot to write: pubd import pubs.xlsx pubs.csv")
	}
	if c.out == "" && !c.DryRun {
		return errors.New("expected the snapshot to write")
	}
	c.options = convert.Options{From: list.Form(c.From), Sheet: c.Sheet, Path: c.List, Extra: c.Extra, Kinds: c.Kinds, AutoUID: c.UID == "auto", Towns: merge.Towns(c.Town)}
	if c.From == database.FromPostgres {
		c.options.From, c.options.IsPostgres = list.CSV, true
	}
	for _, pair := range c.Map {
		if preset, header, ok := convert.Preset(pair); ok {
			c.options.Map, c.options.Header = append(c.options.Map, preset...), header
			continue
		}
		m, err := mapping(pair)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(c.options.Map, func(o convert.Mapping) bool { return o.Ours == m.Ours }) {
			return fmt.Errorf("--map %q: each column must be named once", pair)
		}
		c.options.Map = append(c.options.Map, m)
	}
	if c.out == "" {
		return nil
	}
	_, _, err := loader.Shape(c.out)
	return err
}

// mapping parses a value of --map.
func mapping(pair string) (convert.Mapping, error) {
	ours, theirs, _ := strings.Cut(pair, "=")
	ours, theirs = strings.TrimSpace(ours), strings.TrimSpace(theirs)
	if theirs == "" {
		return convert.Mapping{}, fmt.Errorf("--map %q: must be a member and a column, such as name=Title", pair)
	}
	known := loader.ColumnName(ours)
	if slices.Contains(convert.Parts, strings.ToLower(ours)) {
		known = strings.ToLower(ours)
	}
	if known == "" {
		return convert.Mapping{}, fmt.Errorf("--map %q: %q is not a snapshot column; those are %s, and %s", pair, ours,
			strings.Join(loader.Columns(), ", "), strings.Join(convert.Parts, ", "))
	}
	return convert.Mapping{Ours: known, Theirs: theirs}, nil
}

// Run writes the snapshot. It is an error if no row was accepted, or if more than one in ten was rejected.
func (c *Import) Run(ctx context.Context, t cli.Terminal) error {
	result, err := c.read(ctx, t)
	if err != nil {
		return err
	}
	snapshot := result.Snapshot
	taken := len(snapshot.Rows)
	if taken > 0 && c.DryRun {
		snapshot.Rows = snapshot.Rows[:min(taken, dryRows)]
		if err := snapshot.WriteCSV(t.Out); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
	}
	if taken > 0 && !c.DryRun {
		writing := cli.NewProgress(t.Err, "writing "+c.out, false)
		err := merge.Write(c.out, snapshot)
		writing.Finish()
		if err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(t.Err, c.summary(result)); err != nil {
		return fmt.Errorf("standard error: %w", err)
	}
	if taken == 0 || tooMany(result) {
		return cli.ErrReported
	}
	return nil
}

// tooMany reports whether more than one row in ten was rejected.
func tooMany(result *convert.Result) bool { return badShare*len(result.Complaints) > result.Rows }

// read reads the lists, and prints what they are and how they are read.
func (c *Import) read(ctx context.Context, t cli.Terminal) (*convert.Result, error) {
	options := c.options
	var err error
	if options.Vocabulary, err = c.Vocabulary(); err != nil {
		return nil, err
	}
	if c.Places != "" {
		if options.Places, err = loader.LoadGazetteer(c.Places); err != nil {
			return nil, err
		}
	}
	options.Planned = func(plan convert.Plan) { fmt.Fprint(t.Err, planned(plan)) }
	if c.From == database.FromPostgres {
		var rows bytes.Buffer
		if err := c.PostgresFlags.Read(ctx, t, &rows); err != nil {
			return nil, err
		}
		return convert.Convert(c.RowsName(), rows.Bytes(), options)
	}
	for _, in := range c.lists {
		a, absent := os.Stat(in)
		if b, err := os.Stat(c.out); absent == nil && err == nil && os.SameFile(a, b) {
			return nil, fmt.Errorf("%s: must be another file than the list itself", loader.Visible(c.out))
		}
	}
	reading := cli.NewProgress(t.Err, "reading "+strings.Join(c.lists, ", "), false)
	defer reading.Finish()
	options.Planned = func(plan convert.Plan) {
		reading.Finish()
		fmt.Fprint(t.Err, planned(plan))
	}
	return convert.Files(c.lists, options)
}

// planned says what a list is and how it is read.
func planned(plan convert.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", loader.Visible(plan.Name), strings.Join(append([]string{string(plan.Form)}, plan.Found...), ", "))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  %s\t%s\n", step.To, step.From)
	}
	w.Flush()
	return b.String()
}

// summary lists what was rejected, and ends with the counts.
func (c *Import) summary(result *convert.Result) string {
	var b strings.Builder
	if example, count := commonest(result.Complaints); tooMany(result) && len(result.Complaints) > 1 {
		fmt.Fprintf(&b, "%s of %s rows were rejected, %s of them as in %s\n", cli.Grouped(len(result.Complaints)), cli.Grouped(result.Rows), cli.Grouped(count), example)
	}
	shown := result.Complaints
	if !c.AllComplaints {
		shown = shown[:min(len(shown), MaxExamples)]
	}
	for _, complaint := range shown {
		fmt.Fprintln(&b, complaint)
	}
	if more := len(result.Complaints) - len(shown); more > 0 {
		fmt.Fprintf(&b, "… and %s more (--all-complaints shows them)\n", cli.Grouped(more))
	}
	ofUID := func(rule string) bool {
		return c.UID != "auto" && slices.ContainsFunc(result.Complaints, func(c loader.Complaint) bool { return c.Column == "UID" && strings.HasPrefix(c.Rule, rule) })
	}
	if ofUID("must be given") {
		fmt.Fprintln(&b, "there are pubs without UID: --uid auto makes one from name and place")
	}
	if ofUID("must be unique") {
		fmt.Fprintln(&b, "UIDs that repeat are none: --uid auto makes one from name and place for those pubs")
	}
	if skipped := result.Skipped; len(skipped) > 0 {
		all := 0
		for _, count := range skipped {
			all += count
		}
		fmt.Fprintf(&b, "elements left out (--kinds keeps other kinds): %s: %s\n", cli.Grouped(all), convert.CountedKinds(skipped))
	}
	for _, note := range []struct {
		count int
		of    string
	}{{result.Repeated, "rows of pubs that were in a list before"}, {result.Twins, "of these under another UID, by their names and places"},
		{result.Located, "pubs without a town that have the nearest one (--town none leaves them)"}} {
		if note.count > 0 {
			fmt.Fprintf(&b, "%s: %s\n", note.of, cli.Grouped(note.count))
		}
	}
	if len(result.Snapshot.Rows) > 0 {
		b.WriteString(counted(result.Counts))
	}
	switch {
	case c.DryRun:
	case len(result.Snapshot.Rows) == 0:
		fmt.Fprintf(&b, "%s: not written: no row was accepted\n", loader.Visible(c.out))
	case tooMany(result):
		fmt.Fprintf(&b, "%s: written without the rejected rows\n", loader.Visible(c.out))
	}
	fmt.Fprintf(&b, "%s of %s rows accepted, %s rejected\n", cli.Grouped(len(result.Snapshot.Rows)), cli.Grouped(result.Rows), cli.Grouped(len(result.Complaints)))
	return b.String()
}

// counted says of each column how many values the lists have, how many the snapshot, and how many were left out, with an
// example of those that break a rule.
func counted(counts []merge.Count) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  column\tread\tkept\tleft out")
	for _, count := range counts {
		leftOut := cli.Grouped(count.LeftOut)
		if count.Example != nil {
			leftOut += ", as in " + count.Example.Error()
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", loader.Visible(count.Column), cli.Grouped(count.Read), cli.Grouped(count.Kept), leftOut)
	}
	w.Flush()
	return b.String()
}

// commonest returns the first complaint of the kind that is most common, and how many are of that kind: those of a
// column that break a rule, whatever the numbers in it.
func commonest(complaints []loader.Complaint) (example loader.Complaint, count int) {
	kinds, counts := make([]string, len(complaints)), map[string]int{}
	for i, c := range complaints {
		kinds[i] = digits.ReplaceAllString(c.Column+": "+c.Rule, "")
		counts[kinds[i]]++
	}
	for i, kind := range kinds {
		if counts[kind] > count {
			example, count = complaints[i], counts[kind]
		}
	}
	return example, count
}

var digits = regexp.MustCompile("[0-9]+")
