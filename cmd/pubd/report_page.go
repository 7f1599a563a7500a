package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"time"

	"pubd/index"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/survey"
)

var (
	//go:embed report.html
	pageText string
	//go:embed report.js
	pageScript string
)

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"policy": pagePolicy, "script": func() template.JS { return template.JS(pageScript) },
	"grouped": grouped, "percent": percent, "plain": loader.Visible, "counted": counted, "bins": bins,
	"list":  func(v survey.Values) string { return listed(v.Most, v.Distinct) },
	"most":  func(n survey.Namesakes) string { return listed(n.Most, n.Names) },
	"share": func(part, whole int) string { return fmt.Sprintf("%.2f", 100*float64(part)/float64(whole)) },
}).Parse(pageText))

// pagePolicy returns the Content-Security-Policy of the page, which allows only its one script. Names of pubs are
// escaped anyway; this is a second line of defence.
func pagePolicy() string {
	sum := sha256.Sum256([]byte(pageScript))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// maxRows is the maximum number of findings of a kind on a page.
const maxRows = 500

// page is the reports on some files as one self-contained HTML file.
type page struct {
	Made  time.Time
	Files []pageFile
}

type pageFile struct {
	*checked
	Map   *dotMap
	Kinds []pageKind
}

type pageKind struct {
	Title, Advice string
	Count, More   int
	Findings      []survey.Finding
}

// add adds a report; loaded is nil for a file that would be rejected.
func (p *page) add(report *checked, loaded *loader.Result) {
	file := pageFile{checked: report}
	if loaded != nil {
		file.Map = newDotMap(loaded.Directory.Pubs, report.Findings)
		for _, kind := range survey.Kinds {
			if found := report.of(kind.Kind); len(found) > 0 {
				shown := found[:min(len(found), maxRows)]
				file.Kinds = append(file.Kinds, pageKind{kind.Title, kind.Advice, len(found), len(found) - len(shown), shown})
			}
		}
	}
	p.Files = append(p.Files, file)
}

// write writes the page to a file. A reader that opens it meanwhile sees the old page or the new one.
func (p *page) write(path string) error {
	p.Made = now()
	var content bytes.Buffer
	if err := pageTemplate.Execute(&content, p); err != nil {
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
