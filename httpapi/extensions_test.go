package httpapi

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// uidsIn returns the UIDs in a body, each followed by a space.
func uidsIn(body string) (uids string) {
	for _, member := range strings.Split(body, `"UID":"`)[1:] {
		uid, _, _ := strings.Cut(member, `"`)
		uids += uid + " "
	}
	return uids
}

// A client can read all pages of a result from one snapshot while others are served, as long as it is in the
// arrangement.
func TestKeptSnapshots(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	addr := listen(t, s)
	source := func(source byte, pubs int) *index.Snapshot {
		directory := tenPubs()
		directory.Pubs = directory.Pubs[:pubs]
		return buildFrom(t, directory, [32]byte{source})
	}
	one, two, three := source(1, 10), source(2, 5), source(3, 6)
	s.Arrange(Arrangement{Served: one})
	first := request(t, addr, get("search=*&amount=3"))
	id := first.header.Get("X-Snapshot")
	s.Arrange(Arrangement{Served: two, Others: []*index.Snapshot{one}})
	next := request(t, addr, get("search=*&amount=3&page=2&snapshot="+id))
	testkit.FailIf(t, next.status != 200 || next.header.Get("X-Snapshot") != id || !strings.Contains(next.body, `"total_pubs":10`), "kept: %d %v", next.status, next.header)
	link := next.header.Get("Link")
	testkit.FailIf(t, !strings.Contains(link, "<?search=*&amount=3&page=3&snapshot="+id+`>; rel="next"`),
		"Link: %s", link)
	for _, step := range []struct {
		label       string
		arrangement Arrangement
		want        map[string]int // statuses by the first digits of the ID
	}{
		{"kept", Arrangement{Served: two, Others: []*index.Snapshot{one}}, map[string]int{"01": 200, "02": 200, "03": 410}},
		{"pending", Arrangement{Served: two, Pending: []string{"0300000000000000"}}, map[string]int{"01": 410, "02": 200, "03": 503}},
		{"prepared", Arrangement{Served: two, Others: []*index.Snapshot{three}}, map[string]int{"01": 410, "02": 200, "03": 200}},
		{"prepared and pending", Arrangement{Served: two, Others: []*index.Snapshot{three}, Pending: []string{"0300000000000000"}}, map[string]int{"02": 200, "03": 200}},
		{"served and among the others", Arrangement{Served: three, Others: []*index.Snapshot{two, three}}, map[string]int{"01": 410, "02": 200, "03": 200}},
		{"all others gone", Arrangement{Served: three}, map[string]int{"01": 410, "02": 410, "03": 200}},
		{"nothing served yet", Arrangement{Others: []*index.Snapshot{one}, Pending: []string{"0200000000000000"}}, map[string]int{"01": 503, "02": 503, "03": 503}},
	} {
		s.Arrange(step.arrangement)
		for digits, want := range step.want {
			got := request(t, addr, get("search=*&snapshot="+digits+"00000000000000"))
			code := map[int]string{410: `"code":"snapshot_gone"`, 503: `"code":"snapshot_pending"`, 200: `"total_pubs"`}[want]
			if step.arrangement.Served == nil {
				code = `"code":"not_ready"`
			}
			testkit.FailIf(t, got.status != want || !strings.Contains(got.body, code), "%s: %s: got %d %s, want %d with %s", step.label, digits, got.status, got.body, want, code)
		}
	}
}

// Of several snapshots with an ID, the served one answers, then the last of the others.
func TestSnapshotsWithOneID(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	snapshot := func(source byte, pubs int) *index.Snapshot {
		directory := tenPubs()
		directory.Pubs = directory.Pubs[:pubs]
		return buildFrom(t, directory, [32]byte{source})
	}
	s.Arrange(Arrangement{Served: snapshot(1, 10), Others: []*index.Snapshot{snapshot(1, 3), snapshot(2, 4), snapshot(2, 5)}})
	for id, want := range map[string]int{"0100000000000000": 10, "0200000000000000": 5} {
		v, f := s.arrangement.Load().find([]byte(id))
		testkit.Equal(t, id, fmt.Sprint(v.snapshot.Len(), f.IsSet()), fmt.Sprint(want, false))
	}
}

