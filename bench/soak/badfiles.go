package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pubd/bench/stage"
)

// badFileRows are about snapshots that are wrong, damaged or changing.
var badFileRows = []row{
	{"S", "every kind of bad snapshot, and good ones damaged: cut at every byte of the first and last 4 KiB, and bits turned",
		"a precise refusal or a right load, in 5 s and 1 GiB", true, badSnapshots},
	{"R4", "every kind of bad snapshot as a reload under load", "refused with its reason, the old snapshot stays, 0 failed", false, badReloads},
	{"R5", "the file replaced, truncated and overwritten while reloads read it", "a whole snapshot or a refusal, no crash, 0 failed", false, tornReloads},
}

// What checking a snapshot may take, in time and in bytes of memory.
const (
	checkTime   = 5 * time.Second
	checkMemory = 1 << 30
)

// A checking counts what pubd check says about files.
type checking struct {
	b            *bed
	files        int
	failed       int
	firstProblem string
	slowest      time.Duration
	slowestFile  string
	most         int64 // bytes of memory
	mostFile     string
}

func (c *checking) problem(format string, arguments ...any) {
	c.failed++
	if c.firstProblem == "" {
		c.firstProblem = fmt.Sprintf(format, arguments...)
	}
}

func badSnapshots(ctx context.Context, b *bed) (outcome, error) {
	c := &checking{b: b}
	for _, f := range corpus(b.short) {
		if err := c.kind(ctx, f); err != nil {
			return outcome{}, err
		}
	}
	kinds := c.files
	for _, ending := range endings {
		if err := c.damaged(ctx, ending); err != nil {
			return outcome{}, err
		}
	}
	figure := fmt.Sprintf("%d failed; the slowest took %v (%s), the largest %d MiB (%s)", c.failed, c.slowest.Round(time.Millisecond), c.slowestFile, c.most>>20, c.mostFile)
	if c.failed > 0 {
		figure += ": " + c.firstProblem
	}
	return outcome{
		n:      fmt.Sprintf("%d kinds, %s damaged files", kinds, grouped(c.files-kinds)),
		figure: "of all files " + figure,
		passed: c.failed == 0 && c.slowest <= checkTime && c.most <= checkMemory,
		sound:  c.failed == 0 && c.most <= checkMemory,
	}, nil
}

// kind checks a file of the corpus. One that is right is also served.
func (c *checking) kind(ctx context.Context, f badFile) error {
	path := c.b.path(f.name)
	defer os.RemoveAll(path)
	if err := f.write(path); err != nil {
		return err
	}
	said, err := c.check(ctx, path)
	if err != nil {
		return err
	}
	if verdict := said[f.name]; !strings.Contains(verdict, f.want) {
		c.problem("%s: said %.300q, want %q", f.name, verdict, f.want)
	} else if f.isRight() {
		return c.served(ctx, path, strings.Fields(f.want)[1])
	}
	return nil
}

// served asks a replica of a right file for its pubs.
func (c *checking) served(ctx context.Context, path, pubs string) error {
	r, err := c.b.serve(ctx, "odd", path, "--data", path)
	if err != nil {
		return err
	}
	defer r.Stop()
	for _, query := range []string{"search=*", "search=*&lat=51.5&lng=-0.1&distance=1&amount=1", "search=red+lion", "search=%21%3F", "search=*&sort=total&page=2"} {
		status, body, err := get(ctx, "http://"+r.api+resource+"?"+query, demo)
		if err != nil {
			return err
		}
		if status != 200 || !bytes.Contains(body, []byte(`"total_pubs":`+pubs+`,`)) {
			c.problem("%s: ?%s: status %d: %.200s, want %s pubs", filepath.Base(path), query, status, body, pubs)
		}
	}
	return nil
}

