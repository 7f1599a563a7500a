package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The small lists of ../shared/cases are read and served as people expect.
func TestSharedCases(t *testing.T) {
	folder, err := filepath.Abs("../../../shared/cases")
	ok(t, err)
	if _, err := os.Stat(folder); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		command string // FOLDER/ stands for the folder
		code    int
		said    string
		pubs    string // the snapshot
	}{
		{"import 01-import-quote-swallows/in.csv out.csv", exitOK, "in.csv:4: a quote that opens here is not closed before line 12, byte 11: close it, or double each quote within\n10 of 11 rows accepted, 1 rejected",
			"UID,name\n1,Pub 1\n2,Pub 2\n4,Pub 4\n5,Pub 5\n6,Pub 6\n7,Pub 7\n8,Pub 8\n9,Pub 9\n10,Pub 10\n11,Pub 11\n"},
		{"import 02-import-utf16/in.csv out.csv", exitOK, "csv, UTF-16, tabs", "UID,name,location\n1,Café Zlín,Praha\n"},
		{"import 03-import-no-id/in.csv out.csv", exitError, "no column is a UID: add --uid auto to the command", ""},
		{"import --uid auto 03-import-no-id/in.csv out.csv", exitOK, "made from name and place", "UID,name,latitude,longitude\nauto-73a27be099ff8650,The Bell,53.34,-6.45\nauto-3af3aa658731bd61,The Bear,53.35,-6.46\n"},
		{"import --uid auto 03-import-no-id/in.geojson out.csv", exitOK, "1 of 1 rows accepted", "UID,name,latitude,longitude\nauto-73a27be099ff8650,The Bell,53.34,-6.45\n"},
		{"check 04-long-column/in.csv", exitError, `in.csv:1: column "long": is not a known column and is ignored: is it longitude?`, ""},
		{"import 04-long-column/in.csv out.csv", exitOK, "latitude, longitude  lat, long", "UID,name,latitude,longitude\n1,Bell,51.5,-0.1\n2,Bear,51.6,-0.2\n"},
		{"import 09-overpass-geom/geom.json out.csv", exitOK, "1 of 1 rows accepted", "UID,name,latitude,longitude,common_category\nway/10,Bell,51.001,1.001,Pub\n"},
		{"import 09-overpass-geom/skel.json out.csv", exitOK, "1 of 1 rows accepted", "UID,name,latitude,longitude,common_category\nway/10,Bell,51.001,1.001,Pub\n"},
		{"import 11-geojson-members-dropped/in.geojson out.csv", exitOK, "location             city",
			"UID,name,location,latitude,longitude,common_category,address,postcode\na,Bell,Diss,38.9,-77.04,Brewpub,1 Mill Row,IP22 1AA\n"},
		{"import 12-combined-coordinates/latlng.csv out.csv", exitOK, "latitude, longitude  coordinates", "UID,name,latitude,longitude\n1,Bell,51.5,-0.12\n"},
		{"import --map uid=item 12-combined-coordinates/wikidata.csv out.csv", exitOK, "latitude, longitude  coord", "UID,name,latitude,longitude\nQ1,Bell,51.5,-0.12\n"},
		{"import 13-semicolon-wording/in.csv out.csv", exitError, "in.csv:2: has 4 fields, the header has 3: put a field with semicolons in quotes", "UID,name,location\n2,Bear,Diss\n"},
		{"import 15-alt-names/in.json out.csv", exitOK, "alt_name", "UID,name,latitude,longitude,common_category,alt_names\nnode/1,Mönchsbräu,47.8,13.0,Pub,Klosterkeller; Abbey Cellar\n"},
	} {
		words := strings.Fields(c.command)
		for i, word := range words {
			if strings.Contains(word, "/") {
				words[i] = filepath.Join(folder, word)
			}
		}
		code, out, errs := runFor(t, words...)
		equal(t, c.command+": exit code", code, c.code)
		contains(t, c.command, out+errs, c.said)
		if c.pubs != "" {
			equal(t, c.command, string(read(t, "out.csv")), c.pubs)
		}
	}

	alike := serve(t, "--data", filepath.Join(folder, "06-plural-generic-words/in.csv"))
	for _, query := range []string{"pub+in+diss", "pubs+in+diss", "bars+in+diss", "hotels+in+diss"} {
		equal(t, query, count(t, alike.search("search="+query, "demo")).Total, 2)
	}
	failIf(t, count(t, alike.search("search=brewpub+diss", "demo")).Total == 0, "brewpub diss: finds nothing")

	stale := serve(t, "--data", filepath.Join(folder, "07-if-match/in.csv"))
	request, err := http.NewRequest(http.MethodGet, "http://"+stale.api+"/api/v1/export", nil)
	ok(t, err)
	for name, value := range map[string]string{"x-api-key": "demo", "Range": "bytes=5-", "If-Match": `"stale"`} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	ok(t, err)
	ok(t, response.Body.Close())
	equal(t, "If-Match of another snapshot", response.StatusCode, http.StatusPreconditionFailed)

	other := serve(t, "--data", "out.csv")
	for _, query := range []string{"klosterkeller", "abbey+cellar"} {
		equal(t, query, count(t, other.search("search="+query, "demo")).Total, 1)
	}
}
