package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pubd/bench/stage"
)

// proofRows are what tests of the packages prove, run with more than they have in go test.
var proofRows = []row{
	{"P4", "a panic in a handler: 2 of each of 3 kinds of requests, with an access log and without", "500 each time, a stack in the log, and the process answers the next request", false,
		func(ctx context.Context, _ *bed) (outcome, error) {
			return passes(ctx, "12 panics", "pubd/httpapi", "TestPanicIsAnswered")
		}},
	{"H5", "300 idle and slow connections to the admin address where pubd may have 128 file handles", "the API answers and reloads, the admin address answers, and they are closed by the time-outs", false,
		func(ctx context.Context, _ *bed) (outcome, error) {
			return passes(ctx, "300 connections, 4 reloads", "pubd/cmd/pubd", "TestHeldAdminConnections")
		}},
	{"H6", "requests of a page of another origin, and of a name that resolves to loopback, to the demo server and the admin address", "no answer that a browser shows to the page", false,
		func(ctx context.Context, _ *bed) (outcome, error) {
			return passes(ctx, "10 paths", "pubd/cmd/pubd", "TestPagesOfOtherOriginsReadNothing")
		}},
	{"M1", "random data and queries beside a model that scans all pubs", "a million cases, 0 differences", false, compareWithModel},
	{"F", "fuzz targets", "no finding; the hours really spent are in fuzz.csv", false, fuzz},
}

// passes runs one test of a package.
func passes(ctx context.Context, n, pkg, test string, flags ...string) (outcome, error) {
	said, err := goTest(ctx, append([]string{pkg, "-run", "^" + test + "$", "-count=1", "-v"}, flags...)...)
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return outcome{}, err
	}
	switch {
	case err != nil:
		return outcome{n: n, figure: err.Error()}, nil
	case !strings.Contains(said, "--- PASS: "+test+" "):
		return outcome{n: n, figure: stage.LastLines(said)}, nil
	}
	return outcome{n: n, figure: test + " of " + pkg + " passed", passed: true}, nil
}

// goTest runs go test. Its time is that of the machine, so it has no limit of its own.
func goTest(ctx context.Context, arguments ...string) (string, error) {
	return stage.Output(exec.CommandContext(ctx, "go", append([]string{"test", "-timeout=0"}, arguments...)...))
}

func compareWithModel(ctx context.Context, b *bed) (outcome, error) {
	cases := b.times(1_000_000, 5_000)
	o, err := passes(ctx, grouped(cases)+" cases", "pubd/index", "TestEngineAgreesWithModel", "-pairs="+strconv.Itoa(cases))
	if o.passed {
		o.figure = "0 differences"
	}
	return o, err
}

// fuzz runs each fuzz target for some time and adds to the record of what was spent.
func fuzz(ctx context.Context, b *bed) (outcome, error) {
	listed, err := goTest(ctx, "pubd/...", "-list=^Fuzz.*("+b.targets+")")
	if err != nil {
		return outcome{}, fmt.Errorf("listing the fuzz targets: %w", err)
	}
	var targets []string
	executions, found, spent := 0, "", time.Duration(0)
	for line := range strings.Lines(listed) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Fuzz") {
			targets = append(targets, line)
		}
		pkg, ended := strings.CutPrefix(line, "ok")
		if !ended {
			continue
		}
		pkg, _, _ = strings.Cut(strings.TrimSpace(pkg), "\t")
		for _, target := range targets {
			f, err := fuzzTarget(ctx, pkg, target, b.lasting(b.fuzzing, time.Second))
			if err != nil {
				return outcome{}, err
			}
			fmt.Fprintf(b.log, "F: %s %s: %s executions, %v of CPU\n", pkg, target, grouped(f.executions), f.processor.Round(time.Second))
			executions, spent = executions+f.executions, spent+f.processor
			if f.finding != "" {
				fmt.Fprint(b.log, f.said)
				found += target + ": " + f.finding + "; "
			}
			if b.out != "" {
				if err := f.record(ctx, filepath.Join(b.out, "fuzz.csv")); err != nil {
					return outcome{}, err
				}
			}
		}
		targets = nil
	}
	figure := fmt.Sprintf("%.1f minutes of CPU in this run, no finding", spent.Minutes())
	if found != "" {
		figure = found
	}
	return outcome{n: grouped(executions) + " executions", figure: figure, passed: found == "" && executions > 0}, nil
}

// fuzzed is what fuzzing a target came to.
type fuzzed struct {
	target     string
	executions int
	processor  time.Duration
	finding    string
	said       string // by go test, with the input, where there is a finding
}

var executed = regexp.MustCompile(`execs: (\d+)`)

// fuzzTarget fuzzes one target, and again where its time ended badly, three times at most.
func fuzzTarget(ctx context.Context, pkg, target string, lasts time.Duration) (fuzzed, error) {
	f := fuzzed{target: target}
	for range 3 {
		command := exec.CommandContext(ctx, "go", "test", "-timeout=0", pkg, "-run=^$", "-fuzz=^"+target+"$", "-fuzztime="+lasts.String())
		said, err := command.CombinedOutput()
		if _, failed := errors.AsType[*exec.ExitError](err); err != nil && (!failed || ctx.Err() != nil) {
			return fuzzed{}, errors.Join(err, ctx.Err())
		}
		f.processor += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		if counts := executed.FindAllSubmatch(said, -1); len(counts) > 0 {
			last, _ := strconv.Atoi(string(counts[len(counts)-1][1]))
			f.executions += last
		}
		if err == nil {
			f.finding, f.said = "", ""
			return f, nil
		}
		f.finding, f.said = stage.LastLines(string(said)), string(said)
		if !endedBadly(string(said)) {
			break
		}
	}
	return f, nil
}

// endedBadly tells whether fuzzing failed for no other reason than that its time was over: up to Go 1.26 the end races
// with the workers (golang/go#75804). What an input makes fail is written to a file, and said.
func endedBadly(said string) bool {
	_, reason, failed := strings.Cut(said, "--- FAIL: ")
	_, reason, _ = strings.Cut(reason, "\n")
	reason, _, _ = strings.Cut(reason, "\n")
	return failed && strings.TrimSpace(reason) == "context deadline exceeded" && !strings.Contains(said, "Failing input")
}

// record adds a line to the record.
func (f *fuzzed) record(ctx context.Context, file string) error {
	_, missing := os.Stat(file)
	to, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	if missing != nil {
		_ = w.Write([]string{"date", "commit", "target", "executions", "processor_seconds", "finding"})
	}
	m := stage.ReadMachine(ctx)
	_ = w.Write([]string{m.Date.Format(time.DateOnly), m.Commit, f.target, strconv.Itoa(f.executions),
		strconv.FormatFloat(f.processor.Seconds(), 'f', 0, 64), f.finding})
	w.Flush()
	return errors.Join(w.Error(), to.Close())
}
