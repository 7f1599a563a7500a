package httpapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A faultCase is a stream of requests whose last response is an error. row is the name of the error in fault.go.
type faultCase struct {
	row    string
	on     func(testing.TB, AccessLog) (*Service, *logBuffer)
	sent   string
	status int
	body   string
}

var faultCases = []faultCase{
	{"missingParameter", withData, get("page=1"), 400,
		`{"error":"Missing required parameter (pubid or search)","code":"missing_parameter","status":400}`},
	{"missingPoint", withData, get("search=lion&lat=51.5&distance=5"), 400,
		`{"error":"Missing required parameter 'lng': a distance search needs lat, lng and distance","code":"missing_parameter","status":400,"parameter":"lng"}`},
	{"missingCompanion", withData, get("search=lion&sort=random"), 400,
		`{"error":"Missing required parameter 'seed': sort=random needs one","code":"missing_parameter","status":400,"parameter":"seed"}`},
	{"snapshotGone", withData, get("search=lion&snapshot=0123456789abcdef"), 410,
		`{"error":"Snapshot no longer available; start again without the snapshot parameter","code":"snapshot_gone","status":410}`},
	{"invalidParameter", withData, get("search=lion&amount=101"), 400,
		`{"error":"Invalid parameter 'amount': must be an integer from 1 to 100","code":"invalid_parameter","status":400,"parameter":"amount"}`},
	{"duplicateParameter", withData, get("search=lion&page=1&page=2"), 400,
		`{"error":"Duplicate parameter 'page'","code":"duplicate_parameter","status":400,"parameter":"page"}`},
	{"unknownParameter", withData, get("search=lion&amont=5&strict=true"), 400,
		`{"error":"Unknown parameter 'amont': did you mean 'amount'?","code":"unknown_parameter","status":400,"parameter":"amont"}`},
	{"malformedQuery", withData, get("search=%zz"), 400,
		`{"error":"Malformed query string","code":"malformed_query","status":400}`},
	{"malformedRequest", withData, "GET\r\n\r\n", 400,
		`{"error":"Malformed request","code":"malformed_request","status":400}`},
	{"keyRequired", withData, request11("GET", "/api/v1/pubs/?pubid=u01"), 401,
		`{"error":"API key required","code":"api_key_required","status":401}`},
	{"keyInvalid", withData, request11("GET", "/api/v1/pubs/?pubid=u01", "X-API-Key: "+revokedSecret), 403,
		`{"error":"Invalid or revoked API key","code":"api_key_invalid","status":403}`},
	{"pubNotFound", withData, get("pubid=U01"), 404,
		`{"error":"Pub not found","code":"pub_not_found","status":404}`},
	{"notFound", withData, request11("GET", "/api/v1/pubs//?pubid=u01"), 404,
		`{"error":"Not found","code":"not_found","status":404}`},
	{"methodNotAllowed", withData, request11("DELETE", "/api/v1/pubs/?pubid=u01", "x-api-key: "+goodSecret), 405,
		`{"error":"Method not allowed","code":"method_not_allowed","status":405}`},
	{"bodyTooLarge", withData, get("pubid=u01", "Content-Length: 5") + "hello", 413,
		`{"error":"Request too large","code":"request_too_large","status":413}`},
	{"queryTooLarge", withData, get("search=lion&x=" + strings.Repeat("x", maxQuery)), 414,
		`{"error":"Request too large","code":"request_too_large","status":414}`},
	{"preconditionFailed", withData, get("pubid=u01", `If-Match: "stale"`), 412,
		`{"error":"The response is no longer the one that If-Match names; ask again without If-Match","code":"precondition_failed","status":412}`},
	{"headerTooLarge", withData, get("pubid=u01", "X: "+strings.Repeat("x", 17<<10)), 431,
		`{"error":"Request too large","code":"request_too_large","status":431}`},
	{"misdirected", demo, get("pubid=u01"), 421,
		`{"error":"Host not allowed: without a key file (--keys) it must be an IP address or localhost","code":"misdirected","status":421}`},
	{"rateLimited", withData, strings.Repeat(request11("GET", "/api/v1/pubs?pubid=u01", "x-api-key: "+limitedSecret), 2), 429,
		`{"error":"Rate limit exceeded","code":"rate_limited","status":429}`},
	{"internalError", broken, get("pubid=u01"), 500,
		`{"error":"Internal server error","code":"internal","status":500}`},
	{"notReady", withoutData, get("pubid=u01"), 503,
		`{"error":"No data loaded yet","code":"not_ready","status":503}`},
	{"snapshotPending", pending, get("search=lion&snapshot=00000000000000aa"), 503,
		`{"error":"Snapshot not available yet; try again","code":"snapshot_pending","status":503}`},
	{"overloaded", busy, get("search=lion&facets=location"), 503,
		`{"error":"Too many large answers in flight","code":"overloaded","status":503}`},
	{"unsupportedVersion", withData, strings.Replace(get("pubid=u01"), "HTTP/1.1", "HTTP/2.0", 1), 505,
		`{"error":"HTTP version not supported","code":"http_version_not_supported","status":505}`},
}

func TestEveryFaultIsAnswered(t *testing.T) {
	for _, c := range faultCases {
		t.Run(c.row, func(t *testing.T) {
			s, _ := c.on(t, LogOff)
			got := ask(t, listen(t, s), c.sent)
			if got.status != c.status || got.body != c.body {
				t.Errorf("sent %.200q:\n got %d %s\nwant %d %s", c.sent, got.status, got.body, c.status, c.body)
			}
			origins := "*"
			if s.config.Demo {
				origins = ""
			}
			for name, want := range map[string]string{"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
				"X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": origins, "ETag": "", "X-Snapshot": ""} {
				if value := got.header.Get(name); value != want {
					t.Errorf("%s: got %q, want %q", name, value, want)
				}
			}
		})
	}
}

