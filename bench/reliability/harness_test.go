package reliability

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/data"
	"pubd/index/schema"
	"pubd/loader"
)

var program, scratch string // pubd, and a directory for this run

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds pubd, and runs the tests.
func run(m *testing.M) int {
	flag.Parse()
	if testkit.IsLong() { // row X3 waits for the program's time limit: stage.FileTimeout, or a minute in other programs
		_ = os.Unsetenv("PUBD_PROGRAM")
	}
	var err error
	if scratch, err = os.MkdirTemp("", "reliability-"); err == nil {
		defer os.RemoveAll(scratch)
		program, err = stage.CompilePubd(context.Background(), scratch)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// full reports whether rows have their full forms, which take hours: in the long lane, with go test -timeout 0 or at
// least an hour, so that nobody starts them by accident.
func full() bool {
	timeout := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration)
	return testkit.IsLong() && (timeout == 0 || timeout >= time.Hour)
}

// pick returns the value for the form.
func pick[T any](short, long T) T {
	if full() {
		return long
	}
	return short
}

// patience is the timeout for anything that normally takes seconds.
const patience = time.Minute

// row begins a row of the table: the stimulus and the required result. It skips the test in the quick lane. Rows that
// measure no times run in parallel.
func row(t *testing.T, did, passes string) {
	timedRow(t, did, passes)
	t.Parallel()
}

// quickRow begins a row whose short form is quick, and which measures no times.
func quickRow(t *testing.T, did, passes string) {
	t.Helper()
	beginRow(t, did, passes)
	t.Parallel()
}

// timedRow begins a row that measures times, so that nothing else of this package runs beside it.
func timedRow(t *testing.T, did, passes string) {
	t.Helper()
	testkit.Long(t, "starts pubd and loads it")
	beginRow(t, did, passes)
}

// rows are those that have begun, by the names of their tests: what is done, what passes, how much was tried, and the
// result.
var (
	rows       = map[string]*[4]string{}
	tabulating sync.Mutex // guards rows and the table
)

func beginRow(t *testing.T, did, passes string) {
	openSources(t)
	tabulating.Lock()
	defer tabulating.Unlock()
	rows[t.Name()] = &[4]string{did, passes}
	t.Cleanup(func() {
		if full() && !t.Skipped() {
			writeRow(t)
		}
	})
}

// writeRow writes the row of a test into the table of the documentation.
func writeRow(t *testing.T) {
	const file = "../../docs/reliability.md"
	verdict := "passed"
	if t.Failed() {
		verdict = "**failed**"
	}
	tabulating.Lock()
	defer tabulating.Unlock()
	commit := stage.Commit(context.Background()) // that of the test has ended
	cells := slices.Concat([]string{strings.TrimPrefix(t.Name(), "Test")}, rows[t.Name()][:], []string{verdict, commit})
	write(t, file, []byte(withRow(string(testkit.Read(t, file)), cells)))
}

// withRow returns a text that ends with a table, with a row that replaces the one that begins with the same cell, or
// becomes the last.
func withRow(text string, cells []string) string {
	row := ""
	for _, cell := range cells {
		row += "| " + strings.ReplaceAll(cell, "|", `\|`) + " "
	}
	lines := strings.Split(text, "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "| "+cells[0]+" |") })
	if at < 0 {
		at, lines = len(lines)-1, append(lines, "")
	}
	lines[at] = row + "|"
	return strings.Join(lines, "\n")
}

// A row replaces the one of its name, or is added.
func TestWithRow(t *testing.T) {
	const head, last = "# Title\n\n| row | |\n|---|---|\n", "| R2 | kept |\n"
	testkit.Equal(t, "replaced", withRow(head+"| R1 | old |\n"+last, []string{"R1", "a|b"}), head+`| R1 | a\|b |`+"\n"+last)
	testkit.Equal(t, "added", withRow(head+last, []string{"R3", "new"}), head+last+"| R3 | new |\n")
}

// openSources opens the folders of the module, once: then "go test" knows that a result depends on what is in them,
// and does not repeat it from its cache when pubd has changed. It sees what tests open, not what is opened before
// them.
func openSources(t testing.TB) {
	opened.Do(func() {
		const root = "../.." // of bench/reliability
		testkit.OK(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && path != root && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return err
		}))
	})
}

var opened sync.Once

