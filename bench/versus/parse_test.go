package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestParseLoad(t *testing.T) {
	const report = "Requests/sec: 9\n\nversus "
	for _, test := range []struct{ said, err string }{
		{report + `{"requests":300,"microseconds":1500000,"connect":0,"read":0,"write":0,"status":0,"timeout":0}` + "\n", ""},
		{report + `{"requests":300,"microseconds":1500000,"connect":0,"read":0,"write":0,"status":7,"timeout":0}` + "\n", "7 of 300 answers were errors"},
		{report + `{"requests":300,"microseconds":1500000,"connect":0,"read":2,"write":0,"status":0,"timeout":1}` + "\n", "2 reading, 0 writing, 1 timeouts"},
		{report + `{"requests":0,"microseconds":1500000,"connect":0,"read":0,"write":0,"status":0,"timeout":0}` + "\n", "no request was answered"},
		{"Requests/sec: 9\n", "did not report"},
	} {
		load, err := parseLoad(test.said)
		switch {
		case test.err == "" && (err != nil || load.rate() != 200):
			t.Errorf("%s: rate %v, error %v, want 200", test.said, load.rate(), err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: error %v, want %q", test.said, err, test.err)
		}
	}
}

func TestParsePgbench(t *testing.T) {
	const good = "number of transactions actually processed: 9\nnumber of failed transactions: 0 (0.000%)\ntps = 1234.5 (without initial connection time)\n"
	if rate, err := parsePgbench(good); rate != 1234.5 || err != nil {
		t.Errorf("rate %v, error %v, want 1234.5", rate, err)
	}
	for _, bad := range []string{"", strings.Replace(good, ": 0 (0", ": 3 (1", 1)} {
		if rate, err := parsePgbench(bad); err == nil {
			t.Errorf("%q: rate %v, want an error", bad, rate)
		}
	}
}

func TestParseRedisBenchmark(t *testing.T) {
	const good = `"test","rps","avg_latency_ms"` + "\n" + `"GEOSEARCH pubs","1234.50","0.1"` + "\n"
	if rate, err := parseRedisBenchmark(good); rate != 1234.5 || err != nil {
		t.Errorf("rate %v, error %v, want 1234.5", rate, err)
	}
	if rate, err := parseRedisBenchmark("ERR\n"); err == nil {
		t.Errorf("rate %v, want an error", rate)
	}
}

func TestAllowedCores(t *testing.T) {
	for list, want := range map[string][]int{"0": {0}, "0-2": {0, 1, 2}, "3,8-9": {3, 8, 9}} {
		if got := allowedCores("Name:\tx\nCpus_allowed_list:\t" + list + "\nMems:\t1\n"); !slices.Equal(got, want) {
			t.Errorf("%s: cores %v, want %v", list, got, want)
		}
	}
}

func TestStatements(t *testing.T) {
	queries := []string{"search=red+lion", "search=%2A&sort=total", "search=O%27Neill+b", "pubid=x", "search=red&rated=true&sort=beer&order=desc&page=3",
		"search=%2A&lat=1.5&lng=2&distance=20&amount=20"}
	statements, rows, err := statementsOf(queries, 10)
	if err != nil {
		t.Fatal(err)
	}
	covered := 0
	for _, s := range statements {
		covered += s.high - s.low + 1
	}
	if len(statements) != 5 || covered != len(queries) {
		t.Errorf("%d statements for %d requests, want 5 for %d", len(statements), covered, len(queries))
	}
	if got := rows[len(rows)-1][0]; got != "15" {
		t.Errorf("last id %s, want 15", got)
	}
	for _, test := range []struct{ query, sql, row string }{
		{"search=The+O%27Neill+b", "WHERE p.words LIKE r.pattern ORDER BY p.name NULLS LAST, p.name, p.uid LIMIT 20", "% the% oneill% b%|0|||"},
		{"search=red&rated=true&sort=beer&order=desc&page=3", "AND p.rated ORDER BY p.beer DESC NULLS LAST", "% red%|40|||"},
		{"search=%2A&sort=total", "(SELECT pubs FROM totals) AS total_results FROM pubs p ORDER BY p.total NULLS LAST", "%|0|||"},
		{"search=%2A&lat=1.5&lng=-2&distance=20&amount=20", "WHERE ST_DWithin(p.place, r.place, r.metres, false) ORDER BY distance", "%|0|1.5|-2|20000"},
	} {
		values, err := url.ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := sqlOf(values); !strings.Contains(got, test.sql) {
			t.Errorf("%s:\n got %s\nwant %s", test.query, got, test.sql)
		}
		if got := strings.Join(requestRow(1, values)[2:], "|"); got != test.row {
			t.Errorf("%s: row %s, want %s", test.query, got, test.row)
		}
	}
}
