// Package lists has the commands for those who maintain lists: import, check and inspect.
package lists

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/lists/survey"
	"pubd/index/features"
	"pubd/index/schema"
	"pubd/loader"
	"pubd/loader/fetch/worker"
)

// Check is the command that reads snapshots as serve would, and reports.
type Check struct {
	Files      []string `arg:"" name:"file" predictor:"file" help:"Snapshots: CSV, JSON or NDJSON, plain, .gz or .zst."`
	MaxBadRows int      `default:"0" help:"Skip up to this many wrong rows in each snapshot."`
	cli.FacetFlag
	cli.FeaturesFlag
	JSON    bool `name:"json" xor:"format" help:"Write a JSON array with an object for each file, which has every finding."`
	GeoJSON bool `name:"geojson" xor:"format" help:"Write every finding on a pub as a feature of GeoJSON, for a map, and the others on standard error."`
}

// Validate implements kong's check of a command's flags.
func (c *Check) Validate() error {
	if c.MaxBadRows < 0 {
		return fmt.Errorf("--max-bad-rows %d: must be 0 or more", c.MaxBadRows)
	}
	return c.FacetFlag.Validate()
}

// Report is the report of check on a file, as --json writes it. A file that would be rejected has no survey.
type Report struct {
	File    string   `json:"file"`
	OK      bool     `json:"ok"`
	Refusal string   `json:"refusal,omitempty"` // one line per complaint
	Hints   []string `json:"hints,omitempty"`   // probable mistakes in a file that would be served
	Skipped []string `json:"skipped,omitempty"`
	LeftOut []string `json:"left_out,omitempty"` // values, one for each column
	Ignored []string `json:"unknown_columns,omitempty"`
	*survey.Survey
}

// Run reports on each file. It returns an error if any would be rejected.
func (c *Check) Run(t cli.Terminal) error {
	vocabulary, err := c.Vocabulary()
	if err != nil {
		return err
	}
	refused := 0
	reports, features := []*Report{}, []map[string]any{}
	for _, file := range c.Files {
		report := &Report{File: file}
		loaded, err := c.check(t, vocabulary, report)
		if err != nil {
			report.Refusal = err.Error()
			refused++
		}
		switch {
		case c.JSON:
			reports = append(reports, report)
		case !c.GeoJSON:
			var text strings.Builder
			report.write(&text)
			if err := cli.Say(t, "%s", text.String()); err != nil {
				return err
			}
		default:
			report.writeFile(t.Err) // which is of no pub
			if err == nil {
				features = append(features, report.features(loaded.Directory.Pubs)...)
			}
		}
	}
	switch {
	case c.JSON:
		err = writeJSON(t.Out, reports)
	case c.GeoJSON:
		err = writeJSON(t.Out, map[string]any{"type": "FeatureCollection", "features": features})
	}
	if err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	if refused > 0 {
		fmt.Fprintf(t.Err, "pubd: %d of %d files would be rejected\n", refused, len(c.Files))
		return cli.ErrReported
	}
	return nil
}

// writeJSON writes a value on a line.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// features returns the findings on pubs in GeoJSON, each with the place that the file gives its pub, if any.
func (c *Report) features(pubs []schema.Pub) (all []map[string]any) {
	for _, finding := range c.Findings {
		properties := struct {
			File string `json:"file"`
			survey.Finding
		}{c.File, finding}
		feature := map[string]any{"type": "Feature", "geometry": nil, "properties": properties}
		if pub := &pubs[finding.Pub]; !math.IsNaN(pub.Latitude) {
			feature["geometry"] = map[string]any{"type": "Point", "coordinates": [2]float64{pub.Longitude, pub.Latitude}}
		}
		all = append(all, feature)
	}
	return all
}

// check completes the report of a file that would be served.
func (c *Check) check(t cli.Terminal, vocabulary *features.Vocabulary, report *Report) (*loader.Result, error) {
	worker.LimitMemory()
	worker.SaveMemory()
	bar := cli.NewProgress(t.Err, "reading "+report.File, true)
	loaded, err := loader.LoadFile(report.File, loader.Options{MaxBadRows: c.MaxBadRows, Extra: c.Kept(), Progress: bar.Show})
	bar.Finish()
	if err != nil {
		return nil, err
	}
	report.OK, report.Ignored = true, loaded.Ignored
	report.Hints, report.LeftOut, report.Skipped = texts(loaded.Hints), texts(loaded.LeftOut), texts(loaded.Skipped)
	bar = cli.NewProgress(t.Err, "checking "+report.File, false)
	report.Survey = survey.Of(&loaded.Directory, survey.Options{Lines: loaded.Lines, Vocabulary: vocabulary})
	bar.Finish()
	return loaded, nil
}

func texts(complaints []loader.Complaint) (all []string) {
	for _, c := range complaints {
		all = append(all, c.Error())
	}
	return all
}