// CSV responses can be loaded as snapshots; see the golden file csv. Quotes and objects are cells.
func TestCells(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`null`, ``}, {`1.5`, `1.5`}, {`"a"`, `a`}, {`"a,b"`, `"a,b"`}, {`"a\"b"`, `"a""b"`}, {`"a\\b"`, `a\b`}, {`"\""`, `""""`},
		{`{"a":1}`, `"{""a"":1}"`}, {`"\\\","`, `"\"","`},
	} {
		row := append([]byte("x,"), c.json...)
		row = row[:2+asCell(row[2:])]
		testkit.Equal(t, c.json, string(quoteCell(row, 2)), "x,"+c.want)
	}
}

func TestEscapeFormulas(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"Red Lion", "Red Lion"}, {"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"}, {"+1", "'+1"}, {"-0.12", "'-0.12"}, {"@SUM(1)", "'@SUM(1)"},
		{"==", "'=="}, {"\tx", "'\tx"}, {"\rx", "'\rx"}, {"＝1", "'＝1"}, {"＋1", "'＋1"}, {"－1", "'－1"}, {"＠x", "'＠x"},
		{"A-B", "A-B"}, {"A =1", "A =1"}, {"'=1", "'=1"}, {" =1", " '=1"}, {"\u00a0=1", "\u00a0'=1"}, {"\ufeff=1", "\ufeff'=1"}, {"\u200b\u00ad-1", "\u200b\u00ad'-1"}, {"A; =1", "A; '=1"}, {" Red", " Red"}, {"–1", "–1"},
		{"A;=1", "A;'=1"}, {"A;=1;B;-2", "A;'=1;B;'-2"}, {";;@x", ";;'@x"}, {`"=1`, `"'=1`}, {`A;"=1"`, `A;"'=1"`}, {`A"=1`, `A"=1`},
	} {
		testkit.Equal(t, c.text, string(escapeFormulas([]byte("=x,"+c.text), 3)), "=x,"+c.want)
	}
}

// No cell for a spreadsheet begins like a formula, whether the spreadsheet splits at commas or semicolons. Apart from
// the escapes, the cells are those of the plain CSV.
func TestSpreadsheet(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune("=+-@;,\"'\\ aé＝＠1\ufeff\u200b\u00ad\u00a0")), 1, 12, -1).Draw(r, "name")
		directory := corpus.Directory{Pubs: []schema.Pub{pub("-1", "x"+name, name, name, -16.8, -179.99, name, ratings(nan, nan, nan, nan, nan, 9.25), 1)}}
		snapshot := testkit.Must(index.InMemory(directory, index.BuildOptions{}))(r)
		s, _ := withoutData(t, LogOff)
		s.Arrange(Arrangement{Served: snapshot})
		const query = "search=*&include=rankings,label&format="
		plain, escaped := newExchange(query+"csv"), newExchange(query+"spreadsheet")
		handle(s, plain)
		handle(s, escaped)
		content, marked := strings.CutPrefix(string(escaped.Response.body), byteOrderMark)
		testkit.StopIf(r, !marked, "no byte order mark: %q", content)
		readAll := func(text string, comma rune) [][]string {
			reader := csv.NewReader(strings.NewReader(text))
			reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = comma, true, -1
			rows := testkit.Must(reader.ReadAll())(r)
			return rows
		}
		rows, wanted := readAll(content, ','), readAll(string(plain.Response.body), ',')
		for i, cell := range wanted[1] {
			got := rows[1][i]
			_, err := strconv.ParseFloat(cell, 64)
			number := err == nil && rows[0][i] != "UID" && rows[0][i] != "label" && cell != name && cell != "x"+name
			testkit.FailIf(r, number && got != cell || !number && string(escapeFormulas([]byte(cell), 0)) != got,
				"%s: got %q, want %q", rows[0][i], got, cell)
		}
		for _, cell := range append(rows[1], slices.Concat(readAll(content, ';')...)...) {
			_, err := strconv.ParseFloat(cell, 64)
			if begin, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(cell, func(r rune) bool { return r == '"' || unicode.In(r, blanks...) })); err != nil && strings.ContainsRune("=+-@＝＋－＠", begin) && cell != "" {
				r.Errorf("cell %q of %q", cell, content)
			}
		}
	})
}
