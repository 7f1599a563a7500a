package reliability

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/cmd/pubd/lists/merge"
	"pubd/data"
	"pubd/httpapi/status"
)

// A badFile is a snapshot that is wrong, or unusual but right.
type badFile struct {
	name string // whose extension is the format
	// want is part of pubd's message about the file: why it is rejected, or "ok: " and the number of its pubs.
	want  string
	write func(path string) error
}

// isRight reports whether the file must be accepted.
func (f *badFile) isRight() bool { return strings.HasPrefix(f.want, "ok: ") }

// corpus returns every kind of bad snapshot except those damaged at random. In the short form, large ones are smaller.
func corpus(t testing.TB) []badFile {
	t.Helper()
	list := []badFile{
		{"missing.csv", "does not exist", func(string) error { return nil }},
		{"directory.csv", "is a directory: must be a regular file", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"pipe.csv", "is a named pipe: must be a regular file", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"zero.csv", "is a device: must be a regular file", func(path string) error { return os.Symlink("/dev/zero", path) }},
	}
	many := pick(20_000, 1_000_000)
	for _, row := range table(t, "badfiles.txt") {
		write := func(path string) error { return content(fill(row[2], many))(path) }
		list = append(list, badFile{row[0], fill(row[1], many), write})
	}
	return list
}

