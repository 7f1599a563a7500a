// Package browser tests the pages of pubd in Chromium with keyboard, mouse and touch, and visits them with Firefox. Tests
// run one after another, as each waits for the processor, and share tabs, as opening a page with a map takes longest.
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
	"pubd/bench/testkit"
)

// patience is the timeout for everything that takes little time on an idle machine.
const patience = 3 * time.Minute

// realSnapshot is a directory of real pubs next to some checkouts. Without it, a generated one of the same size is
// used.
const (
	realSnapshot = "../../../../shared/data/uk-pubs.csv"
	manyPubs     = 51_566
)

// What all tests share. Nothing is set if Chromium is not installed.
var (
	chromium context.Context // with a new profile
	program  string          // pubd
	many     *server         // serves manyPubs pubs
	servers  []*server       // which run until all tests have ended
	scratch  string          // a folder
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return m.Run() // skips all
	}
	if scratch, err = os.MkdirTemp("", "pubd-browser-"); err == nil {
		defer os.RemoveAll(scratch)
		err = startAll(path)
	}
	defer func() {
		for _, s := range servers {
			s.Stop()
		}
	}()
	if chromium != nil {
		defer chromedp.Cancel(chromium)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func startAll(chromiumPath string) (err error) {
	if program, err = stage.CompilePubd(context.Background(), scratch); err != nil {
		return err
	}
	manyFile, err := filepath.Abs(realSnapshot)
	if err != nil {
		return err
	}
	if _, err := os.Stat(manyFile); err != nil {
		made, err := exec.Command(program, "sample", "--pubs", fmt.Sprint(manyPubs)).Output()
		manyFile = filepath.Join(scratch, "pubs.csv")
		if err = errors.Join(err, os.WriteFile(manyFile, made, 0o600)); err != nil {
			return err
		}
	}
	if many, err = startServer(context.Background(), manyFile); err != nil {
		return err
	}
	servers = append(servers, many)
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromiumPath), chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("enable-unsafe-swiftshader", true),       // for WebGL
		chromedp.Flag("no-sandbox", os.Geteuid() == 0),         // required for root
		chromedp.Flag("disable-ipc-flooding-protection", true), // else changes of the address beyond 200 in 10 s are dropped
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
	shared *tab // of the tests that explore
}

// startServer starts a server of a file; the sample without one. A server gives up when its disk takes long, as on a busy
// machine, and is started again.
func startServer(ctx context.Context, data string, flags ...string) (*server, error) {
	s, err := stage.NewServer(data)
	if err != nil {
		return nil, err
	}
	for range 5 {
		if err = s.Start(ctx, nil, program, flags...); err == nil {
			break
		}
	}
	return &server{Server: s, origin: "http://" + s.API, key: "demo"}, err
}

// serve returns a new server, which is stopped when the test ends.
func serve(t *testing.T, data string, flags ...string) *server {
	t.Helper()
	needChromium(t)
	s := testkit.Must(startServer(t.Context(), data, flags...))(t)
	t.Cleanup(s.Stop)
	return s
}

func needChromium(t *testing.T) {
	t.Helper()
	if chromium == nil {
		t.Skip("no Chromium in PATH: apt-get install chromium")
	}
}

// exploreMany shows a search of the explorer among manyPubs pubs.
func exploreMany(t *testing.T, query string) (*server, *tab) {
	t.Helper()
	needChromium(t)
	return many, explore(t, many, query)
}

// keys runs pubd keys and returns what it prints.
func keys(t *testing.T, arguments ...string) string {
	t.Helper()
	needChromium(t)
	return strings.TrimSpace(testkit.Must(stage.Output(exec.CommandContext(t.Context(), program, append([]string{"keys"}, arguments...)...)))(t))
}

// hangUp makes the server read its keys again.
func (s *server) hangUp(t *testing.T) {
	t.Helper()
	testkit.OK(t, s.Signal(syscall.SIGHUP))
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
	request := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.origin+path, nil))(t)
	request.Header.Set("x-api-key", s.key)
	response := testkit.Must(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(to); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d (%v), want 200 and JSON", path, response.StatusCode, err)
	}
}
