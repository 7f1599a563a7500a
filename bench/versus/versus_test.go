package main

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"pubd/bench"
	"pubd/bench/stage"
)

func TestEveryClassToReachExists(t *testing.T) {
	names := map[string]bool{}
	for _, class := range append(bench.AllClasses(), bench.Extensions...) {
		names[class.Name] = true
	}
	for name := range reach {
		if !names[name] {
			t.Errorf("%q is to be reached, and no class", name)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--rounds 0", "--rounds 0: must be 1 or more"},
		{"--classes 1,10", "--classes 10: must be from 1 to 9"},
		{"--data nowhere.csv --window x", "--window"},
	} {
		parser, err := kong.New(new(command))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(strings.Fields(test.args)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.args, err, test.want)
		}
	}
}

func TestComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("puts load on three servers for some seconds")
	}
	if _, err := stage.Tool("nginx", "nginx"); err != nil || runtime.NumCPU() < 2 {
		t.Skip("takes nginx and two cores: ", err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if err := os.Chmod(os.Getenv("TMPDIR"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := command{Pubs: 2000, Requests: 200, Rounds: 1, Window: 100 * time.Millisecond, Classes: []int{1, 7}, Out: t.TempDir()}
	var stdout strings.Builder
	if err := c.run(t.Context(), &stdout, t.Output()); err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"pubd", "nginx"} {
		if want := "BenchmarkVersus/class=within_2_km/server=" + server + " 1 "; !strings.Contains(stdout.String(), want) {
			t.Errorf("no line %q in\n%s", want, stdout.String())
		}
	}
	if text, err := os.ReadFile(filepath.Join(c.Out, "versus.md")); err != nil || !strings.Contains(string(text), "\n| geometric mean | 0.70 |") {
		t.Errorf("versus.md: %v, want the geometric mean in\n%s", err, text)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
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