// content writes a text.
func content(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

// endings are the extensions of formats that are read in different ways.
var endings = []string{".csv", ".json", ".ndjson", ".csv.gz", ".csv.zst", ".json.gz", ".ndjson.gz"}

// The time and memory that checking a snapshot may take.
const (
	checkTime   = 5 * time.Second
	checkMemory = 1 << 30
)

// A checking runs pubd check on files and measures what it takes.
type checking struct {
	t                     *testing.T
	files                 int
	slowest               time.Duration
	slowestFile, mostFile string
	most                  int64 // bytes of memory
}

func TestS(t *testing.T) {
	timedRow(t, "every kind of bad snapshot, and good ones damaged: cut at every byte of the first and last 4 KiB, and bits turned",
		"a precise rejection or a right load, in 5 s and 1 GiB")
	c := &checking{t: t}
	for _, f := range corpus(t) {
		c.kind(f)
	}
	kinds := c.files
	var text bytes.Buffer
	testkit.OK(t, data.Generate(&text, pubsDamaged, 1, nil))
	for _, ending := range endings {
		file := filepath.Join(t.TempDir(), "pubs"+ending)
		writeSnapshot(t, file, text.Bytes())
		content := testkit.Read(t, file)
		for batch := range slices.Chunk(append(cuts(content, ending, pick(67, 1)), turns(content, ending, pick(64, 4096))...), 256) {
			c.damaged(batch)
		}
	}
	testkit.FailIf(t, full() && c.slowest > checkTime || c.most > checkMemory,
		"%s took %v, %s %d MiB; want at most %v and %d MiB", c.slowestFile, c.slowest, c.mostFile, c.most>>20, checkTime, checkMemory>>20)
	figure(t, fmt.Sprintf("%d kinds, %d damaged files", kinds, c.files-kinds), "the slowest took %v (%s), the largest %d MiB (%s)",
		c.slowest.Round(time.Millisecond), c.slowestFile, c.most>>20, c.mostFile)
}

// kind checks a file of the corpus. A right one is also served.
func (c *checking) kind(f badFile) {
	path := filepath.Join(c.t.TempDir(), f.name)
	defer os.RemoveAll(path)
	testkit.OK(c.t, f.write(path))
	said := c.check(path)[f.name]
	asWanted := strings.Contains(said, f.want)
	testkit.FailIf(c.t, !asWanted, "%s: said %.300q, want %q", f.name, said, f.want)
	if !asWanted || !f.isRight() {
		return
	}
	r := serveUnder(c.t, nil, path)
	defer r.Stop()
	total := strings.Fields(f.want)[1]
	for _, query := range []string{"search=*", "search=*&lat=51.5&lng=-0.1&distance=1&amount=1", "search=red+lion", "search=%21%3F", "search=*&sort=total&page=2"} {
		status, body, err := get("http://"+r.API+pubs+"?"+query, demo)
		testkit.FailIf(c.t, err != nil || status != 200 || !bytes.Contains(body, []byte(`"total_pubs":`+total+`,`)),
			"%s: ?%s: status %d: %.200s (%v), want %s pubs", f.name, query, status, body, err, total)
	}
}

// check runs pubd check on files and returns its last message about each, by name.
func (c *checking) check(files ...string) (said map[string]string) {
	limited, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	cmd := stage.Command(limited, append([]string{program, "check"}, files...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	testkit.OK(c.t, cmd.Start())
	peak := peakOf(cmd.Process.Pid)
	err := cmd.Wait()
	took, name := time.Since(begun), filepath.Base(files[0])
	if most := <-peak; most > c.most {
		c.most, c.mostFile = most, name
	}
	if took > c.slowest {
		c.slowest, c.slowestFile = took, name
	}
	exit := new(exec.ExitError)
	testkit.FailIf(c.t, err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1), "%s: %v: %s", name, err, stage.LastLines(stderr.String()))
	c.files += len(files)
	said = map[string]string{}
	for line := range strings.Lines(stdout.String()) {
		// What is said of a file behind "ok" are likely mistakes.
		if path, rest, found := strings.Cut(line, ":"); found && filepath.IsAbs(path) && !strings.HasPrefix(said[filepath.Base(path)], ":ok: ") {
			said[filepath.Base(path)] = ":" + strings.TrimSpace(rest)
		}
	}
	return said
}

// peakOf sends the peak memory of a process, as of a few milliseconds before its end, once it has ended. The kernel's
// figure for children would include the memory of this process when it started the child.
func peakOf(process int) <-chan int64 {
	most := make(chan int64, 1)
	go func() {
		for last := int64(0); ; time.Sleep(2 * time.Millisecond) {
			_, now, err := stage.Memory(process)
			if err != nil { // ended
				most <- last
				return
			}
			last = now
		}
	}()
	return most
}

const pubsDamaged = 300 // pubs in a file before it is damaged

// A damage is a damaged file.
type damage struct {
	name    string
	content []byte
	pubs    int // that it must have if it is accepted; -1 if it must be rejected
}

func (c *checking) damaged(batch []damage) {
	dir := testkit.Must(os.MkdirTemp(c.t.TempDir(), ""))(c.t)
	defer os.RemoveAll(dir)
	var files []string
	for _, d := range batch {
		files = append(files, filepath.Join(dir, d.name))
		write(c.t, files[len(files)-1], d.content)
	}
	said := c.check(files...)
	for _, d := range batch {
		rest, accepted := strings.CutPrefix(said[d.name], ":ok: ")
		testkit.FailIf(c.t, said[d.name] == "" || accepted && !strings.HasPrefix(rest, fmt.Sprint(d.pubs, " pubs,")), "%s: said %q, want a rejection or %d pubs", d.name, said[d.name], d.pubs)
	}
}

// cuts returns the content cut at every step of its first and last 4 KiB. A plain file with one pub per line is still
// a snapshot when it is cut at the end of a line, and a JSON list without the end of its last line. All other files
// must be rejected.
func cuts(content []byte, ending string, step int) (all []damage) {
	for cut := 0; cut < len(content); cut += step {
		if cut > 4<<10 && cut < len(content)-4<<10 {
			continue
		}
		d := damage{fmt.Sprintf("cut-%d%s", cut, ending), content[:cut], -1}
		rows := len(bytes.FieldsFunc(d.content, func(r rune) bool { return r == '\n' }))
		switch {
		case ending == ".csv":
			d.pubs = rows - 1 // except the header
		case ending == ".ndjson":
			d.pubs = rows
		case ending == ".json" && cut == len(content)-1:
			d.pubs = rows - 2 // except the brackets
		}
		all = append(all, d)
	}
	return all
}

// turns returns copies of the content with one random bit flipped. Their pubs may differ, but none may be lost.
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

// writeSnapshot writes a CSV text as the name of the file says.
func writeSnapshot(t *testing.T, file string, text []byte) {
	rows := testkit.Must(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	testkit.OK(t, merge.Write(file, merge.Snapshot{Columns: rows[0], Rows: rows[1:]}))
}

func TestR4(t *testing.T) {
	row(t, "every kind of bad snapshot as a reload under load", "rejected with its reason, the old snapshot stays, 0 failed")
	d := usual(t)
	text := testkit.Read(t, d.snapshots[0].file)
	all, tried, files := load.NewTally(), 0, corpus(t)
	for _, ending := range endings {
		whole := filepath.Join(t.TempDir(), "pubs"+ending)
		writeSnapshot(t, whole, text)
		r := serveUnder(t, nil, copied(t, whole))
		served := r.serving(whole, d.snapshots[0])
		all.Add(during(t, r.load(steady(), served), func() {
			bad := 0
			for _, f := range files {
				_, extension, _ := strings.Cut(f.name, ".")
				if f.isRight() || "."+extension != ending {
					continue
				}
				if bad%pick(4, 1) == 0 {
					r.rejects(f, served)
					tried++
				}
				bad++
			}
			testkit.OK(t, os.RemoveAll(r.Data))
			r.reload(served)
			testkit.Eventually(t, "the last reload is ok", func() bool { return r.readiness().LastReload == "ok" })
		}))
		r.Stop()
	}
	figure(t, fmt.Sprintf("%d reloads in %d formats", tried, len(endings)), "all rejected with their reason; %v", all)
}

// serving returns the snapshot that a replica serves: a file with the same pubs as another snapshot, but another id.
func (r *replica) serving(file string, same *snapshot) *snapshot {
	return &snapshot{file, load.Snapshot{ID: r.readiness().Snapshot, Answers: same.Answers}, same.targets, same.bytes}
}

// rejects reloads a wrong file and checks the answer of /readyz.
func (r *replica) rejects(f badFile, served *snapshot) {
	r.t.Helper()
	testkit.OK(r.t, os.RemoveAll(r.Data))
	testkit.OK(r.t, f.write(r.Data))
	r.reloadAnything()
	var said status.Readiness
	var answered int
	limit := time.Now().Add(time.Second)
	testkit.Eventually(r.t, "reason in /readyz", func() bool {
		answered, said = r.ready()
		return strings.Contains(said.LastReload, f.want) || time.Now().After(limit)
	})
	testkit.FailIf(r.t, !strings.Contains(said.LastReload, f.want) || answered != 200 || said.Snapshot != served.ID,
		"%s: /readyz %d with snapshot %s says %.300q, want 200, %s, %q", f.name, answered, said.Snapshot, said.LastReload, served.ID, f.want)
}
