package loader

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/schema"
)

func drawText(t *rapid.T, label string) string {
	text := rapid.StringOfN(rapid.RuneFrom([]rune(`aéß漢🍺 ,"'\/{}[]:;#`)), 1, 12, 1000).Draw(t, label)
	if text == "null" || text == `\N` {
		return "x"
	}
	return text
}

func drawRating(t *rapid.T, label string) float64 {
	switch rapid.IntRange(0, 4).Draw(t, label+" kind") {
	case 0:
		return math.NaN()
	case 1:
		return rapid.Float64Range(0, 10).Draw(t, label)
	case 2:
		return 0
	default:
		return float64(rapid.IntRange(0, 1000).Draw(t, label)) / 100
	}
}

// drawDirectory returns a directory that obeys every rule, with totals.
func drawDirectory(t *rapid.T) corpus.Directory {
	directory := corpus.Directory{CountsReviews: rapid.Bool().Draw(t, "counts reviews")}
	for i := range rapid.IntRange(1, 6).Draw(t, "pubs") {
		pub := schema.Pub{UID: fmt.Sprint(drawText(t, "UID"), i), Name: drawText(t, "name"), Latitude: math.NaN(), Longitude: math.NaN()}
		for _, text := range []*string{&pub.Location, &pub.Address, &pub.Postcode, &pub.Area, &pub.AltNames, &pub.Trading, &pub.Category} {
			if rapid.Bool().Draw(t, "has text") {
				*text = drawText(t, "text")
			}
		}
		if rapid.Bool().Draw(t, "has coordinates") {
			pub.Latitude = rapid.Float64Range(-90, 90).Draw(t, "latitude") + 0
			pub.Longitude = rapid.Float64Range(-180, 180).Draw(t, "longitude") + 0
		}
		if directory.CountsReviews {
			pub.ReviewCount = rapid.Int64Range(0, math.MaxInt64).Draw(t, "reviews") * int64(rapid.IntRange(0, 1).Draw(t, "has reviews"))
		}
		for metric := range pub.Ratings {
			pub.Ratings[metric] = drawRating(t, schema.Metric(metric).String()) + 0
			if directory.CountsReviews && pub.ReviewCount == 0 {
				pub.Ratings[metric] = math.NaN()
			}
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	return directory
}

// written returns a directory as rows of cells with a header. A missing value is empty.
func written(directory corpus.Directory) [][]string {
	rows := make([][]string, 1+len(directory.Pubs))
	for c := range schema.Columns {
		column := &schema.Columns[c]
		if c == schema.ColumnReviewCount && !directory.CountsReviews {
			continue
		}
		rows[0] = append(rows[0], column.Name)
		for i := range directory.Pubs {
			cell := ""
			switch value := column.Value(&directory.Pubs[i]).(type) {
			case float64:
				cell = strconv.FormatFloat(value, 'g', -1, 64)
			case string, int64:
				cell = fmt.Sprint(value)
			}
			rows[i+1] = append(rows[i+1], cell)
		}
	}
	return rows
}

func asCSV(rows [][]string) string {
	var text strings.Builder
	writer := csv.NewWriter(&text)
	if err := writer.WriteAll(rows); err != nil {
		panic(err)
	}
	return text.String()
}

// asObjects returns each row as a JSON object, with numbers as numbers and missing values as null.
func asObjects(rows [][]string) []string {
	var objects []string
	for _, row := range rows[1:] {
		var members []string
		for i, value := range row {
			switch {
			case value == "":
				value = "null"
			case KindOf(rows[0][i]) == schema.Text:
				value = marshal(value)
			}
			members = append(members, marshal(rows[0][i])+": "+value)
		}
		objects = append(objects, "{"+strings.Join(members, ", ")+"}")
	}
	return objects
}

// TestRoundTrip writes a directory in every format and compression and reads it back. What was read shares no memory
// with the file.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := drawDirectory(r)
		rows := written(want)
		objects := asObjects(rows)
		for name, text := range map[string]string{
			"p.csv":    asCSV(rows),
			"bom.csv":  "\xef\xbb\xbf" + strings.ReplaceAll(asCSV(rows), "\n", "\r\n"),
			"p.json":   "[" + strings.Join(objects, ",\n") + "]",
			"o.json":   `{"pubs":[` + strings.Join(objects, ",") + "]}",
			"p.ndjson": strings.Join(objects, "\n"),
			"p.jsonl":  strings.Join(objects, "\r\n\n") + "\n",
		} {
			for _, suffix := range []string{"", ".gz", ".zst"} {
				content := pack(t, suffix, text)
				result, err := Load(name+suffix, content, Options{})
				clear(content)
				testkit.StopIf(r, err != nil, "%s: %v\n%s", name+suffix, err, text)
				if got := result.Directory; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
					r.Fatalf("%s\n got %+v\nwant %+v", name+suffix, got, want)
				}
			}
		}
	})
}
