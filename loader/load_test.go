package loader

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/schema"
)

const header = "UID,name,location,trading,latitude,longitude,common_category,beer,atmos,fengshui,service,toilets,total,review_count\n"

// goodRow is a row with every column. It stays valid with any other UID.
const goodRow = "a,Good,Here,Open,51.5,-0.1,Beer,7,6.5,5,4,3,5.1,4\n"

// TestComplaints has a third line behind a header and a good row, and the complaint about it.
func TestComplaints(t *testing.T) {
	for _, c := range cases(t, "complaints.txt") {
		_, err := Load("dir/pubs.csv", append([]byte(header+goodRow), c.content...), Options{})
		testkit.Equal(t, string(c.content), complaintsOf(err), "dir/pubs.csv:3: "+c.want)
	}
}

func TestJSONComplaints(t *testing.T) {
	const good = `{"UID": "a", "name": "Good", "beer": 7, "review_count": 4}`
	for _, c := range cases(t, "jsoncomplaints.txt") {
		row := string(c.content)
		_, err := Load("pubs.ndjson", []byte(good+"\n"+row+"\n"+strings.Replace(good, `"a"`, `"c"`, 1)), Options{})
		testkit.Equal(t, row, complaintsOf(err), "pubs.ndjson:2: "+c.want)
		_, err = Load("pubs.json", []byte("[\n"+good+",\n  "+row+"\n]"), Options{})
		testkit.Equal(t, row, complaintsOf(err), "pubs.json:3: "+strings.Replace(c.want, "line 1", "line 2", 1))
	}
}

// complaintsOf returns the complaints about a file, without the hints.
func complaintsOf(err error) string {
	refused, ok := err.(*RejectedError)
	if !ok {
		return fmt.Sprint(err)
	}
	without := *refused
	without.Hints = nil
	return without.Error()
}

// TestRefusedFiles has files with the whole message about each.
func TestRefusedFiles(t *testing.T) {
	for _, c := range cases(t, "refused.txt") {
		_, err := checked(t, c.name, c.content, Options{})
		got := outcome(err)
		if end, isEnd := strings.CutPrefix(c.want, "…"); isEnd && strings.HasSuffix(got, end) {
			got = c.want
		}
		testkit.Equal(t, c.name+" "+string(c.content), got, c.want)
	}
}

func TestAccepted(t *testing.T) {
	for content, want := range map[string]string{
		strings.Repeat("é", 500): strings.Repeat("é", 500), " x ": " x ", `"a ""b"", c"`: `a "b", c`, "a\u00a0b": "a\u00a0b", "a\ufffdb": "a\ufffdb", "NULL": "NULL",
	} {
		result := testkit.Must(Load("p.csv", []byte("id,NAME,notes\r\na,"+content+",\"x\ny\x01\xff\"\r\n"), Options{}))(t)
		testkit.Equal(t, "name", result.Directory.Pubs[0].Name, want)
	}
	result := testkit.Must(Load("p.JSON", []byte(`{"next": [{"pubs": 1}], "results": [
		{"uid": 12.50, "Name": "\u0042\ud83c\udf7a\/\"", "beer": "7.5", "lat": "1", "lon": 2, "location": "null", "x": [{"]": "}"}]},
		{"PUBID": "12.5", "name": "null and void", "trading": null, "beer": "", "y": "\ud800", "x": 1}], "count": 2}`), Options{}))(t)
	nan := math.NaN()
	want := corpus.Directory{Pubs: []schema.Pub{
		{UID: "12.50", Name: "B🍺/\"", Latitude: 1, Longitude: 2, Ratings: schema.Rated(map[schema.Metric]float64{schema.Beer: 7.5, schema.Total: 7.5})},
		{UID: "12.5", Name: "null and void", Latitude: nan, Longitude: nan, Ratings: schema.Rated(nil)},
	}}
	testkit.Equal(t, "p.JSON", fmt.Sprint(result.Directory), fmt.Sprint(want))
	testkit.Equal(t, "ignored", strings.Join(result.Ignored, " "), "x y")
}

func TestIgnored(t *testing.T) {
	columns := "UID,name,Notes,notes,,esc\x1b[2J,,Notes"
	result, err := Load("p.csv", []byte(columns+"\na,A,,,,,,\n"), Options{})
	testkit.OK(t, err)
	testkit.Equal(t, columns, strings.Join(result.Ignored, "|"), `Notes|notes|""|esc\x1b[2J`)
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `{"UID":%d,"name":"A","x%d":1}`+"\n", i, i)
	}
	result, err = Load("p.ndjson", []byte(many.String()), Options{})
	testkit.FailIf(t, err != nil || len(result.Ignored) != maxIgnored || len(result.Directory.Pubs) != 5000,
		"%v, %d ignored", err, len(result.Ignored))
}

