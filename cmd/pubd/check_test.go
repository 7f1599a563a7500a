package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pubd/data/survey"
)

// flawed returns a directory with one likely mistake of each kind.
func flawed(t *testing.T) string { return string(read(t, "testdata/check/flawed.csv")) }

func TestCheckReports(t *testing.T) {
	testdata := files(t, map[string]string{"flawed.csv": flawed(t), "broken.csv": "UID,name\n7,\n", "small.csv": "UID,name,colour\n7,Bell,red\n",
		"whole.csv": string(read(t, "testdata/check/whole.csv"))})
	for _, c := range []struct {
		golden, command string
		code            int
	}{
		{"flawed.txt", "check flawed.csv", exitOK},
		{"flawed.json", "check --json flawed.csv", exitOK},
		{"whole.txt", "check whole.csv", exitOK},
		{"whole.json", "check --json whole.csv", exitOK},
		{"several.txt", "check small.csv broken.csv", exitError},
		{"several.json", "check --json small.csv broken.csv absent.csv", exitError},
	} {
		code, out, errs := runFor(t, strings.Fields(c.command)...)
		failIf(t, code != c.code || (errs == "") != (c.code == exitOK), "%s: got %d, stderr %q, want %d", c.golden, code, errs, c.code)
		if strings.HasSuffix(c.golden, ".json") {
			var indented bytes.Buffer
			err := json.Indent(&indented, []byte(out), "", " ")
			failIf(t, err != nil || strings.Count(out, "\n") != 1, "%s: must be one JSON array on one line: %v, %s", c.golden, err, out)
			out = indented.String()
		}
		checkGolden(t, filepath.Join(testdata, "check", c.golden), out+errs)
	}
	var reports []checked
	ok(t, json.Unmarshal([]byte(must(t, "check", "--json", "flawed.csv")), &reports))
	stopIf(t, len(reports) != 1 || len(reports[0].Findings) != len(survey.Kinds), "got %+v, want one finding of each kind", reports)
	for i, kind := range survey.Kinds {
		got := reports[0].Findings[i]
		failIf(t, got.Kind != kind.Kind || got.Line != 62+i, "finding %d: got %+v, want %s on line %d", i, got, kind.Kind, 62+i)
	}
}

func TestCheckShowsFew(t *testing.T) {
	text := "UID,name\n"
	for i := range 1300 {
		text += fmt.Sprintf("%d,THE SWAN %d\n", i, i)
	}
	files(t, map[string]string{"loud.csv": text})
	out := must(t, "check", "loud.csv", "--html", "loud.html")
	equal(t, "examples", strings.Count(out, "THE SWAN"), maxExamples)
	contains(t, "report", out, "  … and 1,280 more (--json has them)\n")
	html := string(read(t, "loud.html"))
	equal(t, "examples of the page", strings.Count(html, "THE SWAN"), maxRows)
	contains(t, "page", html, "… and 800 more")
}

func TestCheckHTMLReport(t *testing.T) {
	files(t, map[string]string{"flawed.csv": flawed(t), "broken.csv": "UID,name\n7,\n8,<b>\n", "whole.csv": string(read(t, "testdata/check/whole.csv"))})
	must(t, "check", "--html", "page.html", "whole.csv")
	contains(t, "page", string(read(t, "page.html")), "<li>latitude and longitude are probably exchanged in all rows: ", "<li>ratings are probably out of 5: ")
	replace(t, "page.html", "an old page")
	code, out, errs := runFor(t, "check", "--html", "page.html", "flawed.csv", "broken.csv")
	failIf(t, code != exitError || !strings.HasPrefix(out, "flawed.csv: ok: 75 pubs") || !strings.Contains(errs, "1 of 2"), "got %d, stdout %q, stderr %q", code, out, errs)
	html := string(read(t, "page.html"))
	contains(t, "page", html, "<!DOCTYPE html>", `Swan\u202e &lt;script&gt;alert(1)&lt;/script&gt;`, `<path d="m`, "<script>"+htmlReportScript+"</script>",
		"broken.csv:2: name: must not be empty", "Rose &amp;amp; Crown", "</html>\n")
	for _, kind := range survey.Kinds {
		contains(t, "page", html, "<b>1 "+kind.Title+"</b>")
	}
	html = strings.Replace(html, "<script>"+htmlReportScript+"</script>", "", 1)
	found := regexp.MustCompile(`(?i)<script|<link|@import|https?:|url\(|\x{202e}|ZgotmplZ`).FindString(html)
	failIf(t, found != "", "the page has %q", found)
	entries, _ := os.ReadDir(".")
	failIf(t, len(entries) != 4, "beside the page: got %v", entries)
	commandCase{[]string{"check", "--html", "no/page.html", "flawed.csv"}, exitError, "flawed.csv: ok", "no/"}.check(t)
	refuseCommand(t, exitUsage, "--html page.csv: the name must end in .html", "check", "--html", "page.csv", "flawed.csv")
}

// The report stays small and fast, whatever the number of pubs, and wherever they are.
func TestCheckHTMLReportSize(t *testing.T) {
	world := "UID,name,latitude,longitude\n"
	for i := range 50_000 {
		world += fmt.Sprintf("%d,Bell,%.3f,%.3f\n", i, math.Mod(float64(i)*17.31, 170)-85, math.Mod(float64(i)*7.77, 360)-180)
	}
	files(t, map[string]string{"large.csv": generated(t, 50_000, 1), "world.csv": world})
	for _, file := range []string{"large.csv", "world.csv"} {
		must(t, "check", "--html", "page.html", file)
		page := read(t, "page.html")
		contains(t, file, string(page), `<path class="land" d="M`)
		failIf(t, len(page) > 1<<20, "%s: got %d bytes, want 1 MiB at most", file, len(page))
	}
}

// Misplaced pubs do not widen the map of the others, but have one if there are no others.
func TestCheckHTMLReportMap(t *testing.T) {
	const header = "UID,name,latitude,longitude\n"
	town, sea := "", ""
	for i := range 30 {
		town += fmt.Sprintf("t%d,Bell,52.%02d,1.1%d\n", i, 40+i/5, i%5)
		sea += fmt.Sprintf("s%d,Bear,45.%02d,-30.1%d\n", i, 40+i/5, i%5)
	}
	files(t, map[string]string{"both.csv": header + town + sea, "sea.csv": header + sea})
	for file, want := range map[string]string{"both.csv": "0 shown, 30 outside the map", "sea.csv": "30 shown, 0 outside the map"} {
		must(t, "check", "--html", "page.html", file)
		contains(t, file, string(read(t, "page.html")), want)
	}
}
