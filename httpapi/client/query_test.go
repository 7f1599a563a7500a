package client_test

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pubd/httpapi/client"
	"pubd/httpapi/params"
)

// everything has a value for every parameter, although the service does not accept all of them together.
var everything = client.Query{
	UID: "a", UIDs: []string{"b", "c"}, Search: "red & lion", Strict: true, Page: 2, Amount: 3, Sort: client.SortWeighted,
	Order: client.Descending, Weights: client.ByMetric[float64]{Beer: 3, Toilets: .5}, Seed: new(int64(0)),
	Center: &client.Point{}, Around: "d", Distance: new(client.Kilometres(0)), Near: &client.Point{Lat: 51.5, Lng: -.1},
	Marker: "e", Exclude: []string{"f", "g"}, Box: &client.Box{West: -1, South: 50, East: 1, North: 52}, Rated: true,
	Min:        client.Ratings{Beer: new(0.), Atmos: new(1.), Fengshui: new(2.), Service: new(3.), Toilets: new(4.), Total: new(5.5)},
	MinReviews: 6, Trading: []string{"open", "closed"}, Category: []string{"h"}, Location: []string{"Bristol, City of"},
	Include: []client.Member{client.MemberLabel, client.MemberMatch}, Fields: []client.Member{client.MemberUID, client.MemberName},
	Facets: []client.Facet{client.FacetTrading, client.FacetCategory}, Snapshot: "i",
}

// sent returns the parameters that a client sends for a query.
func sent(t *testing.T, q client.Query) (values url.Values) {
	t.Helper()
	address, _ := answering(t, func(w http.ResponseWriter, r *http.Request) {
		values = r.URL.Query()
		_, _ = w.Write([]byte("{}"))
	})
	must(clientOf(address).Search(t.Context(), q))
	return values
}

// Every field is sent as its parameter. Zero fields are not sent.
func TestParameters(t *testing.T) {
	want := map[string]string{
		"pubid": "a", "pubids": "b,c", "search": "red & lion", "relax": "false", "page": "2", "amount": "3", "sort": "weighted",
		"order": "DESC", "weights": "beer:3,toilets:0.5", "seed": "0", "lat": "0", "lng": "0", "around": "d", "distance": "0",
		"near": "51.5,-0.1", "marker": "e", "exclude": "f,g", "bbox": "-1,50,1,52", "rated": "true", "min_beer": "0",
		"min_atmos": "1", "min_fengshui": "2", "min_service": "3", "min_toilets": "4", "min_total": "5.5", "min_reviews": "6",
		"trading": "open,closed", "category": "h", "location": "Bristol City of", "include": "label,match", "fields": "UID,name",
		"facets": "trading,common_category", "snapshot": "i", "format": "json",
	}
	got := map[string]string{}
	for name, values := range sent(t, everything) {
		got[name] = strings.Join(values, "|")
	}
	equal(t, "everything", got, want)
	equal(t, "zero query", sent(t, client.Query{}), url.Values{"format": {"json"}})
}

// Every field alone is sent, and together they have every parameter of a search or lookup.
func TestEveryFieldIsSent(t *testing.T) {
	names := map[string]bool{"format": true, "strict": true} // the first is the client's own, the second is for typing by hand
	for i := range reflect.TypeFor[client.Query]().NumField() {
		var q client.Query
		fill(reflect.ValueOf(&q).Elem().Field(i))
		values := sent(t, q)
		values.Del("format")
		if len(values) == 0 {
			t.Errorf("%s: is not sent", reflect.TypeFor[client.Query]().Field(i).Name)
		}
		for name := range values {
			names[name] = true
		}
	}
	for _, p := range params.Table {
		if p.TakenBy(params.Search) && !names[p.Name] {
			t.Errorf("no field sends %s", p.Name)
		}
	}
}

// fill gives a value of any type used by queries something other than zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// The service knows every parameter that a client can send: it ignores none.
func TestParametersAreKnown(t *testing.T) {
	names := sent(t, everything)
	delete(names, "pubid")
	header := raw(t, "/api/v1/pubs/?pubid=28cnk9&unknown&"+strings.Join(slices.Collect(maps.Keys(names)), "&"), new(client.Answer))
	equal(t, "what the service ignores", header.Get("X-Ignored-Params"), "unknown")
}