// figure reports how much was tried, and the result.
func figure(t *testing.T, n, format string, values ...any) {
	t.Helper()
	text := strings.ReplaceAll(fmt.Sprintf(format, values...), "\n", " ")
	t.Logf("%s: %s", n, text)
	tabulating.Lock()
	defer tabulating.Unlock()
	r := rows[t.Name()]
	r[2], r[3] = n, text
}

// noFailure fails the test unless every request was answered correctly.
func noFailure(t testing.TB, tally *load.Tally) {
	t.Helper()
	testkit.FailIf(t, tally.Failed() > 0 || tally.Sent() == 0, "got %v, want no failure", tally)
}

// The key of a replica without a key file, and the path of the API.
const (
	demo = "demo"
	pubs = bench.Pubs
)

// A directory is generated, as two snapshots. The second lacks the last pub, so that responses to searches differ.
type directory struct {
	pubs      []schema.Pub
	targets   []string // 40 % text searches, 40 % distance searches, 20 % lookups
	snapshots [2]*snapshot
}

// A snapshot is a file with the right answers to targets.
type snapshot struct {
	file string
	load.Snapshot
	targets []string
	bytes   int // total length of the answers
}

// The number of pubs in most rows, in those that count reloads, and in quick ones.
const (
	manyPubs  = 51_566
	fewPubs   = 5_000
	scantPubs = 1_000
)

var (
	directories = map[int]*directory{} // by size
	generating  sync.Mutex             // guards directories
)

// directoryOf returns the directory with a number of pubs. It is generated once.
func directoryOf(t testing.TB, size int) *directory {
	t.Helper()
	generating.Lock()
	defer generating.Unlock()
	if directories[size] == nil {
		directories[size] = makeDirectory(t, size)
	}
	return directories[size]
}

// usual returns the directory for most rows, which is small in the short form.
func usual(t testing.TB) *directory {
	t.Helper()
	return directoryOf(t, testkit.Pick(scantPubs, pick(fewPubs, manyPubs)))
}

// usualClasses are the classes of the targets, a fifth each.
var usualClasses = []bench.Class{bench.Classes[1], bench.Classes[6], bench.Classes[4], bench.Classes[7], bench.Classes[0]}

func makeDirectory(t testing.TB, size int) *directory {
	t.Helper()
	files := makeFiles(t, scratch, size, 2)
	d := &directory{pubs: testkit.Must(loader.Load("generated.csv", testkit.Read(t, files[0]), loader.Options{}))(t).Directory.Pubs}
	mix := bench.NewMix(d.pubs, 1)
	for i := range 1000 {
		d.targets = append(d.targets, pubs+"?"+mix.Draw(usualClasses[i%len(usualClasses)]))
	}
	for i, file := range files {
		d.snapshots[i] = snapshotOf(t, file, d.targets)
	}
	return d
}

// makeFiles creates snapshot files in a folder. The first has a number of pubs, each other one less than the previous
// one.
func makeFiles(t testing.TB, folder string, size, n int) (files []string) {
	t.Helper()
	var text bytes.Buffer
	testkit.OK(t, data.Generate(&text, size, 1, nil))
	content := bytes.TrimRight(text.Bytes(), "\n")
	for i := range n {
		files = append(files, filepath.Join(folder, fmt.Sprintf("%d-%d.csv", size, i+1)))
		write(t, files[i], append(bytes.Clone(content), '\n'))
		content = content[:bytes.LastIndexByte(content, '\n')]
	}
	return files
}

// snapshotOf returns a file with the answers of a replica that does nothing else.
func snapshotOf(t testing.TB, file string, targets []string) *snapshot {
	t.Helper()
	r := serveUnder(t, nil, file, builtOnce()...)
	defer r.Stop()
	return r.answersTo(t, file, demo, targets)
}

// answersTo returns a file with the answers of the replica, which does nothing else, to a key.
func (r *replica) answersTo(t testing.TB, file, key string, targets []string) *snapshot {
	t.Helper()
	s := &snapshot{file: file, targets: targets}
	c := load.Conn{Address: r.API}
	defer c.Close()
	for _, target := range targets {
		a, err := c.Send([]byte(strings.Replace(string(request(target)), demo, key, 1)))
		testkit.StopIf(t, err != nil || a.Status != http.StatusOK && a.Status != http.StatusNotFound, "%s: %v, %v", target, a, err)
		s.ID = c.Snapshot()
		s.Answers = append(s.Answers, a)
		s.bytes += len(c.Body())
	}
	return s
}

