package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/data/lane"
)

// check explains the formats of other programs and people's mistakes; import repairs those that can be repaired.
func TestMaintainersFiles(t *testing.T) {
	contents := map[string]string{}
	for _, c := range cases(t, "maintainer.txt") {
		content, err := strconv.Unquote(c.want)
		ok(t, err)
		contents[c.given] = content
	}
	testdata := files(t, contents)
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		code, out, errs := runFor(t, "check", name)
		all.WriteString("$ pubd check " + name + "\n" + out + errs)
		if code != exitOK && strings.Contains(out, "pubd import converts it") {
			_, _, errs := runFor(t, "import", name, "converted.csv")
			all.WriteString("$ pubd import " + name + " converted.csv\n" + errs)
			must(t, "check", "converted.csv")
		}
		all.WriteString("\n")
	}
	checkGolden(t, filepath.Join(testdata, "check", "maintainer.txt"), all.String())
}

// The first line about a real list says what is wrong with all of it, or with many of its rows.
func TestMistakesOfWholeFiles(t *testing.T) {
	text, err := os.ReadFile(realSnapshot)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is absent", realSnapshot)
	}
	ok(t, err)
	all, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	ok(t, err)
	header, rows := all[0], all[1:]
	step := lane.Pick(10, 1)
	for i := 0; i*step < len(rows); i++ {
		rows[i] = rows[i*step]
	}
	rows = rows[:len(rows)/step]
	column := func(name string) int { return slices.Index(header, name) }
	lat, lng := column("latitude"), column("longitude")
	exchange := func(_ int, row []string) { row[lat], row[lng] = row[lng], row[lat] }
	unsigned := func(_ int, row []string) { row[lng] = strings.TrimPrefix(row[lng], "-") }
	scale := func(by float64) func(i int, row []string) {
		return func(_ int, row []string) {
			for _, metric := range []string{"beer", "atmos", "fengshui", "service", "toilets", "total"} {
				if value, err := strconv.ParseFloat(row[column(metric)], 64); err == nil {
					row[column(metric)] = strconv.FormatFloat(value*by, 'g', 6, 64)
				}
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(i int, row []string)
		want   string
	}{
		{"unchanged", func(int, []string) {}, ""},
		{"exchanged", exchange, "latitude and longitude are probably exchanged in all rows: .* United Kingdom: swap the names of the two columns"},
		{"5 % exchanged", func(i int, row []string) {
			if i%20 == 0 {
				exchange(i, row)
			}
		}, `latitude and longitude are probably exchanged in \d+ of \d+ pubs: exchange them there`},
		{"no minus signs", unsigned, "minus signs of longitude are probably lost in all rows: .* United Kingdom: write the minus signs that were lost"},
		{"no minus signs in a block", func(i int, row []string) {
			if block := 20_000 / step; i >= block && i < block+500 {
				unsigned(i, row)
			}
		}, `the sign of longitude is probably wrong in \d+ of \d+ pubs, most of them on lines 2\d+ to 2\d+: add or remove the minus there`},
		{"metres of the British grid", func(_ int, row []string) {
			north, err := strconv.ParseFloat(row[lat], 64)
			if err != nil {
				return
			}
			east, err := strconv.ParseFloat(row[lng], 64)
			ok(t, err)
			row[lng] = fmt.Sprintf("%.0f", 400_000+(east+2)*111_320*math.Cos(north*math.Pi/180))
			row[lat] = fmt.Sprintf("%.0f", (north-49)*111_200-100_000)
		}, `latitude and longitude are metres of British National Grid \(EPSG:27700\) in \d+ of \d+ rows: pubd import converts them`},
		{"ratings out of 5", scale(0.5), "ratings are probably out of 5: those of .* pubs go up to 5, and none is higher: multiply them by 2, if they are"},
		{"ratings out of 100", scale(10), `ratings go up to 100 in \d+ of \d+ rated rows: divide them by 10`},
		{"shortened UIDs", func(i int, row []string) { row[column("UID")] = fmt.Sprintf("%.2E", 123_456_789_000+float64(i)*1e6) },
			"UIDs such as 1.23E\\+11 lack digits that a spreadsheet program dropped: .*"},
	} {
		var list bytes.Buffer
		w := csv.NewWriter(&list)
		ok(t, w.Write(header))
		for i, row := range rows {
			row = slices.Clone(row)
			c.change(i, row)
			ok(t, w.Write(row))
		}
		w.Flush()
		files(t, map[string]string{"list.csv": list.String()})
		_, out, _ := runFor(t, "check", "list.csv")
		lines := strings.SplitN(out, "\n", 3)
		got := lines[0]
		if strings.HasPrefix(got, "list.csv: ok: ") {
			got = lines[1]
		}
		failIf(t, !regexp.MustCompile("^(list.csv: )?"+c.want+"$").MatchString(got), "%s: got %q, want %q", c.name, got, c.want)
	}
}
