package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/lists"
	"pubd/loader"
)

func TestImportReports(t *testing.T) {
	var long strings.Builder
	long.WriteString("ref,title,where\n")
	for i := range 45 {
		fmt.Fprintf(&long, "%d,%s,Diss\n", i%40, strings.Repeat("Bell ", 1+i%2*201))
	}
	var few strings.Builder
	for i := range 10 {
		fmt.Fprintf(&few, "%d;Bell %d;Diss;7\n", i+2, i)
	}
	testdata := files(t, map[string]string{
		"open.csv": string(testkit.Read(t, "testdata/import/open.csv")), "osm.json": string(testkit.Read(t, "testdata/import/osm.json")),
		"long.csv": long.String(), "none.csv": "UID,name\n7,\n8,\n", "few.csv": "Our pubs\nid;Pub Name;Town;Fax\n1;;Diss;\n" + few.String(), "cut.json": "[\n{\"id\":\"7\",\n\"na",
	})
	for _, c := range []struct {
		golden, form, in string // without a golden file, only the error is reported
		maps             []string
		all              bool
		taken            int
		want             string // of the error
	}{
		{"openpubs.txt", "", "open.csv", []string{"openpubs"}, false, 2, cli.ErrReported.Error()},
		{"osm.txt", "osm", "osm.json", nil, false, 1, cli.ErrReported.Error()},
		{"csv.txt", "csv", "long.csv", []string{"uid=ref", "name=Title", "Location=where"}, false, 20, cli.ErrReported.Error()},
		{"csv-all.txt", "", "long.csv", []string{"UID=ref", "name=title", "location=where"}, true, 20, cli.ErrReported.Error()},
		{"csv-ignored.txt", "csv", "long.csv", []string{"id=ref", "name=title"}, false, 20, cli.ErrReported.Error()},
		{"none.txt", "csv", "none.csv", nil, false, 0, cli.ErrReported.Error()},
		{"few.txt", "", "few.csv", nil, false, 10, ""},
		{"", "", "long.csv", nil, false, 0, `long.csv:1: no column is a UID: add --uid auto to the command. That makes UIDs from name and place; if there is a column of them, --map uid=COLUMN. The columns are "ref" (such as "0"), "title" (such as "Bell"), "where" (such as "Diss")`},
		{"", "json", "cut.json", nil, false, 0, "cut.json:3: must be valid JSON: was it copied completely? unexpected EOF"},
		{"", "", "absent.csv", nil, false, 0, "absent.csv: file does not exist"},
	} {
		for _, out := range []string{"out.csv", "out.csv.gz", "out.csv.zst", "out.json", "out.ndjson.gz"} {
			command := lists.Import{From: c.form, Map: c.maps, AllComplaints: c.all, In: c.in, Rest: []string{out}}
			testkit.OK(t, command.Validate())
			var stdout, errs testkit.Output
			err := command.Run(t.Context(), cli.Terminal{Out: &stdout, Err: &errs})
			testkit.Equal(t, c.in+" as "+c.form, fmt.Sprint(err), cmp.Or(c.want, "<nil>"))
			testkit.Equal(t, "standard output", stdout.String(), "")
			if c.taken > 0 {
				loaded, err := loader.LoadFile(out, loader.Options{})
				testkit.FailIf(t, err != nil || len(loaded.Directory.Pubs) != c.taken || len(loaded.Ignored) > 0, "%s: the snapshot: %v, want %d pubs", c.golden, err, c.taken)
				os.Remove(out)
			}
			if c.golden != "" {
				testkit.Golden(t, filepath.Join(testdata, "import", c.golden), strings.ReplaceAll(errs.String(), out, "out.csv"))
			}
		}
	}
	left, _ := filepath.Glob(".out*")
	testkit.FailIf(t, left != nil, "temporary files are left: %q", left)
}

// A folder is not created.
func TestImportIntoNoFolder(t *testing.T) {
	files(t, map[string]string{"list.csv": "UID,name\n7,Bell\n"})
	refuseCommand(t, cli.ExitError, "no such file", "import", "list.csv", "absent/out.csv")
}
