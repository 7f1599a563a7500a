package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
)

func TestReloadSwapsData(t *testing.T) {
	t.Parallel()
	file := write(t, "pubs.csv", pubs(50, "a"))
	p := serve(t, "--data", file)
	old, ready := p.search("pubid=u1", "demo"), p.readiness(200)
	for _, name := range []string{"untouched", "same bytes in another file"} {
		if name != "untouched" {
			replace(t, file, pubs(50, "a"))
		}
		p.reload()
		equal(t, name, p.readiness(200), ready)
		equal(t, name+": builds", p.stderr.count("data loaded"), 1)
	}

	replace(t, file, pubs(51, "b"))
	p.reload()
	got, now := p.search("pubid=u1", "demo"), p.readiness(200)
	equal(t, "another file", generation(p, "demo"), "b")
	isNew := got.header.Get("X-Snapshot") != old.header.Get("X-Snapshot") && got.header.Get("ETag") != old.header.Get("ETag")
	failIf(t, !isNew, "another file: got %v, want another X-Snapshot and ETag than %v", got.header, old.header)
	isNew = now.Snapshot == got.header.Get("X-Snapshot") && now.Pubs == 51 && now.LoadedAt.After(*ready.LoadedAt)
	failIf(t, !isNew, "/readyz: got %+v, want the new snapshot with 51 pubs, loaded after %v", now, ready.LoadedAt)

	replace(t, file, pubs(50, "a"))
	p.reload()
	equal(t, "the first file again", p.search("pubid=u1", "demo").content(), old.content())
}

// A reload that fails changes nothing, and readiness, log and metrics say why.
func TestReloadRefused(t *testing.T) {
	t.Parallel()
	file := write(t, "pubs.csv", pubs(100, "a"))
	p := serve(t, "--data", file)
	put := func(content string) func() { return func() { replace(t, file, content) } }
	for _, c := range []struct {
		name   string
		change func()
		reason string
	}{
		{"a wrong row", put(pubs(100, "b") + "u101,\n"), "pubs.csv:102: "},
		{"no name", put("UID,name\nu1,\n"), "pubs.csv:2: name: must not be empty"},
		{"an empty file", put(""), "pubs.csv"},
		{"no pub", put("UID,name\n"), "no pub"},
		{"no snapshot", put("\x00\x01\x02"), "pubs.csv"},
		{"cut off", put(pubs(100, "b")[:1000]), "pubs.csv:"},
		{"shrunk by more than 20 %", put(pubs(79, "b")), "has 79 pubs, and 100 are being served"},
		{"shrunk to one", put(pubs(1, "b")), "has 1 pubs, and 100 are being served"},
		{"deleted", func() { os.Remove(file) }, "does not exist"},
		{"a loop of links", func() { linkTo(t, file, file) }, "too many levels of symbolic links"},
		{"a link to nowhere", func() { linkTo(t, file+".absent", file) }, "does not exist"},
		{"a folder", func() { os.Remove(file); os.Mkdir(file, 0o700) }, "is a directory"},
		{"a named pipe", func() { os.Remove(file); syscall.Mkfifo(file, 0o600) }, "is a named pipe"},
	} {
		before, failures, logged := p.readiness(200), p.reloads("data", "failed"), p.stderr.count("reload rejected; keeping the old one")
		answer := p.search("pubid=u1", "demo").content()
		c.change()
		p.reload()
		eventually(t, c.name+": log line", func() bool { return p.stderr.count("reload rejected; keeping the old one") == logged+1 })
		after := p.readiness(200)
		lines := p.stderr.lines()
		last := lines[len(lines)-1]
		contains(t, c.name+": last_reload", after.LastReload, c.reason, file)
		equal(t, c.name+": log", []string{last.Level, last.What, last.Error}, []string{"error", "data", after.LastReload})
		equal(t, c.name+": failed reloads", p.reloads("data", "failed"), failures+1)
		after.LastFailure, after.LastReload = before.LastFailure, before.LastReload
		equal(t, c.name+": /readyz", after, before)
		equal(t, c.name+": answer", p.search("pubid=u1", "demo").content(), answer)
	}
	os.Remove(file)
	for _, want := range []int{100, 80} { // the same again, and shrunk by 20 %
		replace(t, file, pubs(want, map[int]string{100: "a", 80: "c"}[want]))
		p.reload()
		eventually(t, "last_reload ok", func() bool { return p.readiness(200).LastReload == "ok" })
		equal(t, "pubs once repaired", p.readiness(200).Pubs, want)
	}
	eventually(t, "two builds", func() bool { return p.stderr.count("data loaded") == 2 })
}

