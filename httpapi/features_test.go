package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/httpapi/params"
	"pubd/index/corpus"
	"pubd/index/features"
	"pubd/index/schema"
	"pubd/loader"
)

// openPubs is a snapshot of pubs that tell of features and hours, or do not.
const openPubs = `UID,name,location,latitude,longitude,features,opening_hours,brand,time_zone,trading
1,Moon Under Water,Leeds,53.80,-1.55,garden; dog;-wifi,Mo-Su 10:00-24:00,Wetherspoon,,
2,Red Lion,Leeds,53.81,-1.55,-garden,Fr 12:00-02:00; PH off,,,
3,Swan,Leeds,53.79,-1.54,,,,,
4,Crown,York,53.96,-1.08,Dog friendly;"Real ""Ale""",24/7,,,
5,The Garden,York,53.96,-1.08,,17:00+,,America/New_York,
6,Bell,York,53.97,-1.08,dog,off,Wetherspoon,,
7,Star,York,53.98,-1.08,dog,sunrise-sunset,,,
8,Moon,York,53.99,-1.08,,Mo-Su 11:00-23:00; Dec 25 off,,,
`

// serveOpenPubs returns a service in London.
func serveOpenPubs(t *testing.T) *Service {
	s, _ := serveFile(t, "pubs.csv", []byte(strings.ReplaceAll(openPubs, `Dog friendly;"Real ""Ale"""`, `"Dog friendly;Real ""Ale"""`)), loader.Options{})
	s.config.TimeZone = testkit.Must(time.LoadLocation("Europe/London"))(t)
	return s
}

// askedAt returns the body and the ETag of the response to a query at a time: of pubs, or of the resource before its ?.
func askedAt(t *testing.T, s *Service, query, at string) (body, tag string) {
	x := newExchange("")
	x.service = s
	path, rest, named := strings.Cut(query, "?")
	if !named {
		path, rest = "pubs/", query
	}
	x.Request.Path, x.Request.Query = []byte("/api/v1/"+path), []byte(rest)
	x.Request.Received = testkit.Must(time.Parse(time.RFC3339, at))(t)
	x.Handle(admitting(true))
	_, tag, _ = strings.Cut(string(x.Response.Lines), "ETag: ")
	tag, _, _ = strings.Cut(tag, "\r\n")
	return string(x.Response.Body), tag
}

// Saturday, 28 November 2026.
const aSaturday = "2026-11-28T20:00:00Z"

