package reliability

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/bench/testkit"
)

// provedBy runs tests of other packages, each given as its package, its name and flags, in the full form only: go test
// ./... runs them anyway.
func provedBy(t *testing.T, n string, proofs ...string) {
	t.Helper()
	if !full() {
		t.Skipf("proved by %s", strings.Join(proofs, " and "))
	}
	var names []string
	for _, proof := range proofs {
		words := strings.Fields(proof)
		pkg, test := words[0], words[1]
		args := append([]string{"test", "-timeout=0", pkg, "-run", "^" + test + "$", "-count=1", "-v"}, words[2:]...)
		said, err := stage.Output(exec.CommandContext(t.Context(), "go", args...))
		testkit.FailIf(t, err != nil || !strings.Contains(said, "--- PASS: "+test+" "), "%s: %v: %s", proof, err, stage.LastLines(said))
		names = append(names, test+" of "+pkg)
	}
	figure(t, n, "%s", strings.Join(names, ", "))
}

// The tests that prove rows exist: only the full form runs them by their names.
func TestProofsExist(t *testing.T) {
	proofs := proof.FindAllSubmatch(testkit.Read(t, "proofs_test.go"), -1)
	testkit.FailIf(t, len(proofs) == 0, "found no proof")
	for _, found := range proofs {
		declares := func(file string) bool {
			return bytes.Contains(testkit.Read(t, file), fmt.Appendf(nil, "\nfunc %s(", found[2]))
		}
		files := testkit.Must(filepath.Glob(filepath.Join("../..", string(found[1]), "*_test.go")))(t)
		testkit.FailIf(t, !slices.ContainsFunc(files, declares), "pubd/%s has no %s", found[1], found[2])
	}
}

var proof = regexp.MustCompile(`"pubd/(\S+) (Test\w+)`)

func TestP4(t *testing.T) {
	row(t, "a panic in a handler: 2 of each of 3 kinds of requests, with an access log and without", "500 each time, a stack in the log, and the process answers the next request")
	provedBy(t, "12 panics", "pubd/httpapi TestPanicIsAnswered")
}

func TestH6(t *testing.T) {
	row(t, "requests of a page of another origin, and of a name that resolves to loopback, to the demo server and the admin address", "no answer that a browser shows to the page")
	provedBy(t, "13 paths", "pubd/httpapi TestDemoAnswersOwnOriginOnly", "pubd/httpapi/ops TestHosts")
}

func TestM1(t *testing.T) {
	row(t, "random data and queries beside a model that scans all pubs", "a million cases, 0 differences")
	provedBy(t, "1,000,000 cases", "pubd/index TestEngineAgreesWithModel -pairs=1000000")
}

func TestF(t *testing.T) {
	row(t, "fuzz targets", "no finding; the hours really spent are in bench/results/fuzz.csv")
	lasts := os.Getenv("PUBD_FUZZ")
	if lasts == "" {
		if !full() {
			t.Skip("PUBD_FUZZ=20000x fuzzes each target 20,000 times; its seeds run in its own package")
		}
		lasts = "50000x" // a time limit races with the workers up to Go 1.26 (golang/go#75804)
	}
	executions, spent := 0, time.Duration(0)
	root := os.DirFS("../..")
	testkit.OK(t, fs.WalkDir(root, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, file)
		for _, target := range fuzzTarget.FindAllSubmatch(text, -1) {
			n, took := fuzz(t, "pubd/"+path.Dir(file), string(target[1]), lasts)
			executions, spent = executions+n, spent+took
		}
		return err
	}))
	testkit.FailIf(t, executions == 0, "nothing was executed")
	figure(t, fmt.Sprintf("%d executions", executions), "%.1f minutes of CPU in this run", spent.Minutes())
}

var (
	fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	executed   = regexp.MustCompile(`execs: (\d+)`)
)

// fuzz fuzzes one target. The full form appends a line to fuzz.csv.
func fuzz(t *testing.T, pkg, target, lasts string) (executions int, spent time.Duration) {
	command := exec.CommandContext(t.Context(), "go", "test", "-timeout=0", pkg, "-run=^$", "-fuzz=^"+target+"$", "-fuzztime="+lasts)
	said, err := command.CombinedOutput()
	testkit.FailIf(t, err != nil, "%s %s: %v: %s", pkg, target, err, said)
	spent = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if counts := executed.FindAllSubmatch(said, -1); len(counts) > 0 {
		executions, _ = strconv.Atoi(string(counts[len(counts)-1][1]))
	}
	t.Logf("%s %s: %d executions, %v of CPU", pkg, target, executions, spent.Round(time.Second))
	if full() {
		file := testkit.Must(os.OpenFile("../results/fuzz.csv", os.O_APPEND|os.O_WRONLY, 0))(t)
		defer file.Close()
		finding := ""
		if t.Failed() {
			finding = "found"
		}
		commit, day, _ := strings.Cut(stage.Commit(t.Context()), ", ")
		testkit.Must(fmt.Fprintf(file, "%s,%s,%s,%d,%.0f,%s\n", day, commit, target, executions, spent.Seconds(), finding))(t)
	}
	return executions, spent
}