func TestMaxShrink(t *testing.T) {
	lane.Long(t, "starts seven servers")
	t.Parallel()
	for _, c := range []struct {
		percent  string
		to       int // pubs, of 1,000
		accepted bool
	}{
		{"0", 999, false}, {"0", 1000, true}, {"21", 790, true}, {"21", 789, false}, {"0.1", 999, true}, {"0.1", 998, false}, {"100", 1, true},
	} {
		file := write(t, "pubs.csv", pubs(1000, "a"))
		p := serve(t, "--data", file, "--max-shrink", c.percent)
		replace(t, file, pubs(c.to, "b"))
		p.reload()
		equal(t, fmt.Sprintf("--max-shrink %s, from 1000 to %d pubs: accepted", c.percent, c.to), generation(p, "demo") == "b", c.accepted)
	}
}

// Signals during a reload cause one more reload, and the newest file wins.
func TestBurstOfReloads(t *testing.T) {
	lane.Long(t, "writes and builds ten snapshots")
	t.Parallel()
	text := generated(t, 4000, 1)
	file := write(t, "pubs.csv", text)
	p := serve(t, "--data", file)
	const burst, files = 100, 10
	for i := range files {
		replace(t, fmt.Sprint(file, i), fmt.Sprintf("%su%d,Last %d,,,,,,,,,,,,0,,,\n", text, i, i))
	}
	begun := time.Now()
	for i := range burst {
		if i%(burst/files) == 0 {
			ok(t, os.Rename(fmt.Sprint(file, i*files/burst), file))
		}
		p.signal(syscall.SIGHUP)
	}
	most := 3 + int(time.Since(begun)/(100*time.Millisecond)) // a build takes that long: more may fit on a busy machine
	newest := fmt.Sprintf("pubid=u%d", files-1)
	eventually(t, "the newest file is served", func() bool { return p.search(newest, "demo").status == 200 })
	p.reload()
	equal(t, newest+" after another reload", p.search(newest, "demo").status, 200)
	reloads, since := 0, time.Now()
	eventually(t, "quiet", func() bool {
		if now := p.stderr.count("data loaded") + p.stderr.count("data unchanged"); now != reloads {
			reloads, since = now, time.Now()
		}
		return time.Since(since) > 200*time.Millisecond
	})
	failIf(t, reloads > burst/10, "reloads for %d signals: got %d, want few", burst, reloads)
	builds := p.stderr.count("data loaded") - 1
	failIf(t, builds < 1 || builds > most, "builds for %d signals: got %d, want from 1 to %d", burst, builds, most)
}

// A signal during the first load does not end the program and is not lost. Until there is data, requests are rejected.
func TestReloadDuringFirstLoad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pubs.csv")
	replace(t, file, generated(t, 20_000, 1))
	p := start(t, pubd(anywhere("--data", file, "--max-shrink=100")...))
	eventually(t, "first log line", func() bool { return p.stderr.count("keys loaded") == 1 })
	replace(t, file, pubs(3, "new"))
	p.signal(syscall.SIGHUP)
	p.await()
	eventually(t, "the file of the signal", func() bool { return p.search("pubid=u1", "demo").status == 200 })
	equal(t, "generation", generation(p, "demo"), "new")
}
