// Package browser tests the pages of pubd in Chromium, and what visitors do in Firefox, too, with keyboard, mouse and
// touch.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"pubd/bench/stage"
)

// patience is the timeout for everything that takes little time on an idle machine.
const patience = 30 * time.Second

// realSnapshot is a directory of real pubs next to some checkouts. Without it, a generated one of the same size is
// used.
const (
	realSnapshot = "../../../../shared/data/uk-pubs.csv"
	manyPubs     = 51_566
)

// What all tests share. Nothing is set if Chromium is not installed.
var (
	chromium     context.Context // with a new profile
	chromiumPath string
	program      string   // pubd
	manyFile     string   // a snapshot of manyPubs pubs
	shared       *server  // serves manyFile
	scratch      string   // a folder
	stopped      []func() // to stop Firefox
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			chromiumPath = found
		}
	}
	if chromiumPath == "" {
		return m.Run() // skips all
	}
	var err error
	if scratch, err = os.MkdirTemp("", "pubd-browser-"); err == nil {
		defer os.RemoveAll(scratch)
		err = startAll()
	}
	if shared != nil {
		defer shared.Stop()
	}
	if chromium != nil {
		defer chromedp.Cancel(chromium)
	}
	defer func() {
		for _, stop := range stopped {
			stop()
		}
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func startAll() (err error) {
	if program, err = stage.CompilePubd(context.Background(), scratch); err != nil {
		return err
	}
	if manyFile, err = filepath.Abs(realSnapshot); err != nil {
		return err
	}
	if _, err := os.Stat(manyFile); err != nil {
		made, err := exec.Command(program, "sample", "--pubs", fmt.Sprint(manyPubs)).Output()
		manyFile = filepath.Join(scratch, "pubs.csv")
		if err = errors.Join(err, os.WriteFile(manyFile, made, 0o600)); err != nil {
			return err
		}
	}
	if shared, err = startServer(context.Background(), "--data", manyFile, cache()); err != nil {
		return err
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromiumPath), chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("enable-unsafe-swiftshader", true), // for WebGL
		chromedp.Flag("no-sandbox", os.Geteuid() == 0),   // required for root
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.UserDataDir(scratch + "/profile"), chromedp.WindowSize(1280, 800),
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	chromium, _ = chromedp.NewContext(allocator)
	return chromedp.Do(chromium)
}

// A server is a running pubd, or another server of pages.
type server struct {
	*stage.Server
	origin string // such as http://127.0.0.1:41234
	key    string
}

func startServer(ctx context.Context, flags ...string) (*server, error) {
	s, err := stage.NewServer("")
	if err == nil {
		err = s.Start(ctx, nil, program, flags...)
	}
	return &server{s, "http://" + s.API, "demo"}, err
}

// serve returns a new server, which is stopped when the test ends.
func serve(t *testing.T, flags ...string) *server {
	t.Helper()
	needChromium(t)
	s := must(startServer(t.Context(), flags...))(t)
	t.Cleanup(s.Stop)
	return s
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must returns a value, and fails the test if there is an error.
func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		ok(t, err)
		return value
	}
}

// failIf reports a failure, and lets the test go on.
func failIf(t testing.TB, wrong bool, format string, values ...any) {
	t.Helper()
	if wrong {
		t.Errorf(format, values...)
	}
}

func needChromium(t *testing.T) {
	t.Helper()
	if chromium == nil {
		t.Skip("no Chromium in PATH: apt-get install chromium")
	}
}

// cache is the flag of a folder for index files, so that each snapshot is built once.
func cache() string { return "--cache=" + filepath.Join(scratch, "cache") }

// serveMany returns the server of manyPubs pubs that the tests share. The test runs in parallel with others.
func serveMany(t *testing.T) *server {
	t.Helper()
	needChromium(t)
	parallel(t)
	return shared
}

// exploreMany opens the page of serveMany with a query, in parallel with other tests.
func exploreMany(t *testing.T, query string, before ...step) (*server, explorer) {
	t.Helper()
	s := serveMany(t)
	return s, explore(t, s, query, before...)
}

// keys runs pubd keys and returns what it prints.
func keys(t *testing.T, arguments ...string) string {
	t.Helper()
	needChromium(t)
	return strings.TrimSpace(must(stage.Output(exec.CommandContext(t.Context(), program, append([]string{"keys"}, arguments...)...)))(t))
}

// hangUp makes the server read its keys again.
func (s *server) hangUp(t *testing.T) {
	t.Helper()
	ok(t, s.Signal(syscall.SIGHUP))
}

// A pub has the members of the API's pub that tests use.
type pub struct {
	UID, Name, Location string
	Latitude, Longitude float64
	Distance            float64
	Namesakes           int
	Beer                *float64
	Rankings            map[string]*int
}

// An answer has the members of the API's answer that tests use.
type answer struct {
	Results []pub
	Total   int `json:"total_results"`
}

// search sends a request to the API, without the browser, but relaxed as the page does.
func (s *server) search(t *testing.T, query string) (a answer) {
	t.Helper()
	if !strings.Contains(query, "search=*") && !strings.Contains(query, "relax=") && strings.Contains(query, "search=") {
		query += "&relax=more"
	}
	s.get(t, "/api/v1/pubs/?"+query, &a)
	return a
}

// get reads the JSON of a path, whose status must be 200.
func (s *server) get(t *testing.T, path string, to any) {
	t.Helper()
	request := must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.origin+path, nil))(t)
	request.Header.Set("x-api-key", s.key)
	response := must(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(to); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d (%v), want 200 and JSON", path, response.StatusCode, err)
	}
}
