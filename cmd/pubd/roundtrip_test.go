package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pubd/cmd/pubd/cli"
	"pubd/data/lane"
	"pubd/loader"
	"pubd/testkit"
)

// realSnapshot is a directory of real pubs next to some checkouts.
const realSnapshot = "../../../shared/data/uk-pubs.csv"

// awkward has every column, two extra ones, and values that forms of files write in different ways.
const awkward = `UID,name,location,trading,latitude,longitude,common_category,beer,atmos,fengshui,service,toilets,total,review_count,address,postcode,area,alt_names,website,opening_hours
1,Red Lion,Ely,open,52.399,0.262,Pub,7.5,8,6.25,9,10,8.15,12,1 High Street,CB7 4LS,Cambridgeshire,The Lion;Old Lion,https://lion.example/?a=1&b=2,"Mo-Su 11:00-23:00; ""late"" Fr"
2,"The ""Olde"" Bell, Inn",Soham,temporarily_closed,-52.333,-0.336,"Bar, wine",0,0.5,,,,,3,"2, Church Lane; rear",CB7 5HD,"East, Anglia",,,
=1+1,=SUM(A1:A9),@Home,+open,0,0,-1,10,10,10,10,10,10,1000000,=cmd,007,-1,+44,=1,'quoted
node/4,🍺 Café Zoë – “Bär”,København,,90,-180,,,,,,,,0,Straße 1/2 <b>&amp;</b>,,Ærø | Fyn,"居酒屋;Ζorba;a, b",,
-5,'',,,,,,,,,,,,0,,,,,,
6,\N or null?,No,na?,1e1,1.5E-3,none,,,,,,,,?,---,TBC,NULL;-,,"{""a"":[1]}"
7,1,2,3,,,4,5,5,5,5,5,5,5,6,01060,8,9,true,0
8,"6,5",51° N,Closed,51.123456789012,-0.0000001,Permanently closed,4.05,3.62,2.999,1,0,2.33,7,"51.5, -0.12",SW1A 1AA,"a,b;c",Old; Older,,
`

// An export of any format, imported again, is the same directory.
func TestExportsComeBack(t *testing.T) {
	t.Run("awkward", func(t *testing.T) {
		t.Parallel()
		checkExports(t, write(t, "awkward.csv", awkward), "website,opening_hours")
	})
	t.Run("real", func(t *testing.T) {
		lane.Long(t, "imports 51,566 pubs three times")
		t.Parallel()
		if _, err := os.Stat(realSnapshot); err != nil {
			t.Skip(err)
		}
		checkExports(t, realSnapshot, "")
	})
}

// checkExports exports the pubs of a file with some extra columns, and imports them.
func checkExports(t *testing.T, file, extra string) {
	t.Helper()
	var flags []string
	if extra != "" {
		flags = []string{"--extra=" + extra}
	}
	want := pubsOf(t, file, extra)
	server := startServer(t, append(flags, "--data="+file)...)
	for _, format := range []string{"csv", "ndjson", "geojson"} {
		export := server.get("http://"+server.api+"/api/v1/export?include=address,extra&format="+format, "demo")
		testkit.StopIf(t, export.status != 200, "%s: got %d %.300s", format, export.status, export.body)
		in, out := write(t, "pubs."+format, export.body), filepath.Join(t.TempDir(), "pubs.csv")
		code, _, said := runFor(t, slices.Concat([]string{"import"}, flags, []string{in, out})...)
		testkit.StopIf(t, code != cli.ExitOK, "%s: import: %d %s", format, code, said)
		got := pubsOf(t, out, extra)
		testkit.FailIf(t, len(got) != len(want), "%s: got %d pubs, want %d", format, len(got), len(want))
		for uid, pub := range want {
			testkit.StopIf(t, got[uid] != pub, "%s: pub %q:\n got %s\nwant %s", format, uid, got[uid], pub)
		}
	}
}

// pubsOf returns the pubs of a snapshot by UID, as text.
func pubsOf(t *testing.T, file, extra string) map[string]string {
	t.Helper()
	options := loader.Options{}
	if extra != "" {
		options.Extra = strings.Split(extra, ",")
	}
	loaded, err := loader.LoadFile(file, options)
	testkit.OK(t, err)
	pubs := map[string]string{"counts reviews": fmt.Sprint(loaded.Directory.CountsReviews)}
	for _, pub := range loaded.Directory.Pubs {
		pubs[pub.UID] = fmt.Sprintf("%#v", pub)
	}
	return pubs
}
