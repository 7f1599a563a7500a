package survey

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/loader"
)

// A list is a made-up file: rows by column.
type list []map[string]string

// england returns a list of pubs in the Midlands, each 7 km from the next.
func england(count int) (l list) {
	for i := range count {
		l = append(l, map[string]string{"UID": fmt.Sprint("u", i), "name": fmt.Sprint("Bell ", i), "trading": "open",
			"latitude": fmt.Sprintf("%.3f", 51.8+0.08*float64(i%20)), "longitude": fmt.Sprintf("%.3f", -2.5+0.12*float64(i/20))})
	}
	return l
}

// at returns a list of pubs near a place.
func at(count int, lat, lng float64) (l list) {
	l = england(count)
	for i, row := range l {
		row["latitude"], row["longitude"] = fmt.Sprintf("%.3f", lat+float64(i%10)/100), fmt.Sprintf("%.3f", lng+float64(i/10)/100)
	}
	return l
}

// from changes the rows in a range.
func (l list) from(start, end int, change func(i int, row map[string]string)) list {
	for i := start; i < end; i++ {
		change(i, l[i])
	}
	return l
}

func (l list) each(change func(i int, row map[string]string)) list { return l.from(0, len(l), change) }

func (l list) with(other list) list {
	return append(l, other...).each(put("UID", "u#"))
}

func exchange(_ int, row map[string]string) {
	row["latitude"], row["longitude"] = row["longitude"], row["latitude"]
}

func unsigned(_ int, row map[string]string) {
	row["latitude"], row["longitude"] = strings.TrimPrefix(row["latitude"], "-"), strings.TrimPrefix(row["longitude"], "-")
}

// put sets columns of a row; in values, # is its number.
func put(pairs ...string) func(i int, row map[string]string) {
	return func(i int, row map[string]string) {
		for p := 0; p < len(pairs); p += 2 {
			row[pairs[p]] = strings.ReplaceAll(pairs[p+1], "#", strconv.Itoa(i))
		}
	}
}

// rate sets a rating of a row, in turn.
func rate(column string, ratings ...string) func(i int, row map[string]string) {
	return func(i int, row map[string]string) { row[column] = ratings[i%len(ratings)] }
}

// survey surveys a list as a CSV file.
func (l list) survey(t *testing.T) *Survey {
	t.Helper()
	columns := map[string]bool{}
	for _, row := range l {
		for column := range row {
			columns[column] = true
		}
	}
	header := slices.Sorted(maps.Keys(columns))
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write(header)
	for _, row := range l {
		var record []string
		for _, column := range header {
			record = append(record, row[column])
		}
		_ = w.Write(record)
	}
	w.Flush()
	result := testkit.Must(loader.Load("list.csv", []byte(text.String()), loader.Options{}))(t)
	return Of(&result.Directory, Options{Lines: result.Lines})
}

