package convert

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/lists/list"
	"pubd/cmd/pubd/lists/merge"
	"pubd/index/corpus"
	"pubd/index/features"
	"pubd/index/schema"
	"pubd/loader"
)

const casesFile = "testdata/convert.txt"

// TestConvert converts each list of the cases. Rows and complaints are joined by ⏎.
func TestConvert(t *testing.T) {
	text := testkit.Must(os.ReadFile(casesFile))(t)
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			out.WriteString(line + "\n")
			continue
		}
		given, want, found := strings.Cut(line, " -> ")
		testkit.StopIf(t, !found, "%s: has no arrow", line)
		words, escaped, _ := strings.Cut(given, "|")
		options := optionsOf(t, words)
		content := unescape(t, strings.TrimPrefix(escaped, " "))
		result, err := Convert("in", content, options)
		got := outcomeOf(result, err)
		testkit.FailIf(t, got != want, "%s:\n got %s\nwant %s", given, got, want)
		out.WriteString(given + " -> " + got + "\n")
		if err == nil {
			checkResult(t, result, options.Extra...)
		}
	}
	if *testkit.Update {
		testkit.OK(t, os.WriteFile(casesFile, []byte(out.String()), 0o644))
	}
}

// optionsOf parses words such as "csv map:name=Title extra:beds auto".
func optionsOf(t *testing.T, words string) (options Options) {
	for word := range strings.FieldsSeq(words) {
		kind, value, _ := strings.Cut(word, ":")
		switch kind {
		case "map":
			ours, theirs, _ := strings.Cut(value, "=")
			options.Map = append(options.Map, Mapping{Ours: ours, Theirs: theirs})
		case "extra":
			options.Extra = strings.Split(value, ",")
		case "kinds":
			options.Kinds = strings.Split(value, ",")
		case "list":
			options.Path = value
		case "preset":
			options.Map, options.Header, _ = Preset(value)
		case "features":
			var err error
			if options.Vocabulary, err = features.BuiltIn().With([]byte(value), "features"); err != nil {
				t.Fatal(err)
			}
		case "auto":
			options.AutoUID = true
		case "postgres":
			options.IsPostgres = true
		case "town":
			options.Towns = merge.Towns(value)
		case "places": // each a name, a latitude, a longitude and a population
			for place := range strings.SplitSeq(value, ";") {
				var p corpus.GazetteerPlace
				if _, err := fmt.Sscan(strings.ReplaceAll(place, ",", " "), &p.Name, &p.At.Lat, &p.At.Lng, &p.Population); err != nil {
					t.Fatal(place, err)
				}
				options.Places = append(options.Places, p)
			}
		default:
			options.From = list.Form(word)
		}
	}
	return options
}

// unescape returns a text with escape sequences as in Go.
func unescape(t *testing.T, escaped string) []byte {
	t.Helper()
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(escaped, `"`, `\"`) + `"`)
	if err != nil {
		t.Fatal(err, escaped)
	}
	return []byte(text)
}

// outcomeOf returns the rows of a result, why others were rejected and values left out, or the error.
func outcomeOf(result *Result, err error) string {
	if err != nil {
		return "! " + err.Error()
	}
	text := textOf(result.Snapshot)
	for _, complaint := range result.Complaints {
		text += "! " + complaint.Error() + "\n"
	}
	for _, c := range result.Counts {
		if c.Example != nil {
			text += fmt.Sprintf("(%d left out: %v)\n", c.LeftOut, c.Example)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(result.Skipped)) {
		text += "(" + strconv.Itoa(result.Skipped[kind]) + " " + kind + ")\n"
	}
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "⏎")
}

// checkResult checks a result against its documentation.
func checkResult(t *testing.T, result *Result, extra ...string) {
	t.Helper()
	taken := len(result.Snapshot.Rows)
	testkit.FailIf(t, result.Rows != taken+result.Repeated+len(result.Complaints),
		"%d rows, %d taken, %d complaints", result.Rows, taken, len(result.Complaints))
	if taken == 0 {
		return
	}
	text := textOf(result.Snapshot)
	loaded, err := loader.Load("out.csv", []byte(text), loader.Options{Extra: schema.ExtraColumns(extra)})
	testkit.FailIf(t, err != nil || len(loaded.Directory.Pubs) != taken || len(loaded.Ignored) > 0,
		"the snapshot %q: %v, want %d pubs", text, err, taken)
	for _, complaint := range result.Complaints {
		if complaint.File != "in" || complaint.Line < 1 || complaint.Rule == "" || strings.Contains(complaint.Error(), "\n") {
			t.Errorf("the complaint %q", complaint)
		}
	}
}

// textOf returns a snapshot as CSV; empty if it has no row.
func textOf(snapshot merge.Snapshot) string {
	var text strings.Builder
	if len(snapshot.Rows) > 0 {
		snapshot.WriteCSV(&text)
	}
	return text.String()
}
