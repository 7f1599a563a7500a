package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"pubd/data/survey"
	"pubd/loader"
)

type checkCommand struct {
	Files      []string `arg:"" name:"file" predictor:"file" help:"Snapshots: CSV, JSON or NDJSON, plain, .gz or .zst."`
	MaxBadRows int      `default:"0" help:"Skip up to this many wrong rows in each snapshot."`
	extraFlag
	JSON bool   `name:"json" help:"Write a JSON array with an object for each file, which has every finding."`
	HTML string `name:"html" placeholder:"FILE.html" predictor:"file" help:"Also write the report, with a map, to an HTML file."`
}

// Validate implements kong's check of a command's flags.
func (c *checkCommand) Validate() error {
	if c.MaxBadRows < 0 {
		return fmt.Errorf("--max-bad-rows %d: must be 0 or more", c.MaxBadRows)
	}
	if c.HTML != "" && !strings.HasSuffix(strings.ToLower(c.HTML), ".html") {
		return fmt.Errorf("--html %s: the name must end in .html", c.HTML)
	}
	return c.extraFlag.Validate()
}

// checked is the report of check on a file, as --json writes it. A file that would be rejected has no survey.
type checked struct {
	File    string   `json:"file"`
	OK      bool     `json:"ok"`
	Refusal string   `json:"refusal,omitempty"` // one line per complaint
	Hints   []string `json:"hints,omitempty"`   // probable mistakes in a file that would be served
	Skipped []string `json:"skipped,omitempty"`
	Ignored []string `json:"unknown_columns,omitempty"`
	*survey.Survey
}

// Run reports on each file. It returns an error if any would be rejected.
func (c *checkCommand) Run(t terminal) error {
	refused := 0
	reports := []*checked{}
	var html htmlReport
	for _, file := range c.Files {
		report := &checked{File: file}
		loaded, err := c.check(t, report)
		if err != nil {
			report.Refusal = err.Error()
			refused++
		}
		if c.HTML != "" {
			html.add(report, loaded)
		}
		if c.JSON {
			reports = append(reports, report)
			continue
		}
		var text strings.Builder
		report.write(&text)
		if _, err := io.WriteString(t.out, text.String()); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
	}
	if c.JSON {
		encoder := json.NewEncoder(t.out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(reports); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
	}
	if c.HTML != "" {
		if err := html.write(c.HTML); err != nil {
			return err
		}
	}
	if refused > 0 {
		fmt.Fprintf(t.err, "pubd: %d of %d files would be rejected\n", refused, len(c.Files))
		return errReported
	}
	return nil
}

// check completes the report of a file that would be served.
func (c *checkCommand) check(t terminal, report *checked) (*loader.Result, error) {
	defer watchMemory(t, report.File)()
	bar := newProgress(t.err, "reading "+report.File, true)
	loaded, err := loader.LoadFile(report.File, loader.Options{MaxBadRows: c.MaxBadRows, Extra: c.Extra, Lines: true, Progress: bar.show})
	bar.finish()
	if err != nil {
		return nil, err
	}
	report.OK, report.Ignored = true, loaded.Ignored
	for _, hint := range loaded.Hints {
		report.Hints = append(report.Hints, hint.Error())
	}
	for _, complaint := range loaded.Skipped {
		report.Skipped = append(report.Skipped, complaint.Error())
	}
	bar = newProgress(t.err, "checking "+report.File, false)
	report.Survey = survey.Of(&loaded.Directory, survey.Options{Lines: loaded.Lines, Columns: loaded.Columns, Progress: bar.show})
	bar.finish()
	return loaded, nil
}
