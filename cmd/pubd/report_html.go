package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"time"

	"pubd/data/survey"
	"pubd/index"
	"pubd/loader"
	"pubd/loader/atomicfile"
)

var (
	//go:embed report.html
	htmlReportText string
	//go:embed report.js
	htmlReportScript string
)

var htmlReportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"policy": htmlReportPolicy, "script": func() template.JS { return template.JS(htmlReportScript) },
	"grouped": grouped, "percent": percent, "plain": loader.Visible, "counted": counted, "bins": bins,
	"list":  func(v survey.Values) string { return listed(v.Most, v.Distinct) },
	"most":  func(n survey.Namesakes) string { return listed(n.Most, n.Names) },
	"share": func(part, whole int) string { return fmt.Sprintf("%.2f", 100*float64(part)/float64(whole)) },
}).Parse(htmlReportText))

// htmlReportPolicy returns the Content-Security-Policy of a report, which allows only its one script. Names of pubs
// are escaped anyway; this is a second line of defence.
func htmlReportPolicy() string {
	sum := sha256.Sum256([]byte(htmlReportScript))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// maxRows is the maximum number of findings of a kind in a report.
const maxRows = 500

// htmlReport is the reports on some files as one self-contained HTML file.
type htmlReport struct {
	Made  time.Time
	Files []htmlReportFile
}

type htmlReportFile struct {
	*checked
	Map   *dotMap
	Kinds []htmlReportKind
}

type htmlReportKind struct {
	Title, Advice string
	Count, More   int
	Findings      []survey.Finding
}

// add adds a report; loaded is nil for a file that would be rejected.
func (r *htmlReport) add(report *checked, loaded *loader.Result) {
	file := htmlReportFile{checked: report}
	if loaded != nil {
		file.Map = newDotMap(loaded.Directory.Pubs, report.Findings)
		for _, kind := range survey.Kinds {
			if found := report.findingsOf(kind.Kind); len(found) > 0 {
				shown := found[:min(len(found), maxRows)]
				file.Kinds = append(file.Kinds, htmlReportKind{kind.Title, kind.Advice, len(found), len(found) - len(shown), shown})
			}
		}
	}
	r.Files = append(r.Files, file)
}

// write writes the report to a file. A reader that opens it meanwhile sees the old report or the new one.
func (r *htmlReport) write(path string) error {
	r.Made = now()
	var content bytes.Buffer
	if err := htmlReportTemplate.Execute(&content, r); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	if _, err := file.Write(content.Bytes()); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// A bin of a histogram; lengths are in hundredths of the highest.
type bin struct{ X, Y, Height, Pubs int }

func bins(histogram [index.Bins]int) []bin {
	most := 1
	for _, count := range histogram {
		most = max(most, count)
	}
	var all []bin
	for i, count := range histogram {
		height := (count*100 + most - 1) / most
		all = append(all, bin{i * 10, 100 - height, height, count})
	}
	return all
}
