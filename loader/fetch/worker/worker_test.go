package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/index"
	"pubd/loader"
)

// workerVariable makes the test binary act as a worker.
const workerVariable = "PUBD_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		if err := Run(os.Stdin, os.Stdout, func() {}); err != nil {
			fmt.Fprintln(os.Stderr, "pubd:", err)
			os.Exit(exitError)
		}
		os.Exit(0)
	}
	os.Setenv(workerVariable, "1")
	os.Exit(m.Run())
}

// building are hooks that let a worker build.
var building = Hooks{Read: func(string) bool { return true }, Progress: func(string, int64, int64) {}}

// much is a room that no test exhausts.
var much = Room{math.MaxInt64, "the test"}

func TestBuild(t *testing.T) {
	const rows = "UID,name,colour,brand\n1,Bell,red,\x07\n2,,blue,\n"
	file := testkit.File(t, "pubs.csv", rows)
	order := Order{File: file, MaxBadRows: 1, Builder: "test", Free: much, Patience: time.Minute}
	inMemory := testkit.Must(Build(t.Context(), order, nil, building))(t)
	defer inMemory.Index.Close()
	opened, err := index.Open(inMemory.Index, 0)
	testkit.FailIf(t,
		err != nil || opened.Len() != 1 || opened.BuilderVersion() != "test" || inMemory.Source != fmt.Sprintf("%x", sha256.Sum256([]byte(rows))),
		"in memory: got %v of %s, %v", opened, inMemory.Source, err)
	testkit.Equal(t, "warnings", fmt.Sprint(inMemory.Warnings),
		"[{unknown columns ignored  [colour]} {values left out "+file+":2: brand \"\\a\": must not hold a control character, has U+0007; left out []} {wrong row skipped "+file+":3: name: must not be empty []}]")
	f := testkit.Must(os.OpenFile(testkit.File(t, "pubs.idx", ""), os.O_RDWR, 0))(t)
	if result, err := Build(t.Context(), order, f, building); err != nil || !result.Built || result.Index != nil {
		t.Errorf("into a file: got %v, %v", result, err)
	}
	if opened, err := index.Open(f, math.MaxInt64); err != nil || opened.Len() != 1 {
		t.Errorf("in the file: got %v, %v", opened, err)
	}
	unwanted := building
	unwanted.Read = func(string) bool { return false }
	if result, err := Build(t.Context(), order, nil, unwanted); err != nil || result.Built || result.Source != inMemory.Source {
		t.Errorf("not to be built: got %v, %v", result, err)
	}
	full := testkit.Must(os.OpenFile("/dev/full", os.O_RDWR, 0))(t)
	result, err := Build(t.Context(), order, full, building)
	testkit.FailIf(t, !errors.Is(err, ErrUnwritable), "into a full disk: got %v", err)
	testkit.Equal(t, "warnings, into a full disk", fmt.Sprint(result.Warnings), fmt.Sprint(inMemory.Warnings))
}

// However many rows are wrong, some are listed.
func TestWarningsAreLimited(t *testing.T) {
	for more, want := range []string{"p.csv:1000: wrong", "p.csv: and 1 more", "p.csv: and 2 more"} {
		loaded := new(loader.Result)
		for line := range 1000 + more {
			loaded.Skipped = append(loaded.Skipped, loader.Complaint{File: "p.csv", Line: 1 + line, Rule: "wrong"})
		}
		all := warnings("p.csv", loaded)
		last := all[len(all)-1].Error
		testkit.FailIf(t, len(all) != 1000+min(more, 1) || all[999].Error != "p.csv:1000: wrong" || last != want,
			"%d wrong rows: got %d warnings, the last is %q, want %q", 1000+more, len(all), last, want)
	}
}

// However a worker fails, the error says why, and the next one works.
func TestBuildFails(t *testing.T) {
	good := testkit.File(t, "pubs.csv", "UID,name\n1,Bell\n")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the server ended"))
	manyRows := bytes.NewBufferString("UID,name\n")
	for i := range 1_000_000 {
		fmt.Fprintf(manyRows, "%d,A\n", i)
	}
	for _, c := range []struct {
		what, file string
		free       int64
		ctx        context.Context
		want       string
	}{
		{"a wrong file", testkit.File(t, "pubs.csv", "UID,name\n1,\n"), math.MaxInt64, t.Context(), "pubs.csv:2: name: must not be empty"},
		{"no file", good + "x", math.MaxInt64, t.Context(), "does not exist"},
		{"the end of the server", good, math.MaxInt64, ended, "not built: the server ended"},
		{"a file larger than memory", testkit.File(t, "pubs.csv", strings.Repeat("x", 64<<20)), 50 << 20, t.Context(), "has 64 MiB, and"},
		{"more rows than memory", testkit.File(t, "pubs.csv", manyRows.String()), 80 << 20, t.Context(), " MiB are free of the test"},
	} {
		_, err := Build(c.ctx, Order{File: c.file, Free: Room{c.free, "the test"}}, nil, building)
		testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, new(*Crash)),
			"%s: got %v, want %q", c.what, err, c.want)
		if result, err := Build(t.Context(), Order{File: good, Free: much}, nil, building); err != nil {
			t.Errorf("after %s: %v", c.what, err)
		} else {
			result.Index.Close()
		}
	}
}
