package client_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/httpapi/client"
)

// raw sends a request without the client and decodes the answer. A member that the client does not know fails the
// test.
func raw(t *testing.T, target string, into any) http.Header {
	t.Helper()
	request := must(http.NewRequestWithContext(t.Context(), "GET", sampleAddress()+target, nil))
	request.Header.Set("x-api-key", "demo")
	response := must(http.DefaultClient.Do(request))
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	testkit.StopIf(t, err != nil || response.StatusCode != 200, "%s: got %d, %v", target, response.StatusCode, err)
	return response.Header
}

const soho = "lat=51.5136&lng=-0.1319"

var (
	inSoho = &client.Point{Lat: 51.5136, Lng: -.1319}
	one    = new(client.Kilometres(1))
)

// searches are queries and the equivalent query strings.
var searches = []struct {
	query client.Query
	same  string
}{
	{client.Query{Search: "red lion"}, "search=red+lion"},
	{client.Query{Search: client.Every, Page: 3, Amount: 7, Sort: client.SortTotal, Order: client.Descending, Rated: true},
		"search=*&page=3&amount=7&sort=total&order=desc&rated=true"},
	{client.Query{Search: "nothing like it at all", Strict: true}, "search=nothing+like+it+at+all&relax=false"},
	{client.Query{Search: "lion", More: true}, "search=lion&relax=more"},
	{client.Query{Search: "wheatshaef salford"}, "search=wheatshaef+salford"},
	{client.Query{Search: client.Every, Center: inSoho, Distance: one}, "search=*&distance=1&" + soho},
	{client.Query{Search: client.Every, Center: inSoho, Distance: one, Marker: "The Glaziers Arms", Amount: 2},
		"search=*&distance=1&marker=the+GLAZIERS+arms&amount=2&" + soho},
	{client.Query{Search: client.Every, Around: "6xkb84", Distance: one}, "search=*&around=6xkb84&distance=1"},
	{client.Query{Search: "lion", Near: inSoho, Sort: client.SortDistance, Amount: 3}, "search=lion&near=51.5136,-0.1319&sort=distance&amount=3"},
	{client.Query{Search: client.Every, Box: &client.Box{West: -1, South: 51, East: 1, North: 52}}, "search=*&bbox=-1,51,1,52"},
	{client.Query{Search: client.Every, Min: client.Ratings{Beer: new(8.5), Toilets: new(7.)}, MinReviews: 4}, "search=*&min_beer=8.5&min_toilets=7&min_reviews=4"},
	{client.Query{Search: client.Every, Max: client.Ratings{Beer: new(8.5)}, MaxReviews: new(int64(9))}, "search=*&max_beer=8.5&max_reviews=9"},
	{client.Query{Search: client.Every, Area: []string{"london", "Wales"}}, "search=*&area=london,wales"},
	{client.Query{Search: client.Every, Postcode: []string{"BR1", "st1"}}, "search=*&postcode=BR1,ST1"},
	{client.Query{Search: "lion", Trading: []string{"closed", "open"}, Category: []string{"Gastropub", "brewpub"}},
		"search=lion&trading=closed,open&category=gastropub,brewpub"},
	{client.Query{Search: client.Every, Location: []string{"Soho", "Batley"}, Exclude: []string{"28cnk9"}}, "search=*&location=soho,batley&exclude=28cnk9"},
	{client.Query{Search: "lion", Sort: client.SortFair, Order: client.Descending}, "search=lion&sort=fair&order=desc"},
	{client.Query{Search: "lion", Sort: client.SortWeighted, Weights: client.ByMetric[float64]{Beer: 3, Toilets: 1}},
		"search=lion&sort=weighted&weights=beer:3,toilets:1"},
	{client.Query{Search: "lion", Sort: client.SortRandom, Seed: new(int64(0))}, "search=lion&sort=random&seed=0"},
	{client.Query{Search: "red lion", Sort: client.SortRelevance}, "search=red+lion&sort=relevance"},
	{client.Query{Search: "lion", Include: []client.Member{client.MemberRankings, client.MemberLocalRankings, client.MemberMatch, client.MemberLabel}},
		"search=lion&include=rankings,local_rankings,match,label"},
	{client.Query{Search: "lion", Include: []client.Member{client.MemberAddress, client.MemberExtra}}, "search=lion&include=address,extra"},
	{client.Query{Search: "lion", Include: []client.Member{client.MemberFeatures, client.MemberHours, client.MemberBrand}, Facets: []client.Facet{client.FacetFeatures}},
		"search=lion&include=features,hours,brand&facets=features"},
	{client.Query{Search: "lion", Open: "2026-11-28T20:00", OpenUnknown: true}, "search=lion&open=2026-11-28T20:00&open_unknown=true"},
	{client.Query{Search: "lion", Fields: []client.Member{client.MemberPostcode, client.MemberArea}}, "search=lion&fields=postcode,area"},
	{client.Query{Search: "lion", Fields: []client.Member{client.MemberUID, client.MemberTotal}}, "search=lion&fields=UID,total"},
	{client.Query{Search: "lion", Facets: []client.Facet{client.FacetLocation, client.FacetTrading, client.FacetCategory}},
		"search=lion&facets=location,trading,common_category"},
	{client.Query{UIDs: []string{"28cnk9", "nobody", "6xkb84"}, Fields: []client.Member{client.MemberName}}, "pubids=28cnk9,nobody,6xkb84&fields=name"},
}

