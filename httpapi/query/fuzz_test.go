package query

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pubd/bench/testkit"
	"pubd/httpapi/params"
	"pubd/index/schema"
)

func FuzzQueryString(f *testing.F) {
	for _, c := range queries(f) {
		f.Add([]byte(c.Given))
	}
	f.Add([]byte("search=%ff&lat=1e999&lng=NaN&distance=-0&marker=%EF%B7%BA"))
	var used Params // by all earlier inputs
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = raw[:len(raw):len(raw)]
		kept := bytes.Clone(raw)
		var fresh Params
		fault1 := fresh.Parse(params.Search, raw, nil, testUnpaged, nil)
		fault2 := used.Parse(params.Search, bytes.Clone(raw), nil, testUnpaged, nil)
		testkit.StopIf(t, !bytes.Equal(raw, kept), "?%q: the query was changed to %q", kept, raw)
		got, again := describe(&fresh, fault1), describe(&used, fault2)
		testkit.StopIf(t, got != again || fresh.Operation != used.Operation, "?%q: got %s, then %s", raw, got, again)
		if got, again := string(fresh.AppendIgnored(nil)), string(used.AppendIgnored(nil)); got != again || strings.ContainsAny(got, "\r\n\x00") {
			t.Fatalf("?%q: ignored %q, then %q", raw, got, again)
		}
		if fault1.IsSet() {
			testkit.StopIf(t, !json.Valid(fault1.Append(nil)) || fault1.Row.Status != 400,
				"?%q: %s", raw, fault1.Append(nil))
			return
		}
		q := &fresh.Query
		switch {
		case fresh.Operation == params.Lookup:
			testkit.StopIf(t, len(fresh.Pubid) == 0 && len(fresh.UIDs) == 0 || !utf8.Valid(fresh.Pubid),
				"?%q: UID %q", raw, fresh.Pubid)
		case len(q.Text) == 0 || !utf8.Valid(q.Text) || utf8.RuneCount(q.Text) > params.MaxSearch || q.Page < 1 || q.Sort >= schema.SortCount:
			t.Fatalf("?%q: text %q, page %d, sort %d", raw, q.Text, q.Page, q.Sort)
		case fresh.Operation == params.Search:
			testkit.StopIf(t, q.Amount < 1 || q.Amount > params.MaxAmount || (q.Sort == schema.SortDistance || q.Circle != nil) && !fresh.near || q.Marker != nil,
				"?%q: %+v", raw, q)
		case q.Circle == nil && fresh.Around == nil || !utf8.Valid(q.Marker) || q.Amount != testUnpaged && (q.Amount < 1 || q.Amount > params.MaxAmount) ||
			math.Abs(fresh.Lat) > 90 || math.Abs(fresh.Lng) > 180 || !(0 <= fresh.Radius && fresh.Radius <= math.MaxFloat64):
			t.Fatalf("?%q: %+v at %v, %v, %v", raw, q, fresh.Lat, fresh.Lng, fresh.Radius)
		}
	})
}