// builtOnce returns flags for replicas whose rows prove nothing about building: the first one builds the index of a
// file, the others use it.
func builtOnce() []string { return []string{"--cache", filepath.Join(scratch, "cache")} }

// built returns flags for quick rows: a build has the lowest priority, and would wait for the tests of other packages.
func built() []string { return testkit.Pick(builtOnce(), nil) }

// request returns a GET request with the demo key.
func request(target string) []byte { return []byte(wire(http.MethodGet, target)) }

// wire returns a request with the demo key and more header lines.
func wire(method, target string, lines ...string) string {
	head := []string{method + " " + target + " HTTP/1.1", "Host: localhost", "x-api-key: " + demo}
	return strings.Join(append(head, lines...), "\r\n") + "\r\n\r\n"
}

// fetch sends a request with headers, given as names and values, of which those that are "" are left out.
func fetch(method, url string, headers ...string) (*fasthttp.Response, error) {
	var request fasthttp.Request
	request.Header.SetMethod(method)
	request.SetRequestURI(url)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	answer := new(fasthttp.Response)
	return answer, fasthttp.DoTimeout(&request, answer, patience)
}

// get requests a URL. The key may be "".
func get(url, key string) (status int, body []byte, err error) {
	answer, err := fetch(http.MethodGet, url, "x-api-key", key)
	return answer.StatusCode(), answer.Body(), err
}

// during sends a load while do runs, none of whose requests may fail.
func during(t testing.TB, l *load.Load, do func()) *load.Tally {
	t.Helper()
	stop := l.Start(t.Context())
	defer stop() // if do ends the test
	do()
	noFailure(t, stop())
	return stop()
}

// attempts is how often a ratio is measured until it is met.
const attempts = 3

// compare sends two loads in turn, in rounds, none of whose requests may fail. In the full form, the median ratio of
// their 99th percentiles may be at most a limit, in one of the attempts. It returns all answers, and a report.
func compare(t *testing.T, times int, most float64, once func() (without, with *load.Tally)) (all *load.Tally, said string) {
	t.Helper()
	all = load.NewTally()
	for attempt := 1; ; attempt++ {
		got, ratio, samples := rounds(times, once)
		all.Add(got)
		noFailure(t, all)
		said = samples
		if attempt > 1 {
			said += fmt.Sprintf(" (attempt %d)", attempt)
		}
		if !full() || ratio <= most || t.Failed() {
			return all, said
		}
		t.Logf("attempt %d: %s, want at most %v", attempt, said, most)
		if attempt == attempts {
			t.Errorf("median ratio %.2f in %d attempts, want at most %v", ratio, attempts, most)
			return all, said
		}
	}
}

// rounds measures the p99 with and without something, in turn, a number of times, and returns the median of the ratios.
func rounds(times int, once func() (without, with *load.Tally)) (all *load.Tally, ratio float64, said string) {
	all = load.NewTally()
	var ratios []float64
	var withouts, withs []time.Duration
	for range pick(1, times) {
		without, with := once()
		all.Add(without, with)
		ratios = append(ratios, float64(with.P99())/float64(without.P99()))
		withouts, withs = append(withouts, without.P99()), append(withs, with.P99())
	}
	ratio = bench.Median(ratios)
	return all, ratio, fmt.Sprintf("p99 %s ms beside %s ms, median ratio %.2f", span(withs), span(withouts), ratio)
}

// span returns the least and the greatest of times, in milliseconds.
func span(times []time.Duration) string {
	return milliseconds(slices.Min(times)) + " to " + milliseconds(slices.Max(times))
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/1e6, 'f', 2, 64)
}

// needHandles skips a test that needs more open files than are allowed.
func needHandles(t testing.TB, files int) {
	var limit syscall.Rlimit // Go raises it to the hard limit, in pubd too
	testkit.OK(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if limit.Cur < uint64(files) {
		t.Skipf("needs %d open files, %d are allowed: raise the hard limit, for example with ulimit -Hn %d", files, limit.Cur, files)
	}
}

func write(t testing.TB, file string, content []byte) {
	t.Helper()
	testkit.OK(t, os.WriteFile(file, content, 0o600))
}
