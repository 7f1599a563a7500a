package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/schema"
	"pubd/loader"
)

// awkward has every column, two extra ones, and values that forms of files write in different ways.
const awkward = `UID,name,location,trading,latitude,longitude,common_category,beer,atmos,fengshui,service,toilets,total,review_count,address,postcode,area,alt_names,features,opening_hours,brand,time_zone,website,smoking
1,Red Lion,Ely,open,52.399,0.262,Pub,7.5,8,6.25,9,10,8.15,12,1 High Street,CB7 4LS,Cambridgeshire,The Lion;Old Lion,garden; -dog; Pool Table,Mo-Su 11:00-23:00; PH off,Big & Co,Europe/London,https://lion.example/?a=1&b=2,"Mo-Su 11:00-23:00; ""late"" Fr"
2,"The ""Olde"" Bell, Inn",Soham,temporarily_closed,-52.333,-0.336,"Bar, wine",0,0.5,,,,,3,"2, Church Lane; rear",CB7 5HD,"East, Anglia",,,,"Inns, Ltd",,,
=1+1,=SUM(A1:A9),@Home,+open,0,0,-1,10,10,10,10,10,10,1000000,=cmd,007,-1,+44,=wifi,+1,-x,,=1,'quoted
node/4,🍺 Café Zoë – “Bär”,København,,90,-180,,,,,,,,0,Straße 1/2 <b>&amp;</b>,,Ærø | Fyn,"居酒屋;Ζorba;a, b",dog,"Su 12:00-22:00 ""late""",,Europe/Copenhagen,,
-5,'',,,,,,,,,,,,0,,,,,,,,,,
6,\N or null?,No,na?,1e1,1.5E-3,nones,,,,,,,,?!,-x-,TBC 1,NULLs;-x,x?,x,TBC 2,,,"{""a"":[1]}"
7,1,2,3,,,4,5,5,5,5,5,5,5,6,01060,8,9,1,2,3,,true,0
8,"6,5",51° N,Closed,51.123456789012,-0.0000001,Permanently closed,4.05,3.62,2.999,1,0,2.33,7,"51.5, -0.12",SW1A 1AA,"a,b;c",Old; Older,,Öffnungszeiten,Old;Older,,,
`

// An export of any format, imported again, is the same directory, but for values that any list means as missing.
func TestExportsComeBack(t *testing.T) {
	t.Parallel()
	const extra = "--extra=website,smoking"
	file := testkit.File(t, "awkward.csv", awkward)
	want, server := pubsOf(t, file), startServer(t, "--data="+file, extra)
	for _, format := range []string{"csv", "ndjson", "geojson"} {
		export := server.get("http://"+server.api+"/api/v1/export?include=address,extra&format="+format, "demo")
		in, out := testkit.File(t, "pubs."+format, export.body), filepath.Join(t.TempDir(), "pubs.csv")
		must(t, "import", extra, in, out)
		testkit.Equal(t, format, pubsOf(t, out), want)
	}
}

// pubsOf returns the pubs of a snapshot by UID, as text.
func pubsOf(t *testing.T, file string) map[string]string {
	t.Helper()
	loaded := testkit.Must(loader.LoadFile(file, loader.Options{Extra: []schema.ExtraColumn{"website", "smoking"}}))(t)
	pubs := map[string]string{"counts reviews": fmt.Sprint(loaded.Directory.CountsReviews)}
	for _, pub := range loaded.Directory.Pubs {
		pubs[pub.UID] = fmt.Sprintf("%#v", pub)
	}
	return pubs
}