// check runs pubd check on files, and gives what it said last about each, by name.
func (c *checking) check(ctx context.Context, files ...string) (said map[string]string, err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := stage.Command(limited, nil, append([]string{c.b.program, "check"}, files...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	peak := peakOf(cmd.Process.Pid)
	err = cmd.Wait()
	took, name := time.Since(begun), filepath.Base(files[0])
	if most := peak(); most > c.most {
		c.most, c.mostFile = most, name
	}
	if took > c.slowest {
		c.slowest, c.slowestFile = took, name
	}
	var exit *exec.ExitError
	if ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		return nil, errors.Join(err, ctx.Err())
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
		c.problem("%s: %v: %s", name, err, stage.LastLines(stderr.String()))
	}
	c.files += len(files)
	said = map[string]string{}
	for line := range strings.Lines(stdout.String()) {
		if path, rest, found := strings.Cut(line, ":"); found && strings.HasPrefix(path, c.b.dir) {
			said[filepath.Base(path)] = ":" + strings.TrimSpace(rest)
		}
	}
	return said, nil
}

// peakOf watches the memory of a process until it has ended, and then gives the most that it had, as of some milliseconds
// before its end. The kernel's own figure for a child counts what its parent had when it started it.
func peakOf(process int) (peak func() int64) {
	most := make(chan int64, 1)
	go func() {
		var kilobytes int64
		for {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
			_, rest, found := strings.Cut(string(status), "VmHWM:")
			if err != nil || !found { // ended
				most <- kilobytes << 10
				return
			}
			kilobytes, _ = strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return func() int64 { return <-most }
}

// Damaged files have so many pubs, and are checked so many in one process.
const (
	pubsDamaged = 300
	batch       = 256
)

// A damage is what was done to a good file.
type damage struct {
	name    string
	content []byte
	// pubs is how many the file must have if it is accepted; -1 when it must be refused.
	pubs int
}

// damaged checks a file of a format cut and with bits turned.
func (c *checking) damaged(ctx context.Context, ending string) error {
	content, err := sample(pubsDamaged, ending)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(append(cuts(content, ending, c.b.times(1, 67)), turns(content, ending, c.b.times(4096, 64))...), batch) {
		if err := c.batch(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) batch(ctx context.Context, some []damage) error {
	dir := c.b.path("damaged")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var files []string
	for _, d := range some {
		files = append(files, filepath.Join(dir, d.name))
		if err := os.WriteFile(files[len(files)-1], d.content, 0o600); err != nil {
			return err
		}
	}
	said, err := c.check(ctx, files...)
	if err != nil {
		return err
	}
	for _, d := range some {
		rest, accepted := strings.CutPrefix(said[d.name], ":ok: ")
		switch {
		case said[d.name] == "":
			c.problem("%s: nothing was said", d.name)
		case accepted && !strings.HasPrefix(rest, fmt.Sprint(d.pubs, " pubs,")):
			c.problem("%s: said ok: %s, want a refusal or %d pubs", d.name, rest, d.pubs)
		}
	}
	return nil
}

// cuts are the content without its end, at every step of the first and last 4 KiB. What has a line for each pub and is cut
// after some of them is a smaller snapshot; all else must be refused.
func cuts(content []byte, ending string, step int) (all []damage) {
	for cut := 0; cut < len(content); cut += step {
		if cut > 4<<10 && cut < len(content)-4<<10 {
			continue
		}
		d := damage{fmt.Sprintf("cut-%d%s", cut, ending), content[:cut], -1}
		if ending == ".csv" || ending == ".ndjson" {
			d.pubs = len(bytes.FieldsFunc(d.content, func(r rune) bool { return r == '\n' }))
		}
		if ending == ".csv" {
			d.pubs--
		}
		all = append(all, d)
	}
	return all
}

// turns are the content with one bit turned, at random: its pubs may differ, but none may be lost.
func turns(content []byte, ending string, count int) (all []damage) {
	random := rand.New(rand.NewPCG(1, 1))
	for range count {
		place, bit := random.IntN(len(content)), random.IntN(8)
		turned := bytes.Clone(content)
		turned[place] ^= 1 << bit
		all = append(all, damage{fmt.Sprintf("bit-%d-%d%s", place, bit, ending), turned, pubsDamaged})
	}
	return all
}