// Mistakes of whole files and of single pubs are found, and what resembles them is not.
func TestWholeFiles(t *testing.T) {
	var greece list
	for _, island := range [][2]float64{{37.08, 25.15}, {36.4, 25.46}, {37.44, 25.33}, {36.75, 24.43}, {37.6, 26.15}, {39.2, 26.2}, {35.5, 27.2}, {36.1, 29.58}} {
		greece = greece.with(at(10, island[0], island[1])).each(put("name", "Taverna #"))
	}
	for _, c := range []struct {
		name string
		list list
		want string // the findings about the file, and the kinds of those about pubs with their counts
	}{
		{"nothing", england(200), ""},
		{"a small list", england(25), ""},
		{"a town on the coast", at(60, 50.82, -0.15), ""},
		{"islands", england(180).with(at(9, 60.15, -1.15)).with(at(9, 58.97, -2.96)).with(at(9, 49.92, -6.3)), ""},
		{"Greek islands", greece, ""},
		{"Fiji, on both sides of 180°", at(40, -16.8, 179.9).with(at(40, -16.8, -179.98)), ""},
		{"countries", at(30, 52.5, 13.3).with(at(30, 48.8, 2.3)).with(at(30, 40.4, -3.7)).with(at(20, -34.6, -58.5)).with(at(3, 35.7, 139.6)), ""},
		{"Ireland, with the North", at(100, 53.2, -7.5).with(at(30, 54.5, -6.5)), ""},
		{"Ireland, with a pub in Newry", at(100, 53.8, -6.6).with(at(1, 54.18, -6.34)), ""},
		{"a Kenyan town, at home in Toledo if exchanged", at(280, 42.3, -3.7).with(at(40, 39.5, -3.7)).with(at(5, -3.7, 39.5)), ""},
		{"antipodes", at(50, 40.0, -3.7).with(at(50, -40.3, 176.2)), ""},

		{"all exchanged", england(200).each(exchange),
			"latitude and longitude are probably exchanged in all rows: 200 of 200 pubs are in the sea; exchanged, most would be in United Kingdom: swap the names of the two columns"},
		{"a small list, all exchanged", england(25).each(exchange),
			"latitude and longitude are probably exchanged in all rows: 25 of 25 pubs are in the sea; exchanged, most would be in United Kingdom: swap the names of the two columns"},
		{"half exchanged", england(200).from(50, 150, exchange), "swapped 100"},
		{"rows in succession exchanged", england(200).from(50, 80, exchange), "swapped 30"},
		{"few exchanged", england(200).from(50, 54, exchange), "swapped 4"},
		{"all exchanged, some on land", at(90, 50.2, 8.6).with(at(90, 53.5, 10)).each(exchange),
			"latitude and longitude are probably exchanged in all rows: 90 of 180 pubs are in the sea; exchanged, most would be in Germany: swap the names of the two columns"},
		{"all without minus", england(200).each(unsigned),
			"minus signs of longitude are probably lost in all rows: 146 of 200 pubs are in the sea; with the other sign of longitude, most would be in United Kingdom: write the minus signs that were lost"},
		{"rows in succession without minus", england(200).from(0, 40, unsigned), "sign 40"},
		{"few without minus", england(200).from(3, 6, unsigned), "sign 3"},
		{"without minus and still on land", england(200).from(190, 191, put("longitude", "1.05")), "far 1"},
		{"Australia without minus", at(100, -33.9, 151).each(unsigned),
			"minus signs of latitude are probably lost in all rows: 100 of 100 pubs are in the sea; with the other sign of latitude, most would be in Australia: write the minus signs that were lost"},
		{"Portugal without minus, or Ethiopia exchanged", at(60, 38.6, -8.9).with(at(40, 41.1, -8.5)).each(unsigned),
			"latitude and longitude are probably exchanged, or minus signs of longitude are probably lost in all rows: 91 of 100 pubs are in the sea; exchanged, most would be in Ethiopia, or with the other sign of longitude, " +
				"most would be in Portugal: swap the names of the two columns, or write the minus signs that were lost"},
		{"Brazil without minus", at(60, -22.9, -43.2).with(at(60, -12.9, -38.4)).each(unsigned), ""},
		{"all in the sea", at(100, 45.2, -30), "sea 100"},
		{"many in the sea", england(200).from(10, 40, put("longitude", "-25.#")), "sea 30"},
		{"few in the sea", england(200).from(10, 13, put("longitude", "-25.#")), "sea 3"},
		{"off the coast", england(200).from(10, 11, put("latitude", "50.65", "longitude", "-1.98")), ""},
		{"one abroad", england(200).from(10, 11, put("latitude", "46.95", "longitude", "7.44")), "country 1"},
		{"several abroad, as on the Isle of Man", england(200).from(10, 13, put("latitude", "54.2", "longitude", "-4.5#")), ""},
		{"all at 0°, 0°", england(40).each(put("latitude", "0", "longitude", "0")), "zero 40"},

		{"twins", england(200).from(10, 11, put("name", "bell 9!", "latitude", "52.5202", "longitude", "-2.5")), "duplicate 1"},
		{"twins without coordinates", england(40).each(put("location", "Ely")).from(3, 5, put("name", "The Swan", "latitude", "", "longitude", "")), "duplicate 1"},
		{"an invisible character", england(40).from(3, 4, put("name", "The Swan\u200b")), "invisible 1"},
		{"no name", england(40).from(3, 4, put("name", "TBC")), "placeholder 1"},
		{"two spaces", england(40).from(3, 4, put("name", "The  Swan")), "spaces 1"},

		{"ratings out of 5", england(40).each(rate("beer", "3", "3.5", "4", "4.5", "5", "2")),
			"ratings are probably out of 5: those of 40 pubs go up to 5, and none is higher: multiply them by 2, if they are"},
		{"ratings out of 5, none of them 5", england(40).each(rate("beer", "3", "3.7", "4.2", "4.6")),
			"ratings are probably out of 5: those of 40 pubs go up to 4.6, and none is higher: multiply them by 2, if they are"},
		{"a harsh reviewer", england(40).each(rate("beer", "3", "3.5", "1", "4", "2", "4.4")), ""},
		{"a harsh reviewer, once pleased", england(40).each(rate("beer", "1", "2", "1.5")).from(7, 8, put("beer", "5")), ""},
		{"one rating above 5", england(40).each(rate("beer", "3", "4", "5")).from(7, 8, put("beer", "6")), ""},
		{"few ratings out of 5", england(40).from(0, 15, rate("beer", "3", "4", "5")), ""},

		{"shortened UIDs", england(40).from(3, 9, put("UID", "1.2#E+11")),
			"6 of 40 UIDs lack digits that a spreadsheet program dropped, such as 1.23E+11: format the column as text before the digits are lost, and export the file again"},
		{"UIDs that resemble shortened ones", england(40).each(put("UID", "1E#")), ""},

		{"hours", england(40).from(3, 6, put("opening_hours", "ask")).from(6, 7, put("opening_hours", "week 1-20 Mo")).from(7, 8, put("opening_hours", "24/7")),
			`opening_hours of 4 of 5 pubs cannot be read: 3 not understood, such as "ask"; 1 week numbers, such as "week 1-20 Mo": write them as in Mo-Th 12:00-23:00; Fr-Su 12:00-24:00`},
		{"features", england(40).each(put("features", "dog;-Beer garden; wifi")).from(3, 5, put("features", "dog;-gardn")).from(5, 6, put("features", "open_now")), "feature 3"},

		{"HTML", england(40).each(put("name", "Rose &amp; Crown #")), "entity 40"},
		{"garbled", england(60).each(put("name", "Café #")).from(0, 25, put("name", "CafÃ© #")), "mojibake 25"},
	} {
		s := c.list.survey(t)
		var got []string
		for _, f := range s.FileFindings {
			testkit.FailIf(t, f.Pubs > f.Of || f.Kind == "", "%s: got %+v", c.name, f)
			got = append(got, f.Reason+": "+f.Advice)
		}
		for _, f := range s.Findings {
			row := c.list[f.Line-2]
			isOf := f.UID == row["UID"] && f.Name == row["name"] && f.Location == row["location"]
			testkit.FailIf(t, !isOf || f.Reason == "" || (f.Other != nil) != (f.Kind == Duplicate),
				"%s: got %+v", c.name, f)
		}
		for _, kind := range Kinds {
			if count := s.Counts[kind.Kind]; count > 0 {
				got = append(got, fmt.Sprint(kind.Kind, " ", count))
			}
		}
		testkit.Equal(t, c.name, strings.Join(got, "; "), c.want)
	}
}

func TestUnknownFeatures(t *testing.T) {
	for features, want := range map[string]string{
		"dog;gardn;swing": `"gardn" is not known, garden is`, "Beer garden;-dogs;-wif": `"wif" is not known, wifi is`, "boat": `"boat" is not known`, "open_late": `"open_late" is not known`,
	} {
		s := england(1).each(put("features", features)).survey(t)
		testkit.FailIf(t, len(s.Findings) != 1 || s.Findings[0].Reason != want,
			"%s: got %+v, want %s", features, s.Findings, want)
	}
}