func TestFeaturesAndHours(t *testing.T) {
	s := serveOpenPubs(t)
	for _, c := range []struct{ query, at, uids, part string }{
		{"search=*&features=dog", aSaturday, "6 4 1 7 ", ""},
		{"search=*&features=dog,garden", aSaturday, "1 ", ""},
		{"search=*&features=Dogs+allowed,REAL+ale", aSaturday, "4 ", ""},
		{"search=*&features=-garden", aSaturday, "2 ", ""},
		{"search=*&features=-garden,dog", aSaturday, "", `"total_results":0`},
		{"search=*&features=-garden|wifi", aSaturday, "2 ", ""},
		{"search=*&features=garden|REAL+ale,dogs", aSaturday, "4 1 ", ""},
		{"search=*&features=beergarden", aSaturday, "1 ", ""},
		{"search=*&features=parking", aSaturday, "", `"total_results":0`},
		{"search=*&features=hammock", aSaturday, "", `"parameter":"features","hint":"no pub has hammock: facets=features lists what pubs have"`},
		{"search=*&features=dog,-hund", aSaturday, "", `"hint":"instead of hund, write features=dog"`},
		{"search=*&features=garden;dog", aSaturday, "", `"hint":"separate features by commas: features=garden,dog"`},
		{"search=*&features=dog,,garden", aSaturday, "", `Invalid parameter 'features': must be at most 50 features, separated by commas`},
		{"search=*&features=" + strings.Repeat("dog|", 50) + "dog", aSaturday, "", `Invalid parameter 'features': must be at most 50 features`},
		{"search=*&facets=location&facet_search=location:yo&features=dog&amount=1", aSaturday, "6 ", `"facets":{"location":[{"value":"York"`},
		{"search=*&amount=1&facets=features", aSaturday, "6 ", `"facets":{"features":[{"value":"dog","count":4},{"value":"garden","count":1},{"value":"real_ale","count":1}]}`},
		{"search=york&amount=1&facets=features", aSaturday, "6 ", `"features":[{"value":"dog","count":3},{"value":"real_ale","count":1}]`},
		{"search=*&open=now", aSaturday, "4 8 1 ", `"unknown":2}`},
		{"search=*&open=now", "2026-11-28T01:30:00Z", "4 2 ", `"unknown":3}`},
		{"search=*&open=now", "2026-12-25T20:00:00Z", "4 1 2 ", `"unknown":2}`},
		{"search=*&open=2026-11-28T23:30&open_unknown=true", aSaturday, "4 1 7 3 5 ", `"unknown":3}`},
		{"search=lion&open=now", aSaturday, "", `"results":[],"page":1,"total_pages":0,"total_results":0,"total_pubs":8,"sort":"name","order":"ASC","only_rated":false,"unknown":0}`},
		{"search=*&lat=53.8&lng=-1.55&distance=10&open=now", aSaturday, "1 ", `"unknown":1}`},
		{"search=*&open=2026-02-30T20:00", aSaturday, "", "must be now, always, or a local time"},
		{"search=*&open=1969-12-31T23:00", aSaturday, "", "must be now, always, or a local time"},
		{"search=*&open=2026-11-28T8:00", aSaturday, "", "must be now, always, or a local time"},
		{"search=*&open=2026-11-28T22:00/2026-11-28T22:00", aSaturday, "", "at most 8 days apart"},
		{"search=*&open=2026-11-28T22:00/2026-12-06T22:01", aSaturday, "", "at most 8 days apart"},
		{"search=*&open=2026-11-28T22:00/2026-11-28T23:00Z", aSaturday, "", "at most 8 days apart"},
		{"search=*&open=2026-11-28T22:00/", aSaturday, "", "at most 8 days apart"},
		{"search=*&open=2026-11-28T22:00/2026-12-06T22:00", aSaturday, "4 8 1 2 ", `"unknown":3}`},
		{"search=*&open=2026-11-28T22:59Z/2026-11-28T23:00Z", aSaturday, "4 8 1 ", `"unknown":3}`},
		{"search=*&open=always", aSaturday, "4 ", `"unknown":2}`},
		{"search=the+garden+tonight&sort=name&fields=UID", aSaturday, "6 4 8 1 2 7 3 5 ", `"open":"2026-11-28T21:00/2026-11-29T03:00"`},
		{"search=*&open=later", aSaturday, "", "must be now, always, or a local time"},
		{"pubid=1&include=features&fields=UID", aSaturday, "1 ", `{"UID":"1","features":["garden","dog","-wifi"],"open":true,"closes":"2026-11-29T00:00"}`},
		{"pubid=4&include=features&fields=UID", aSaturday, "4 ", `{"UID":"4","features":["Dog friendly","Real \"Ale\""],"open":true,"closes":null}`},
		{"pubid=6&include=features,hours&fields=UID", aSaturday, "6 ", `"open":false,"closes":null,"opens":null,"week":[[],[],[],[],[],[],[]]}`},
		{"pubid=3&include=features,hours,brand&fields=UID", aSaturday, "3 ", `{"UID":"3","features":[],"opening_hours":null,"brand":null,"time_zone":null,"open":null,"closes":null,"opens":null,"week":null}`},
		{"pubid=2&include=hours&fields=UID", aSaturday, "2 ", `"opens":"2026-12-04T12:00","week":[[],[],[],[],["12:00-02:00"],[],[]]}`},
		{"pubid=5&include=features,hours&fields=UID", aSaturday, "5 ", `"open":false,"closes":null,"opens":null,"week":[["17:00+"],`},
		{"pubid=5&include=features&fields=UID&open=now", "2026-11-28T23:00:00Z", "5 ", `"open":null,"closes":null}`},
		{"search=moon&include=features&fields=UID&open=2026-12-25T12:00", aSaturday, "1 ", `"closes":"2026-12-26T00:00"}`},
		{"search=*&fields=UID,features,brand&features=garden&format=csv", aSaturday, "", "UID,features,brand\r\n1,garden; dog;-wifi,Wetherspoon\r\n"},
		{"search=wetherspoon&sort=relevance&include=match&fields=UID", aSaturday, "6 1 ", `"brand":["wetherspoon"]`},
		{"search=moon&sort=relevance&fields=UID", aSaturday, "8 1 ", ""},
		{"search=dog+friendly+pubs+in+york&sort=relevance&fields=UID", aSaturday, "6 4 7 5 8 ", `"relaxed":{"step":"place","query":"","place":"york","features":["dog"],"inside":5}}`},
		{"search=no+dogs+york+pubs&sort=relevance&fields=UID", aSaturday, "5 8 6 4 7 ", `"relaxed":{"step":"place","query":"","place":"york","inside":5,"denied":"dogs"}}`},
		{"search=wetherspoons&fields=UID", aSaturday, "6 1 ", ""}, {"search=spoons+leeds&fields=UID", aSaturday, "1 ", ""},
		{"search=pubs+in+leeds+with+a+garden+and+a+jacuzzi&sort=relevance&fields=UID", aSaturday, "1 3 2 5 ", `"unused":"jacuzzi","features":["garden"],"inside":3},"more":{"step":"partial","query":"garden","added":1}}`},
		{"search=dog&sort=relevance&fields=UID", aSaturday, "", ""},
		{"search=dogs+welcome&sort=relevance&fields=UID&amount=2", aSaturday, "6 4 ", `"features":["dog"]`},
		{"search=beer+garden+near+me+open+now&near=53.8,-1.55&sort=relevance&fields=UID&amount=2", aSaturday, "1 4 ", `"features":["garden"],"open":"now"}`},
		{"search=pubs+open+late&sort=relevance&fields=UID&amount=1", aSaturday, "4 ", `"relaxed":{"step":"place","query":"","open":"late"}}`},
		{"search=pubs+with+a+quiz&fields=UID&amount=1", aSaturday, "6 ", `"unused":"quiz"}`},
	} {
		body, _ := askedAt(t, s, c.query, c.at)
		got := uidsIn(body)
		testkit.FailIf(t, got != c.uids || !strings.Contains(body, c.part),
			"%s at %s:\n got %s%s\nwant %s%s", c.query, c.at, got, body, c.uids, c.part)
	}
}

