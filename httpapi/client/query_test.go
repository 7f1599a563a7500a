package client_test

import (
	"net/http"
	"net/url"
	"reflect"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/client"
	"pubd/httpapi/params"
)

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

// Every field alone is sent, and together they have every parameter of a search or lookup.
func TestEveryFieldIsSent(t *testing.T) {
	names := map[string]bool{"format": true, "strict": true} // the first is the client's own, the second is for typing by hand
	for i := range reflect.TypeFor[client.Query]().NumField() {
		var q client.Query
		fill(reflect.ValueOf(&q).Elem().Field(i))
		values := sent(t, q)
		values.Del("format")
		testkit.FailIf(t, len(values) == 0, "%s: is not sent", reflect.TypeFor[client.Query]().Field(i).Name)
		for name := range values {
			names[name] = true
		}
	}
	for _, p := range params.Table {
		testkit.FailIf(t, p.TakenBy(params.Search) && !names[p.Name], "query.go: no field of Query sends %s", p.Name)
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
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string][]string{"beer_garden": {"x"}}))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}