// TestWholeFileRules has rules that depend on the columns of the file: whether it counts reviews; the rating of beer,
// total and reviews of the first pub.
func TestWholeFileRules(t *testing.T) {
	for _, c := range cases(t, "columns.txt") {
		result := testkit.Must(Load(c.name, c.content, Options{}))(t)
		pub := result.Directory.Pubs[0]
		testkit.Equal(t, string(c.content), fmt.Sprint(result.Directory.CountsReviews, pub.Ratings[schema.Beer], pub.Ratings[schema.Total], pub.ReviewCount), c.want)
	}
}

func TestManyWrongRows(t *testing.T) {
	content := header
	for i := range 66 {
		content += fmt.Sprintf("u%d,Good,,,,,,%d,,,,,,4\n", i, 7+i%2*4)
	}
	_, err := Load("many.csv", []byte(content), Options{})
	var refused *RejectedError
	testkit.StopIf(t,
		!errors.As(err, &refused) || refused.WrongRows != 33 || len(refused.Complaints) != 20 || refused.Reason != nil,
		"got %+v", err)
	lines := strings.Split(err.Error(), "\n")
	testkit.Equal(t, "lines", len(lines), 21)
	testkit.Equal(t, "last lines", strings.Join(lines[19:], "\n"), `many.csv:41: beer "11": must be from 0 to 10`+"\n… and 13 more wrong rows (33 in all)")
	result, err := Load("many.csv", []byte(content), Options{MaxBadRows: 33})
	testkit.FailIf(t, err != nil || len(result.Skipped) != 33 || len(result.Directory.Pubs) != 33,
		"33 allowed: %v, %+v", err, result)
	_, err = Load("many.csv", []byte(content), Options{MaxBadRows: 32})
	testkit.FailIf(t, !errors.As(err, &refused) || len(refused.Complaints) != 20, "32 allowed: %v", err)

	// Complaints that are known only at the end of the file are in line order, too.
	result, err = Load("p.ndjson", []byte(`{"id":"a","name":"Good"}
{"id":"b","name":"B","beer":1}
{"id":"c","name":"C","beer":11}
{"id":"a","name":"Again"}
{"id":"d","name":"D","beer":2}
oops
{"id":"e","name":"E","review_count":0}`), Options{MaxBadRows: 5})
	testkit.OK(t, err)
	got := result.Directory.Pubs[0].Name + result.Directory.Pubs[1].Name
	for _, complaint := range result.Skipped {
		got += fmt.Sprint(" ", complaint.Line)
	}
	testkit.Equal(t, "pubs left and lines skipped", got, "GoodE 2 3 4 5 6")
	_, err = Load("p.csv", []byte("UID,name\na,\n"), Options{MaxBadRows: 5})
	testkit.Equal(t, "no row left", outcome(err), "p.csv:2: name: must not be empty⏎p.csv: has no pub left: a snapshot must have at least one row that is not wrong")
	_, err = Load("p.csv", []byte("UID,name\na,\nb,B\nc,\"x\"y\n"), Options{MaxBadRows: 5})
	testkit.FailIf(t, strings.Count(outcome(err), "⏎") != 1 || !strings.Contains(outcome(err), "p.csv:4:"),
		"got %v", err)
}

func TestLoadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pubs.csv")
	testkit.OK(t, os.WriteFile(path, []byte(header+goodRow), 0o600))
	var calls [][2]int64
	result, err := LoadFile(path, Options{Progress: func(read, total int64) { calls = append(calls, [2]int64{read, total}) }})
	size := int64(len(header + goodRow))
	testkit.FailIf(t, err != nil || len(result.Directory.Pubs) != 1, "%v %+v", err, result)
	testkit.Equal(t, "progress", calls, [][2]int64{{size, size}})
	absent, folder, device, pipe := filepath.Join(dir, "absent.csv"), filepath.Join(dir, "folder.csv"), filepath.Join(dir, "zero.csv"), filepath.Join(dir, "pipe.csv")
	_, err = LoadFile(absent, Options{})
	testkit.FailIf(t, !errors.Is(err, fs.ErrNotExist) || err.Error() != absent+": file does not exist",
		"absent: %v", err)
	testkit.OK(t, errors.Join(os.Mkdir(folder, 0o700), os.Symlink("/dev/zero", device), syscall.Mkfifo(pipe, 0o600), os.Truncate(path, maxInMemory+1)))
	for place, want := range map[string]string{folder: "is a directory", device: "is a device", pipe: "is a named pipe"} {
		done := make(chan error, 1)
		go func() {
			_, err := LoadFile(place, Options{})
			done <- err
		}()
		select {
		case err := <-done:
			testkit.Equal(t, place, outcome(err), place+": "+want+": must be a regular file")
		case <-time.After(20 * time.Second):
			t.Errorf("%s: LoadFile waits", place)
		}
	}
	_, err = ReadFile(path)
	testkit.FailIf(t, !strings.Contains(outcome(err), "larger than 2 GiB"), "huge: %v", err)
}

// A file that is changed while it is read is an error, however soon after it was written; one that is replaced is read
// as it was.
func TestFileChangesWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pubs.csv")
	const changed = ": changed while it was read: write a snapshot under another name, then rename it"
	for want, change := range map[string]func() error{
		"written over" + changed: func() error { return os.WriteFile(path, []byte("b,B"), 0o600) },
		"cut short" + changed:    func() error { return os.Truncate(path, 1) },
		"removed: accepted":      func() error { return os.Remove(path) },
	} {
		testkit.OK(t, os.WriteFile(path, []byte("a,A"), 0o600))
		file, err := OpenFile(path)
		testkit.OK(t, err)
		age := time.Since(file.begun.ModTime())
		testkit.FailIf(t, age < clockGrain, "is read %v after it was written", age)
		testkit.OK(t, change())
		_, err = file.End()
		file.Close()
		what, _, _ := strings.Cut(want, ": ")
		testkit.Equal(t, what, what+": "+strings.TrimPrefix(outcome(err), path+": "), want)
	}
}

// checkPub checks a loaded pub against its type's documentation.
func checkPub(t testing.TB, pub schema.Pub) {
	t.Helper()
	testkit.FailIf(t, pub.UID == "" || pub.Name == "", "a pub without UID or name: %+v", pub)
	for _, text := range []string{pub.UID, pub.Name, pub.Location, pub.Trading, pub.Category} {
		testkit.FailIf(t,
			len(text) > 1000 || !utf8.ValidString(text) || strings.IndexFunc(text, unicode.IsControl) >= 0 || text == `\N` || text == "null",
			"text %q", text)
	}
	testkit.FailIf(t,
		math.IsNaN(pub.Latitude) != math.IsNaN(pub.Longitude) || math.Abs(pub.Latitude) > 90 || math.Abs(pub.Longitude) > 180,
		"at %v, %v", pub.Latitude, pub.Longitude)
	for metric, rating := range pub.Ratings {
		testkit.FailIf(t, rating < 0 || rating > 10 || rating == 0 && math.Signbit(rating),
			"%v is %v", schema.Metric(metric), rating)
	}
	testkit.FailIf(t, pub.ReviewCount < 0, "%d reviews", pub.ReviewCount)
}

// checkDirectory checks a loaded directory against its type's documentation.
func checkDirectory(t testing.TB, directory corpus.Directory) {
	t.Helper()
	uids := map[string]bool{}
	for _, pub := range directory.Pubs {
		checkPub(t, pub)
		testkit.FailIf(t, uids[pub.UID], "UID %q repeats", pub.UID)
		uids[pub.UID] = true
		for metric, rating := range pub.Ratings {
			testkit.FailIf(t, directory.CountsReviews && pub.ReviewCount == 0 && !math.IsNaN(rating),
				"%q has %v %v and no reviews", pub.UID, schema.Metric(metric), rating)
		}
	}
	testkit.FailIf(t, len(directory.Pubs) == 0, "no pub")
}

// pack compresses text as the suffix of a file name says.
func pack(t testing.TB, suffix, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&packed)
	switch suffix {
	case "":
		return []byte(text)
	case ".zst":
		encoder := testkit.Must(zstd.NewWriter(&packed, zstd.WithEncoderConcurrency(1)))(t)
		w = encoder
	}
	testkit.Must(io.WriteString(w, text))(t)
	testkit.OK(t, w.Close())
	return packed.Bytes()
}

// marshal returns a value as JSON.
func marshal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