// For each way to ask for a time, a pub that is open just inside of what it means comes first, one that is not for a minute
// more last; open= keeps the former alone.
func TestTimesInWords(t *testing.T) {
	for _, c := range []struct{ words, open, inside, outside string }{
		{"24 hour pubs", "always", "24/7", "Mo-Sa 00:00-24:00; Su 00:00-23:59"},
		{"pubs open till 2am", "2026-11-29T01:59/2026-11-29T02:00", "Sa 20:00-02:00", "Sa 20:00-01:59"},
		{"pubs open at 9", "2026-11-28T21:00/2026-11-28T21:01", "Sa 12:00-21:01", "Sa 12:00-21:00"},
		{"pubs open at noon", "2026-11-29T12:00/2026-11-29T12:01", "Su 12:00-13:00", "Su 12:01-13:00"},
		{"pubs open all night", "2026-11-29T04:00/2026-11-29T04:01", "Sa 20:00-04:01", "Sa 20:00-04:00; Su 04:01-20:00"},
		{"pubs open on monday", "2026-11-30T06:00/2026-12-01T00:00", "Mo 05:00-06:01", "Mo 05:00-06:00; Tu 00:00-24:00"},
		{"pubs tonight", "2026-11-28T21:00/2026-11-29T03:00", "Su 02:59-10:00", "Sa 12:00-21:00; Su 03:00-10:00"},
		{"pubs open this evening", "2026-11-28T20:00/2026-11-29T00:00", "Sa 18:00-20:01", "Sa 18:00-20:00"},
		{"pubs open tomorrow lunchtime", "2026-11-29T12:00/2026-11-29T14:00", "Su 13:59-20:00", "Su 14:00-20:00"},
		{"pubs open on christmas day", "2026-12-25T06:00/2026-12-26T00:00", "Dec 25 23:59-24:00", "Mo-Su 10:00-24:00; Dec 25 off"},
		{"pubs open at the weekend", "2026-11-28T20:00/2026-11-30T00:00", "Su 23:59-24:00", "Mo-Fr 00:00-24:00; Sa 12:00-20:00"},
		{"geöffnete Kneipen am Sonntag", "2026-11-29T06:00/2026-11-30T00:00", "Su 23:00-24:00", "Mo 00:00-24:00"},
	} {
		const header = "UID,name,opening_hours,trading\n"
		s, _ := serveFile(t, "pubs.csv", []byte(header+`1,Crown,,`+"\n2,Bell,"+c.outside+",\n3,Swan,"+c.inside+",\n4,Star,"+c.inside+",closed\n"), loader.Options{})
		body, _ := askedAt(t, s, "search="+url.QueryEscape(c.words)+"&sort=relevance&fields=UID", aSaturday)
		testkit.Equal(t, c.words, uidsIn(body), "3 1 2 4 ")
		testkit.Contains(t, c.words, body, `"open":"`+c.open+`"`)
		body, _ = askedAt(t, s, "search=*&fields=UID&open="+c.open, "2026-06-01T05:00:00Z")
		testkit.Equal(t, c.open, uidsIn(body), "3 ")
		testkit.Contains(t, c.open, body, `"unknown":1}`)
	}
}

