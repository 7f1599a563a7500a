package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/lists"
	"pubd/cmd/pubd/lists/survey"
)

// flawed returns a directory with one likely mistake of each kind.
func flawed(t *testing.T) string { return string(testkit.Read(t, "testdata/check/flawed.csv")) }

func TestCheckReports(t *testing.T) {
	testdata := files(t, map[string]string{"flawed.csv": flawed(t), "broken.csv": "UID,name\n7,\n", "small.csv": "UID,name,latitude,longitude,colour\n7,The  Bell,,,red\n8,TBC,52.4,1.1,red\n",
		"whole.csv": string(testkit.Read(t, "testdata/check/whole.csv"))})
	for _, c := range []struct {
		golden, command string
		code            int
	}{
		{"flawed.txt", "check flawed.csv", cli.ExitOK},
		{"flawed.json", "check --json flawed.csv", cli.ExitOK},
		{"whole.txt", "check whole.csv", cli.ExitOK},
		{"whole.json", "check --json whole.csv", cli.ExitOK},
		{"several.txt", "check small.csv broken.csv", cli.ExitError},
		{"none.geojson", "check --geojson broken.csv", cli.ExitError},
		{"several.geojson", "check --geojson whole.csv small.csv broken.csv", cli.ExitError},
		{"several.json", "check --json small.csv broken.csv absent.csv", cli.ExitError},
	} {
		code, out, errs := runFor(t, strings.Fields(c.command)...)
		testkit.FailIf(t, code != c.code || (errs == "") != (c.code == cli.ExitOK), "%s: got %d, stderr %q, want %d", c.golden, code, errs, c.code)
		if strings.HasSuffix(c.golden, "json") {
			var indented bytes.Buffer
			err := json.Indent(&indented, []byte(out), "", " ")
			testkit.FailIf(t, err != nil || strings.Count(out, "\n") != 1, "%s: must be one JSON value on one line: %v, %s", c.golden, err, out)
			out = indented.String()
		}
		testkit.Golden(t, filepath.Join(testdata, "check", c.golden), out+errs)
	}
	var reports []lists.Report
	testkit.OK(t, json.Unmarshal([]byte(must(t, "check", "--json", "flawed.csv")), &reports))
	testkit.StopIf(t, len(reports) != 1 || len(reports[0].Findings) != len(survey.Kinds), "got %+v, want one finding of each kind", reports)
	for i, kind := range survey.Kinds {
		got := reports[0].Findings[i]
		testkit.FailIf(t, got.Kind != kind.Kind || got.Line != 62+i, "finding %d: got %+v, want %s on line %d", i, got, kind.Kind, 62+i)
	}
}

func TestCheckShowsFew(t *testing.T) {
	text := "UID,name\n"
	for i := range 1300 {
		text += fmt.Sprintf("%d,The  Swan %d\n", i, i)
	}
	files(t, map[string]string{"loud.csv": text})
	out := must(t, "check", "loud.csv")
	testkit.Equal(t, "examples", strings.Count(out, "The  Swan"), lists.MaxExamples)
	testkit.Contains(t, "report", out, "  … and 1,280 more (--json has them)\n")
}

// check explains the formats of other programs and people's mistakes; import repairs those that can be repaired.
func TestMaintainersFiles(t *testing.T) {
	contents := map[string]string{}
	for _, c := range testkit.Cases(t, "maintainer.txt") {
		content := testkit.Must(strconv.Unquote(c.Want))(t)
		contents[c.Given] = content
	}
	testdata := files(t, contents)
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		code, out, errs := runFor(t, "check", name)
		all.WriteString("$ pubd check " + name + "\n" + out + errs)
		if code != cli.ExitOK && strings.Contains(out, "; pubd import ") {
			_, _, errs := runFor(t, "import", name, "converted.csv")
			all.WriteString("$ pubd import " + name + " converted.csv\n" + errs)
			must(t, "check", "converted.csv")
		}
		all.WriteString("\n")
	}
	testkit.Golden(t, filepath.Join(testdata, "check", "maintainer.txt"), all.String())
}
