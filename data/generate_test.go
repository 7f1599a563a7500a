package data_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pubd/data"
)

var update = flag.Bool("update", false, "rewrite sample.csv")

func generated(t testing.TB, pubs int, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := data.Generate(&b, pubs, seed, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pubs returns the rows of a generated directory, without the header.
func pubs(t testing.TB, n int, seed uint64) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(generated(t, n, seed))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != data.Header {
		t.Fatalf("header %s, want %s", got, data.Header)
	}
	if len(rows) != n+1 {
		t.Fatalf("%d pubs, want %d", len(rows)-1, n)
	}
	return rows[1:]
}

func TestSampleIsGenerated(t *testing.T) {
	want := generated(t, data.SamplePubs, data.SampleSeed)
	if *update {
		if err := os.WriteFile(data.SampleName, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(data.Sample(), want) {
		t.Fatal("sample.csv is not what Generate writes: go test ./data -run Sample -update")
	}
}

func TestSampleIsACopy(t *testing.T) {
	clear(data.Sample())
	if !strings.HasPrefix(string(data.Sample()), data.Header+"\n") {
		t.Fatal("a caller changed the sample")
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	one := generated(t, 5000, 7)
	const want = "a2efbea75ed10f24e1b9650fb9c9c51b8c85c404253e990cea4062b508ff6765"
	if got := fmt.Sprintf("%x", sha256.Sum256(one)); got != want {
		t.Errorf("5000 pubs with seed 7 have SHA-256 %s, want %s", got, want)
	}
	if !bytes.Equal(one, generated(t, 5000, 7)) {
		t.Error("same arguments, different bytes")
	}
	if bytes.Equal(one, generated(t, 5000, 8)) {
		t.Error("different seeds, same bytes")
	}
	if !bytes.HasPrefix(one, generated(t, 1234, 7)) {
		t.Error("a smaller directory is not the beginning of a larger one with the same seed")
	}
}

func TestGenerateRejectsSizes(t *testing.T) {
	for _, n := range []int{-1, 0, data.MaxPubs + 1} {
		if err := data.Generate(io.Discard, n, 1, nil); err == nil {
			t.Errorf("%d pubs: no error", n)
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestGenerateReportsWriteError(t *testing.T) {
	for _, n := range []int{1, 100_000} {
		if err := data.Generate(full{}, n, 1, nil); !errors.Is(err, errFull) {
			t.Errorf("%d pubs: error %v, want %v", n, err, errFull)
		}
	}
}

func TestGenerateProgress(t *testing.T) {
	var calls []int
	if err := data.Generate(io.Discard, 10_000, 1, func(done int) { calls = append(calls, done) }); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(calls); got != "[4096 8192 10000]" {
		t.Errorf("progress %s", got)
	}
}

func TestRowsAreValid(t *testing.T) {
	for i, row := range pubs(t, 20_000, 3) {
		if fault := wrong(row); fault != "" {
			t.Errorf("pub %d: %s: %q", i+1, fault, row)
		}
	}
}

var postcode = regexp.MustCompile(`^[A-Z]{1,2}[1-9][0-9]? [0-9][A-Z]{2,3}$`)

// wrong returns the rule that a row breaks, or "".
func wrong(row []string) string {
	for i, field := range row {
		if !utf8.ValidString(field) || len(field) > 1000 || strings.ContainsFunc(field, unicode.IsControl) {
			return fmt.Sprintf("field %d", i)
		}
	}
	name, lat, lng := row[1], row[4], row[5]
	if row[0] == "" || name == "" || strings.TrimSpace(name) != name || strings.Contains(name, "  ") {
		return "UID or name"
	}
	if (lat == "") != (lng == "") || lat != "" && !(within(lat, 49.8, 60.9) && within(lng, -10.7, 1.9)) {
		return "coordinates"
	}
	if row[15] != "" && !postcode.MatchString(row[15]) {
		return "postcode"
	}
	if !strings.Contains(" open closed temporarily_closed ", " "+row[3]+" ") && row[3] != "" {
		return "trading"
	}
	count, err := strconv.Atoi(row[13])
	if err != nil || count < 0 {
		return "review_count"
	}
	return wrongRatings(row[7:13], count)
}

func wrongRatings(ratings []string, count int) string {
	var sum, n int
	for _, r := range ratings[:5] {
		if r != "" {
			sum += hundredths(r)
			n++
		}
		if r != "" && !within(r, 0, 10) {
			return "rating"
		}
	}
	total := ratings[5]
	switch {
	case count == 0 && (n > 0 || total != ""):
		return "ratings without reviews"
	case count > 0 && n < 3:
		return "reviews without ratings"
	case n > 0 && hundredths(total) != (2*sum+n)/(2*n):
		return "total"
	}
	return ""
}

func within(text string, low, high float64) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && v >= low && v <= high
}

// hundredths returns the hundredths of a rating with up to two decimals, such as 7.1, or -1 if it has more.
func hundredths(text string) int {
	whole, part, _ := strings.Cut(text, ".")
	v, err := strconv.Atoi(whole + (part + "00")[:2])
	if err != nil || len(part) > 2 {
		return -1
	}
	return v
}

func TestSharesAreLikeBritain(t *testing.T) {
	const n = 50_000
	shares, names := map[string]int{}, map[string]int{}
	bare := strings.NewReplacer("The ", "", " Inn", "", " Hotel", "")
	signs := map[string]int{}
	for _, row := range pubs(t, n, 5) {
		name := row[1]
		names[name]++
		signs[bare.Replace(name)]++
		for share, has := range map[string]bool{
			"rated":               row[13] != "0",
			"partly rated":        row[12] != "" && strings.Contains(","+strings.Join(row[7:12], ",")+",", ",,"),
			"without coordinates": row[4] == "",
			"without location":    row[2] == "",
			"without address":     row[14] == "",
			"without postcode":    row[15] == "",
			"without area":        row[16] == "",
			"area is location":    row[16] == row[2],
			"open":                row[3] == "open",
			"closed":              row[3] == "closed",
			"temporarily closed":  row[3] == "temporarily_closed",
			"apostrophe":          strings.Contains(name, "'"),
			"curly apostrophe":    strings.Contains(name, "’"),
			"ampersand":           strings.Contains(name, "&"),
			"accent":              strings.ContainsAny(name, "áéíóúâêîôûŵŷàèëöÁÉÓÚ"),
			"digit":               strings.ContainsAny(name, "0123456789"),
			"comma":               strings.Contains(name, ","),
			"quote":               strings.Contains(name, `"`),
		} {
			if has {
				shares[share]++
			}
		}
	}
	for _, c := range []struct {
		share     string
		low, high float64 // percent
	}{
		{"rated", 42, 48},
		{"partly rated", 1.5, 3.5},
		{"without coordinates", 0.3, 2},
		{"without location", 0.3, 2},
		{"without address", 4, 8},
		{"without postcode", 2, 4},
		{"without area", 0.3, 2},
		{"area is location", 0, 1},
		{"open", 91, 95},
		{"closed", 2, 8},
		{"temporarily closed", 1, 3},
		{"apostrophe", 3, 20},
		{"curly apostrophe", 0.5, 5},
		{"ampersand", 3, 15},
		{"accent", 0.5, 5},
		{"digit", 0.5, 5},
		{"comma", 0.1, 3},
		{"quote", 0.01, 1},
	} {
		if got := 100 * float64(shares[c.share]) / n; got < c.low || got > c.high {
			t.Errorf("%s: %.2f %%, want %g to %g", c.share, got, c.low, c.high)
		}
	}
	if len(names) < 20_000 || len(names) > 32_000 {
		t.Errorf("%d distinct names of %d pubs, want 20,000 to 32,000", len(names), n)
	}
	top := "Red Lion"
	for sign, count := range signs {
		if count > signs[top] {
			top = sign
		}
	}
	if got := 100 * float64(signs[top]) / n; top != "Red Lion" || got < 0.5 || got > 2 {
		t.Errorf("most common name %s with %.2f %%, want Red Lion with 0.5 to 2", top, got)
	}
}

func TestUIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	last, rising := "", 0
	for _, row := range pubs(t, 200_000, 11) {
		uid := row[0]
		if seen[uid] || len(uid) != 6 {
			t.Fatalf("UID %q is repeated or does not have six characters", uid)
		}
		seen[uid] = true
		if uid > last {
			rising++
		}
		last = uid
	}
	if rising < 80_000 || rising > 120_000 {
		t.Errorf("%d of 200,000 UIDs are greater than the previous one, want about half", rising)
	}
}

type counter struct{ bytes int64 }

func (c *counter) Write(p []byte) (int, error) { c.bytes += int64(len(p)); return len(p), nil }

func BenchmarkGenerate(b *testing.B) {
	const n = 100_000
	b.ReportAllocs()
	for b.Loop() {
		var c counter
		if err := data.Generate(&c, n, 1, nil); err != nil || c.bytes < 50*n {
			b.Fatalf("%d bytes, error %v", c.bytes, err)
		}
		b.SetBytes(c.bytes)
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "pubs/s")
}
