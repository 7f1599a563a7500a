package httpapi

import (
	"fmt"
	"strings"
	"testing"
)

// A strict query has only parameters that its resource knows. The error suggests the intended one.
func TestStrict(t *testing.T) {
	unknown := func(name, shown, meant string) string {
		message := "Unknown parameter '" + shown + "'"
		if meant != "" {
			message += ": did you mean '" + meant + "'?"
		}
		return `400 {"error":"` + message + `","code":"unknown_parameter","status":400,"parameter":"` + shown + `"}`
	}
	for _, c := range []struct{ target, want string }{
		{"pubs/?search=lion&strict=true", "200"},
		{"pubs/?search=lion&strict=1&=x&&", "200"},
		{"pubs/?search=lion&serach=x", "200"},
		{"pubs/?search=lion&serach=x&strict=false", "200"},
		{"pubs/?search=lion&serach=x&strict=", "200"},
		{"pubs/?search=lion&serach=x&strict=TRUE", unknown("serach", "serach", "search")},
		{"pubs/?serach=lion&strict=true", unknown("serach", "serach", "search")},
		{"pubs/?search=lion&Search=x&strict=true", unknown("Search", "Search", "search")},
		{"pubs/?search=lion&min-beer=5&strict=true", unknown("min-beer", "min-beer", "min_beer")},
		{"pubs/?search=lion&amuont=5&strict=true", unknown("amuont", "amuont", "amount")},
		{"pubs/?search=lion&radius=5&strict=true", unknown("radius", "radius", "")},
		{"pubs/?pubid=u01&feilds=name&strict=true", unknown("feilds", "feilds", "fields")},
		{"pubs/?pubid=u01&page=0&strict=true", "200"},
		{"pubs/?search=lion&zoo=1&page=1&page=2&strict=true", unknown("zoo", "zoo", "")},
		{"pubs/?search=lion&a%22%5Cb%0A=1&strict=true", unknown("", `a\"\\b\u000a`, "")},
		{"pubs/?search=lion&" + strings.Repeat("x", 63) + "%C3%A9y=1&strict=true", unknown("", strings.Repeat("x", 63)+"…", "")},
		{"suggest?search=l&amount=3&strict=true", "200"},
		{"suggest?search=l&page=1&strict=true", unknown("page", "page", "")},
		{"suggest?search=l&page=1", "200"},
		{"suggest?search=l&amounts=1&strict=true", unknown("amounts", "amounts", "amount")},
		{"stats?search=x&strict=true", unknown("search", "search", "")},
		{"stats?strict=true", "200"},
		{"pubs/?search=lion&strict=yes", `400 {"error":"Invalid parameter 'strict': must be true, false, 1 or 0","code":"invalid_parameter","status":400,"parameter":"strict"}`},
		{"pubs/?pubid=u01&strict=yes", `400 {"error":"Invalid parameter 'strict': must be true, false, 1 or 0","code":"invalid_parameter","status":400,"parameter":"strict"}`},
		{"stats?strict=true&strict=true", `400 {"error":"Duplicate parameter 'strict'","code":"duplicate_parameter","status":400,"parameter":"strict"}`},
	} {
		s, _ := withData(t, LogOff)
		x := newExchange("")
		x.ask(s, "/api/v1/"+c.target)
		got := strings.TrimSpace(statusText(x))
		if c.want == "200" && x.response.status == 200 {
			continue
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.target, got, c.want)
		}
		if err := checkJSON(string(x.response.body)); err != nil {
			t.Errorf("%s: %v", c.target, err)
		}
	}
}

// For a parameter name with one letter wrong, missing or added, the error suggests that parameter, or one at the same distance.
func TestNearest(t *testing.T) {
	for _, parameter := range pubsParameters {
		name := parameter.String()
		for _, misspelt := range []string{name[:len(name)-1], name + "s", "x" + name, name[:1] + "x" + name[2:], strings.ToUpper(name)} {
			if found := nearest(misspelt, pubsParameters); found == parameterCount {
				t.Errorf("%s: got nothing, want %s", misspelt, name)
			}
		}
		if found := nearest(name, pubsParameters); found != parameter {
			t.Errorf("%s: got %v", name, found)
		}
	}
	for _, far := range []string{"", "x", "radius", "callback", strings.Repeat("search", 100)} {
		if found := nearest(far, pubsParameters); found != parameterCount {
			t.Errorf("%s: got %v, want none", far, found)
		}
	}
}

// statusText returns the status of a response, and the body of an error.
func statusText(x *exchange) string {
	return fmt.Sprintf("%d %s", x.response.status, x.response.body)
}