// A query and its query string get the same answer, and the client knows every member of it.
func TestSearch(t *testing.T) {
	for _, s := range searches {
		want := new(client.Answer)
		header := raw(t, "/api/v1/pubs/?"+s.same, want)
		want.Snapshot = header.Get("X-Snapshot")
		got := must(sample().Search(t.Context(), s.query))
		testkit.FailIf(t, !strings.HasPrefix(got.ETag, `"`+got.Snapshot) || got.Ignored != nil, "%s: ETag %s, ignored %q", s.same, got.ETag, got.Ignored)
		got.ETag = ""
		testkit.Equal(t, s.same, got, want)
		testkit.Equal(t, s.same+": no pubs", len(got.Results) == 0, s.query.Strict)
	}
}

func TestSuggest(t *testing.T) {
	for _, q := range []struct {
		query client.Query
		path  string
	}{
		{client.Query{Search: "red l", Amount: 2, Page: 7}, "search=red+l&amount=2"},
		{client.Query{Search: "red l", Near: inSoho}, "search=red+l&near=51.5136,-0.1319"},
	} {
		got := must(sample().Suggest(t.Context(), q.query))
		want := new(client.Suggestions)
		want.Snapshot = raw(t, "/api/v1/suggest?"+q.path, want).Get("X-Snapshot")
		want.ETag = got.ETag
		testkit.Equal(t, q.path, got, want)
		testkit.FailIf(t, len(got.Suggestions) == 0 || got.ETag == "" || (got.Suggestions[0].Distance != nil) != (q.query.Near != nil), "%s: got %s", q.path, text(got))
	}
}

func TestStats(t *testing.T) {
	got := must(sample().Stats(t.Context(), ""))
	want := new(client.Stats)
	want.ETag = raw(t, "/api/v1/stats", want).Get("ETag")
	testkit.FailIf(t, !reflect.DeepEqual(got, want) || got.Pubs != data.SamplePubs || len(got.Metrics.Beer.Histogram) != 20 || got.LoadedAt.IsZero(),
		"got %s, want %s", text(got), text(want))
	testkit.Equal(t, "of its snapshot", must(sample().Stats(t.Context(), got.Snapshot)).Snapshot, got.Snapshot)
}

func TestErrors(t *testing.T) {
	good := sample()
	bad, absent := must(client.New(sampleAddress(), "no such key")), must(client.New(sampleAddress(), ""))
	every := client.Query{Search: client.Every}
	for _, r := range []struct {
		client    *client.Client
		query     client.Query
		status    int
		code      client.Code
		parameter string
	}{
		{good, client.Query{Search: "x", Amount: 101}, 400, client.InvalidParameter, "amount"},
		{good, client.Query{Search: "x", Seed: new(int64(-1))}, 400, client.InvalidParameter, "seed"},
		{good, client.Query{Search: "x", Around: "28cnk9"}, 400, client.MissingParameter, "distance"},
		{good, client.Query{}, 400, client.MissingParameter, ""},
		{good, client.Query{UID: "nobody"}, 404, client.PubNotFound, ""},
		{good, client.Query{Search: "x", Snapshot: "gone"}, 410, client.SnapshotGone, ""},
		{good, client.Query{Search: "x", Exclude: []string{strings.Repeat("x", 5000)}}, 414, client.RequestTooLarge, ""},
		{bad, every, 403, client.KeyInvalid, ""},
		{absent, every, 401, client.KeyRequired, ""},
		{clientOf(sampleAddress() + "/below"), every, 404, "not_found", ""},
	} {
		_, err := r.client.Search(t.Context(), r.query)
		got := refusal(err)
		testkit.Equal(t, text(r.query), got, client.Error{Status: r.status, Code: r.code, Parameter: r.parameter, Message: got.Message, Hint: got.Hint, RequestID: got.RequestID})
		testkit.FailIf(t, got.Message == "" || len(got.RequestID) != 26 || !strings.Contains(err.Error(), got.Message) || strings.Contains(err.Error(), "no such key"),
			"%s: got %v", text(r.query), err)
	}
}

func TestAddresses(t *testing.T) {
	for address, ok := range map[string]bool{"http://localhost:8080": true, "https://pubs.test/behind/": true, "localhost:8080": false,
		"/": false, "ftp://pubs.test": false, "http://": false, "http://pubs.test/?search=x": false, "": false, "http://%": false} {
		_, err := client.New(address, "demo")
		testkit.FailIf(t, (err == nil) != ok, "%q: got %v, want no error: %v", address, err, ok)
	}
}