// The pages after the first of what is open now are of the minute of the first.
func TestPagesOfNowAreOfOneMinute(t *testing.T) {
	s := serveOpenPubs(t)
	x := newExchange("search=*&op%65n=now&amount=1")
	x.service, x.Request.Received = s, testkit.Must(time.Parse(time.RFC3339, "2026-11-28T22:59:59Z"))(t)
	x.Handle(admitting(true))
	_, next, _ := strings.Cut(string(x.Response.Lines), `rel="first", <?`)
	next, _, _ = strings.Cut(next, `>; rel="next"`)
	testkit.FailIf(t, !strings.HasPrefix(next, "search=*&open=2026-11-28T22:59Z&amount=1&page=2&snapshot="), "next page: %s", next)
	body, tag := askedAt(t, s, next, "2026-11-28T23:00:00Z")
	testkit.Equal(t, "second page, when it has closed", uidsIn(body), "8 ")
	_, later := askedAt(t, s, next, "2026-11-29T00:00:00Z")
	testkit.Equal(t, "its ETag", later, tag)
}

// A pub that has closed, for good or for some time, is not open, and has no hours; that is known.
func TestClosedPubsAreNotOpen(t *testing.T) {
	for _, trading := range []string{"closed", "Permanently_Closed", "temporarily_closed", "closed for refurbishment", "Demolished"} {
		s, _ := serveFile(t, "pubs.csv", []byte("UID,name,trading,opening_hours\n1,Bell,"+trading+",24/7\n2,Swan,open,24/7\n3,Star,"+trading+",\n4,Crown,,\n"), loader.Options{})
		for query, want := range map[string]string{
			"search=*&open=now": `"unknown":1}`, "search=pubs+open+now&sort=relevance&fields=UID": `{"results":[{"UID":"2"},{"UID":"4"},`,
			"pubids=1,3&include=features,hours&fields=name": `{"results":[{"name":"Bell","features":[],"opening_hours":"24/7","time_zone":null,"open":false,"closes":null,"opens":null,"week":[[],[],[],[],[],[],[]]},` +
				`{"name":"Star","features":[],"opening_hours":null,"time_zone":null,"open":false,"closes":null,"opens":null,"week":[[],[],[],[],[],[],[]]}]`,
		} {
			body, _ := askedAt(t, s, query, aSaturday)
			testkit.FailIf(t, !strings.Contains(body, want), "%s, %s: got %s, want %s", trading, query, body, want)
		}
	}
}

