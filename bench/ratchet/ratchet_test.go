package ratchet

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pubd/bench"
	"pubd/bench/testkit"
	"pubd/loader"
)

var (
	duration = flag.Duration("for", 0, "how long to measure; without it, TestRatchet is skipped")
	commit   = flag.String("commit", "", "the commit to compare with, instead of the one that the file commit names")
	pubs     = flag.Int("pubs", 51_566, "the number of pubs in the generated snapshot")
	data     = flag.String("data", "", "a snapshot instead of a generated one")
	only     = flag.String("classes", "", "compares only classes whose names match this expression")
)

const (
	// most is the ratio of the times of a class that fails.
	most = 1.05
	// least and perClass are how many requests of a class are compared: more, as long as all take less than longest.
	least, perClass = 8, 128
	longest         = 25 * time.Millisecond
)

// A side is a process that runs TestAnswers.
type side struct {
	in  io.Writer
	out *bufio.Scanner
}

// start compiles TestAnswers in a tree, and returns a process that is ready to answer.
func start(t *testing.T, tree, snapshot, requests string) side {
	program := filepath.Join(t.TempDir(), "answers.test")
	compile := exec.Command("go", "test", "-c", "-o", program, "./bench/ratchet/answers_test.go")
	compile.Dir = tree
	said, err := compile.CombinedOutput()
	testkit.StopIf(t, err != nil, "%v in %s: %v: %s", compile.Args, tree, err, said)
	cmd := exec.Command(program, "-test.run=^TestAnswers$", "-snapshot="+snapshot, "-requests="+requests)
	cmd.Stderr = os.Stderr
	in := testkit.Must(cmd.StdinPipe())(t)
	out := testkit.Must(cmd.StdoutPipe())(t)
	testkit.OK(t, cmd.Start())
	t.Cleanup(func() { testkit.OK(t, errors.Join(in.Close(), cmd.Wait())) })
	s := side{in, bufio.NewScanner(out)}
	testkit.StopIf(t, !s.out.Scan() || s.out.Text() != "ready", "%s: %s", tree, s.out.Text())
	return s
}

// ask has the first requests of a class answered once more, and returns the sum of their smallest times, in µs.
func (s side) ask(t *testing.T, class, requests int) float64 {
	testkit.Must(fmt.Fprintln(s.in, class, requests))(t)
	s.out.Scan()
	return testkit.Must(strconv.ParseFloat(s.out.Text(), 64))(t) / 1000
}

// A class of requests, with what one took at the commit and takes in the tree, in µs.
type class struct {
	name             string
	number, requests int
	took             [2]float64
}

func (c *class) ratio() float64 { return c.took[1] / c.took[0] }

func (c *class) isNotSlower() bool { return c.ratio() <= most }

// measure has both sides answer classes in turn for a time, each class for as long as the others, but several times.
func measure(t *testing.T, sides [2]side, classes []*class, d time.Duration) {
	spent := make([]time.Duration, len(classes))
	for begun, turn := time.Now(), 0; time.Since(begun) < d; turn ^= 1 {
		next := slices.Index(spent, slices.Min(spent))
		c, asked := classes[next], time.Now()
		for _, n := range []int{turn, 1 - turn} {
			c.took[n] = sides[n].ask(t, c.number, c.requests) / float64(c.requests)
		}
		took := time.Since(asked)
		spent[next] += min(took, d/time.Duration(10*len(classes)))
		if took < longest {
			c.requests = min(2*c.requests, perClass)
		}
	}
}

// unpack copies the tree of a commit to a folder, with the TestAnswers of this tree. It skips the test if the history of
// this tree does not reach back to the commit.
func unpack(t *testing.T, commit, dir string) {
	if exec.Command("git", "cat-file", "-e", commit+"^{commit}").Run() != nil {
		t.Skipf("commit %s is not here: this is no clone with its whole history", commit)
	}
	said, err := exec.Command("sh", "-c", `git -C ../.. archive "$0" | tar -x -C "$1" && mkdir -p "$1/bench/ratchet" && cp answers_test.go "$1/bench/ratchet"`,
		commit, dir).CombinedOutput()
	testkit.StopIf(t, err != nil, "git archive: %v: %s", err, said)
}

// draw writes a file of requests about the pubs of a snapshot, and returns their classes.
func draw(t *testing.T, snapshot, file string) (classes []*class) {
	loaded := testkit.Must(loader.LoadFile(snapshot, loader.Options{}))(t)
	drawn, matching, lines := bench.Requests(loaded.Directory.Pubs), testkit.Must(regexp.Compile(*only))(t), ""
	for number, kind := range bench.AllClasses() {
		if !matching.MatchString(kind.Name) {
			continue
		}
		classes = append(classes, &class{name: kind.Name, number: number, requests: least})
		for _, query := range drawn[kind.Name][:perClass] {
			lines += fmt.Sprintf("%d %s?%s\n", number, kind.Path(), query)
		}
	}
	testkit.OK(t, os.WriteFile(file, []byte(lines), 0o600))
	return classes
}

func TestRatchet(t *testing.T) {
	if *duration == 0 {
		t.Skip("only with -for, such as -for 1m")
	}
	if *commit == "" {
		*commit = strings.TrimSpace(string(testkit.Read(t, "commit")))
	}
	dir := t.TempDir()
	unpack(t, *commit, dir)
	if *data == "" {
		*data = filepath.Join(t.TempDir(), "pubs.csv")
		testkit.OK(t, bench.WriteDirectory(*data, *pubs))
	}
	snapshot, file := testkit.Must(filepath.Abs(*data))(t), filepath.Join(t.TempDir(), "requests")
	classes := draw(t, snapshot, file)
	sides := [2]side{start(t, dir, snapshot, file), start(t, filepath.Join("..", ".."), snapshot, file)}
	measure(t, sides, classes, *duration)
	if slower := slices.DeleteFunc(slices.Clone(classes), (*class).isNotSlower); len(slower) > 0 {
		measure(t, sides, slower, *duration/2) // perhaps they were not measured often enough
	}
	t.Logf("µs at %.12s, now, ratio", *commit)
	for _, c := range classes {
		t.Logf("%10.2f %10.2f %6.3f  %s", c.took[0], c.took[1], c.ratio(), c.name)
		testkit.FailIf(t, !c.isNotSlower(), "%s is slower than %.2f times what it was", c.name, most)
	}
}
