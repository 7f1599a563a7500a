package httpapi

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/schema"
)

// waiting is an admission that is looked at while a request waits for it.
type waiting func(Demand)

func (w waiting) Admit(d Demand) bool {
	w(d)
	return false
}

// A request that waits for its admission has no working memory. It says what it takes.
func TestWaitingRequestHoldsNoMemory(t *testing.T) {
	s, _ := withData(t, LogOff)
	for _, target := range []string{"/api/v1/pubs/?pubid=u01", "/api/v1/pubs/?search=lion&amount=7&format=geojson&include=rankings", "/api/v1/points",
		"/api/v1/points?search=lion", "/api/v1/pubs/?search=*&location=York" + strings.Repeat(",", 4000), "/api/v1/suggest?search=lion", "/api/v1/stats", "/api/v1/export"} {
		x := newExchange("")
		x.Request.Peer = netip.MustParseAddr("192.0.2.1")
		x.Request.Path, x.Request.Query = split2(target)
		x.service = s
		demands := 0
		x.Handle(waiting(func(d Demand) {
			demands++
			testkit.FailIf(t, x.workspace != nil, "%s: a waiting request has working memory", target)
			testkit.FailIf(t, x.params.Query.Filter.Values[schema.Location] != nil, "%s: a waiting request has folded values", target)
			testkit.Equal(t, target, fmt.Sprint(d.Key, d.Client.Address, d.Visitor, d.Bytes > 0), "good192.0.2.1/32 false true")
		}))
		testkit.Equal(t, target, fmt.Sprint(demands, x.Response.Status, x.workspace == nil), "1 503 true")
		x.Request.IfNoneMatch = [][]byte{[]byte("*")}
		x.Handle(waiting(func(d Demand) {
			testkit.Equal(t, "what the client has of "+target, fmt.Sprint(d.Bytes, d.Turn == ShortTurn), "0 true")
		}))
	}
}

// Each kind of turns has workspaces of its own, so that few grow large. None keeps the memory of a large body.
func TestWorkspacesBelongToTurns(t *testing.T) {
	s, _ := withData(t, LogOff)
	install(s, onlyFile{}, 10)
	for target, turn := range map[string]Turn{"/api/v1/pubs?pubid=u01": ShortTurn, "/api/v1/pubs?search=*&facets=location": LongTurn, "/large": FileTurn} {
		x := newExchange("")
		x.service, x.Request.Range = s, []byte("bytes=0-")
		x.Request.Path, x.Request.Query = split2(target)
		x.Handle(admitting(true))
		testkit.Equal(t, target, x.Response.Status/100, 2)
		w := x.workspace
		testkit.FailIf(t, w.pool != &s.workspaces[turn], "%s: has a workspace of another kind of turns than %d", target, turn)
		w.body = make([]byte, keptBody+1)
		x.Release()
		testkit.FailIf(t, w.body != nil, "%s: kept %d bytes for a body", target, cap(w.body))
	}
}

// split2 splits a target into path and query.
func split2(target string) (path, query []byte) {
	path, query, _ = bytes.Cut([]byte(target), []byte("?"))
	return path, query
}
