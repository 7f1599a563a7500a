package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/points"
)

func getPoints(query string, headers ...string) string {
	return request11("GET", "/api/v1/points"+query, append([]string{"x-api-key: " + goodSecret}, headers...)...)
}

// The body has the points of all pubs, or of those of a search.
func TestPoints(t *testing.T) {
	s, addr := serve(t)
	snapshot := served(s).Snapshot
	for query, uids := range map[string]string{"?search=red+lion": "u01 u02", "?search=*&location=Soho": "u01 u09", "?search=*&around=u01&distance=6&rated=true": "u02 u09",
		"?search=redlion": "u01 u02", "?search=redlion&relax=false": "", "?search=kings+head": "u05", "": ""} {
		var pubs []uint32
		for _, uid := range strings.Fields(uids) {
			ordinal, _ := snapshot.Lookup([]byte(uid))
			pubs = append(pubs, ordinal)
		}
		want, total := points.Append(nil, snapshot, pubs), fmt.Sprint(len(pubs))
		if query == "" {
			want, total = points.All(snapshot, points.Most), ""
		}
		got := send(t, addr, getPoints(query))
		testkit.Equal(t, "points"+query, fmt.Sprintf("%d %s %s %x", got.status, got.header.Get("Content-Type"), got.header.Get("X-Total-Results"), got.body),
			fmt.Sprintf("200 application/octet-stream %s %x", total, want))
		testkit.Equal(t, "points again"+query, send(t, addr, getPoints(query, "If-None-Match: "+got.header.Get("ETag"))).status, 304)
	}
}

// The points of all pubs do not count towards a key's rate; those of a search do.
func TestPointsAreUnmetered(t *testing.T) {
	_, addr := serve(t)
	sent := ""
	for _, query := range []string{"", "", "?search=lion", "?search=lion", ""} {
		sent += request11("GET", "/api/v1/points"+query, "x-api-key: "+limitedSecret)
	}
	testkit.Equal(t, "statuses", statusesOf(answers(t, converse(t, addr, sent, true))), "200 200 200 429 200")
}
