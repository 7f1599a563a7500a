package response

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

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
		directory := corpus.Directory{Pubs: []schema.Pub{{UID: "-1", Name: "x" + name, Location: name, Trading: name, Latitude: -16.8, Longitude: -179.99, Category: name,
			Ratings: schema.Rated(map[schema.Metric]float64{schema.Total: 9.25}), ReviewCount: 1}}}
		snapshot := testkit.Must(index.InMemory(directory, index.BuildOptions{}))(r)
		v := views.New(snapshot, time.Time{})
		body := func(format string) string {
			p, w, r := new(query.Params), new(Workspace), new(Result)
			p.Parse(params.Search, []byte("search=*&include=rankings,label&format="+format), nil, 0, nil)
			r.Found = snapshot.Search(&p.Query, &w.Search)
			return string(Encode(v, p, r, w, nil, nil).Body)
		}
		plain := body("csv")
		content, marked := strings.CutPrefix(body("spreadsheet"), byteOrderMark)
		testkit.StopIf(r, !marked, "no byte order mark: %q", content)
		readAll := func(text string, comma rune) [][]string {
			reader := csv.NewReader(strings.NewReader(text))
			reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = comma, true, -1
			rows := testkit.Must(reader.ReadAll())(r)
			return rows
		}
		rows, wanted := readAll(content, ','), readAll(plain, ',')
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