// declaredFaults returns the errors that fault.go declares, with their statuses.
func declaredFaults(t *testing.T) map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), "fault.go", nil, 0)
	ok(t, err)
	rows := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		declared, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, value := range declared.Values {
			reference, ok := value.(*ast.UnaryExpr)
			if !ok {
				continue
			}
			literal, ok := reference.X.(*ast.CompositeLit)
			if !ok || literal.Type.(*ast.Ident).Name != "faultRow" {
				continue
			}
			for _, element := range literal.Elts {
				if pair := element.(*ast.KeyValueExpr); pair.Key.(*ast.Ident).Name == "status" {
					rows[declared.Names[i].Name] = pair.Value.(*ast.BasicLit).Value
				}
			}
		}
		return true
	})
	return rows
}

func TestFaultCasesAreComplete(t *testing.T) {
	var cases []string
	for _, c := range faultCases {
		cases = append(cases, c.row)
	}
	slices.Sort(cases)
	if declared := slices.Sorted(maps.Keys(declaredFaults(t))); !slices.Equal(cases, declared) {
		t.Errorf("fault.go declares %v\nfaultCases has %v", declared, cases)
	}
}

// Each status is counted separately, whichever shards count it.
func TestEveryStatusIsCounted(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	want := map[string]float64{}
	for operation := range operationCount {
		statuses := map[int]bool{200: true, 204: true, 304: true}
		for _, c := range faultCases {
			statuses[c.status] = true
		}
		for status := range statuses {
			for range 1 + status%7 {
				s.metrics.answered.shard().count(&summary{operation: operation}, status, time.Millisecond)
			}
			want[fmt.Sprintf("operation=%v,status=%d", operation, status)] = float64(1 + status%7)
		}
	}
	got := samples(scrape(t, s)["pubd_requests_total"])
	maps.DeleteFunc(got, func(_ string, n float64) bool { return n == 0 })
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// A request is counted in the first bucket whose bound it does not exceed, and requests on many goroutines are all counted.
func TestTally(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	const goroutines, requests = 8, 1000
	times := []time.Duration{-time.Second, 0, time.Microsecond, time.Microsecond + 1, 2500, time.Second, time.Second + 1, time.Hour}
	var all sync.WaitGroup
	for range goroutines {
		shard := s.metrics.answered.shard()
		all.Go(func() {
			for range requests {
				for _, took := range times {
					shard.count(&summary{operation: opLookup, fault: fault{row: rateLimited}}, 429, took)
				}
			}
		})
	}
	all.Wait()
	families := scrape(t, s)
	if got, want := samples(families["pubd_key_rejections_total"])["reason=limited"], float64(goroutines*requests*len(times)); got != want {
		t.Errorf("rejections: got %v, want %v", got, want)
	}
	for _, metric := range families["pubd_request_seconds"].GetMetric() {
		if metric.GetLabel()[0].GetValue() != "lookup" {
			continue
		}
		var got []uint64
		for _, bucket := range metric.GetHistogram().GetBucket() {
			got = append(got, bucket.GetCumulativeCount()/(goroutines*requests))
		}
		if want := []uint64{3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 8}; !slices.Equal(got, want) {
			t.Errorf("times by bucket: got %v, want %v", got, want)
		}
		if got := metric.GetHistogram().GetSampleSum() / goroutines / requests; math.Abs(got-3602.0000045) > 1e-6 {
			t.Errorf("sum of times: got %v s, want 3602.0000045 s", got)
		}
	}
}

func TestKeyErrors(t *testing.T) {
	s, _ := withData(t, LogOff)
	addr := listen(t, s)
	const (
		required = `{"error":"API key required","code":"api_key_required","status":401}`
		invalid  = `{"error":"Invalid or revoked API key","code":"api_key_invalid","status":403}`
	)
	for _, c := range []struct {
		label   string
		headers []string
		want    string
	}{
		{"absent", nil, required},
		{"empty", []string{"x-api-key:"}, required},
		{"white space", []string{"x-api-key: \t "}, required},
		{"another header", []string{"Authorization: " + goodSecret}, required},
		{"unknown", []string{"x-api-key: no"}, invalid},
		{"revoked", []string{"x-api-key: " + revokedSecret}, invalid},
		{"expired", []string{"x-api-key: " + expiredSecret}, invalid},
		{"twice", []string{"x-api-key: " + goodSecret, "X-API-KEY: " + goodSecret}, invalid},
		{"twice, one empty", []string{"x-api-key: " + goodSecret, "x-api-key:"}, invalid},
		{"joined", []string{"x-api-key: " + goodSecret + ", " + goodSecret}, invalid},
		{"other case", []string{"x-api-key: " + strings.ToUpper(goodSecret)}, invalid},
		{"the name of a key", []string{"x-api-key: good"}, invalid},
		{"bytes", []string{"x-api-key: \xff\xfe"}, invalid},
	} {
		// An error must not be affected by an invalid query, pub or method.
		for _, target := range []string{"?pubid=u01", "?pubid=no", "?search=%zz", "?x=" + strings.Repeat("x", maxQuery)} {
			for _, method := range []string{"GET", "POST", "BREW"} {
				got := ask(t, addr, request11(method, "/api/v1/pubs/"+target, c.headers...))
				challenge := got.header.Get("WWW-Authenticate")
				if got.body != c.want || (challenge == `ApiKey realm="pubs"`) != (c.want == required) {
					t.Errorf("%s, %s %.30s: got %d %s, challenge %q, want %s", c.label, method, target, got.status, got.body, challenge, c.want)
				}
			}
		}
	}
}