// Words of an operator's own vocabulary mean features.
func TestOwnFeatures(t *testing.T) {
	s, _ := serveFile(t, "pubs.csv", []byte("UID,name,features\n1,Bell,Open late\n2,Swan,Darts\n3,Star,-darts\n4,Crown,darts\n5,Anchor,-darts;darts\n"), loader.Options{})
	s.config.Features = testkit.Must(features.BuiltIn().With([]byte("darts: oche"), "words.txt"))(t)
	body, _ := askedAt(t, s, "search=pubs+with+oche&sort=relevance", aSaturday)
	testkit.Equal(t, "ranked", uidsIn(body), "5 4 2 1 3 ")
	body, _ = askedAt(t, s, "search=*&features=oche", aSaturday)
	testkit.Equal(t, "kept", uidsIn(body), "5 4 2 ")
	body, _ = askedAt(t, s, "suggest?search=pubs+with+oche", aSaturday)
	testkit.FailIf(t, !strings.HasPrefix(body, `{"suggestions":[{"text":"Anchor"`), "suggested: %s", body)
	body, _ = askedAt(t, s, "search=pubs+open+late&sort=relevance", aSaturday)
	testkit.FailIf(t, strings.Contains(body, `"open"`), "hours are not known: %s", body)
}

// The ETag of a response that depends on the time is that of a minute.
func TestETagHasMinute(t *testing.T) {
	s, seen := serveOpenPubs(t), map[string]bool{}
	for query, depends := range map[string]bool{
		"search=*": false, "search=lion": false, "search=*&open=now": true, "search=*&open=2026-11-28T20:00": false, "pubid=1&include=features": true,
		"pubid=1&include=hours": true, "pubid=1&include=brand": false, "search=open+now&sort=relevance": true, "search=*&sort=relevance": false,
		"search=*&include=features&open=2026-11-28T20:00": false, "suggest?search=open+now": true, "suggest?search=*": false,
	} {
		_, at := askedAt(t, s, query, "2026-11-28T20:00:01Z")
		_, soon := askedAt(t, s, query, "2026-11-28T20:00:59Z")
		_, later := askedAt(t, s, query, "2026-11-28T20:01:00Z")
		testkit.FailIf(t, at != soon || (at != later) != depends, "%s: %s, %s, %s", query, at, soon, later)
	}
	for _, minutes := range []int{0, 330} { // of two servers, in their own time zones
		s.config.TimeZone = time.FixedZone("Local", 60*minutes)
		_, at := askedAt(t, s, "search=*&open=now", "2026-11-28T20:00:00Z")
		testkit.FailIf(t, seen[at], "%d minutes from UTC: the ETag %s of another time zone", minutes, at)
		seen[at] = true
	}
	plain, _ := serveFile(t, "pubs.csv", []byte("UID,name\n1,Bell\n"), loader.Options{})
	_, at := askedAt(t, plain, "search=bell&sort=relevance", "2026-11-28T20:00:01Z")
	_, later := askedAt(t, plain, "search=bell&sort=relevance", "2026-11-28T20:01:01Z")
	testkit.Equal(t, "without hours", at, later)
}

// However long and short opening hours are written, the response is as long as declared, in every format.
func TestHoursHaveDeclaredSize(t *testing.T) {
	spans := ""
	for minute := 0; len(spans) < 980; minute += 2 {
		spans += fmt.Sprintf(",%d:%02d-%d:%02d", minute/60, minute%60, minute/60, minute%60+1)
	}
	for _, text := range []string{"24/7", "off", "x", spans[1:], "1-2,3-4,5-6,7-8,9-10,11-12,13-14,15-16,17-18,19-20,21-22,23-24", "Jan 1 12-13;" + spans[1:]} {
		one := schema.Pub{Name: "a", OpeningHours: text, Features: strings.Repeat("a;", 30), TimeZone: "Asia/Kathmandu", Latitude: nan, Longitude: nan, Ratings: schema.Rated(nil)}
		directory := corpus.Directory{Pubs: slices.Repeat([]schema.Pub{one}, 50)}
		for i := range directory.Pubs {
			directory.Pubs[i].UID = fmt.Sprint(i)
		}
		s, _ := withoutData(t, LogOff)
		s.Arrange(Arrangement{Served: build(t, directory)})
		for format := range params.FormatCount {
			u := usageOf(t, &Exchange{service: s}, "GET", "/api/v1/pubs?search=*&open=2026-11-28T01:00&open_unknown=true&amount=50&include=features,hours,brand&format="+format.String())
			testkit.FailIf(t, int64(u.bytes) > u.demand.Bytes, "%.30s as %v: %d bytes, demands %d", text, format, u.bytes, u.demand.Bytes)
		}
	}
}
