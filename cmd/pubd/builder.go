package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"pubd/data"
	"pubd/index"
	"pubd/loader"
)

// builderCommand is the process that builds the index for a server, which starts it; it is not for people. It reads a buildOrder from
// standard input, writes buildReports to standard output and the index to the file descriptor indexFile. It ends when standard input does:
// with the server.
type builderCommand struct{}

// builderName is the name of the command.
const builderName = "builder"

// indexFile is the descriptor of the file that a build process writes to: the first of exec.Cmd.ExtraFiles.
const indexFile = 3

// A buildOrder says what a process must build, in one line of JSON.
type buildOrder struct {
	// File is the snapshot file; empty means the embedded sample. Name is its name in complaints.
	File, Name string
	MaxBadRows int
	// Extra names the extra columns to keep.
	Extra []string `json:",omitempty"`
	// Room is how many bytes of memory building and then serving may take; [math.MaxInt64] means unlimited.
	Room int64
	// Served is the SHA-256 of the current snapshot, which is not built again; empty if there is none.
	Served string
	// ServedPubs is the number of its pubs, of which the new one must not lose more than MaxShrink percent.
	ServedPubs int
	MaxShrink  float64
	// Cache is the folder of built indexes, or empty. Rebuild means that the cached index of this snapshot is unusable.
	Cache   string
	Rebuild bool
	// Background is set while a server answers requests, which have priority.
	Background bool
}

// name returns the name of the snapshot in complaints.
func (o *buildOrder) name() string {
	return cmp.Or(o.Name, o.File, data.SampleName)
}

// A buildReport is a message of a build process, in one line of JSON. The last one is of a kind that ends the build.
type buildReport struct {
	Kind reportKind
	// Part is "reading" or "building", of which Done of Total is done.
	Part        string `json:",omitempty"`
	Done, Total int64  `json:",omitempty"`
	// Columns are ignored or missing ones.
	Columns []string `json:",omitempty"`
	// Text is a complaint or a reason.
	Text string `json:",omitempty"`
	// Room is set if a snapshot is rejected because it needs too much memory.
	Room *loader.RoomError `json:",omitempty"`
	// Path is where the index of the snapshot with the SHA-256 Source is cached.
	Path   string `json:",omitempty"`
	Source string `json:",omitempty"`
	// Read and Build are durations.
	Read, Build time.Duration `json:",omitempty"`
}

type reportKind string

const (
	reportProgress reportKind = "progress"
	reportRead     reportKind = "read" // the file is in memory; what follows depends on no file system except that of the cache
	reportHint     reportKind = "hint"
	reportIgnored  reportKind = "ignored"
	reportAbsent   reportKind = "absent"
	reportSkipped  reportKind = "skipped"
	reportUncached reportKind = "uncached" // the index cannot be cached, because of Text

	// These end a build.
	reportBuilt     reportKind = "built"     // the index is in the file
	reportCached    reportKind = "cached"    // it is at Path
	reportUnchanged reportKind = "unchanged" // it is the current one
	reportRejected  reportKind = "rejected"  // there is none, because of Text or Room
)

// Run builds what the order says.
func (c *builderCommand) Run(t terminal) error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM) // these are for the server, which ends this process
	beKilledFirst()
	saveMemory()
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return errors.New("this command is for pubd serve")
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(exitError)
	}()
	b := &building{started: time.Now(), reports: json.NewEncoder(t.out)}
	b.reports.SetEscapeHTML(false)
	if err := json.Unmarshal(line, &b.buildOrder); err != nil {
		return err
	}
	if b.Background {
		yieldProcessors()
	}
	end, err := b.run(os.NewFile(indexFile, "index"))
	if err != nil {
		end = buildReport{Kind: reportRejected, Text: err.Error()}
		errors.As(err, &end.Room)
	}
	return b.reports.Encode(end)
}

// yieldProcessors lowers the priority of this process below all others. Tests replace it.
var yieldProcessors = runOnLeftovers

// building is the execution of an order.
type building struct {
	buildOrder
	started  time.Time
	reports  *json.Encoder
	reported time.Time // time of the last progress report
}

// run executes the order and returns its last report.
func (b *building) run(to *os.File) (end buildReport, err error) {
	name, content := b.name(), data.Sample()
	if b.File != "" {
		if content, err = loader.ReadFileWithin(b.File, b.Room); err != nil {
			return end, err
		}
	}
	if err := b.reports.Encode(buildReport{Kind: reportRead}); err != nil {
		return end, err
	}
	source := sha256.Sum256(content)
	digest := hex.EncodeToString(source[:])
	if digest == b.Served {
		return buildReport{Kind: reportUnchanged}, nil
	}
	cached := cacheName(b.Cache, source, b.MaxBadRows, b.Extra)
	if b.Cache != "" && !b.Rebuild && touch(cached) {
		return buildReport{Kind: reportCached, Path: cached, Source: digest}, nil
	}
	loaded, err := loader.Load(name, content, loader.Options{MaxBadRows: b.MaxBadRows, Extra: b.Extra, Room: b.Room,
		Progress: func(read, total int64) { b.progress("reading", read, total) }})
	if err != nil {
		return end, err
	}
	pubs := len(loaded.Directory.Pubs)
	if err := checkShrink(name, b.ServedPubs, pubs, b.MaxShrink); err != nil {
		return end, err
	}
	for _, hint := range loaded.Hints {
		_ = b.reports.Encode(buildReport{Kind: reportHint, Text: hint.Error()})
	}
	if len(loaded.Ignored) > 0 {
		_ = b.reports.Encode(buildReport{Kind: reportIgnored, Columns: loaded.Ignored})
	}
	if len(loaded.Absent) > 0 {
		_ = b.reports.Encode(buildReport{Kind: reportAbsent, Columns: loaded.Absent})
	}
	for _, complaint := range loaded.Skipped {
		_ = b.reports.Encode(buildReport{Kind: reportSkipped, Text: complaint.Error()})
	}
	read := time.Now()
	err = index.Build(loaded.Directory, to, index.BuildOptions{Source: source, Builder: builderVersion(), Workers: b.workers(),
		Progress: func(_ string, done, total int) { b.progress("building", int64(done), int64(total)) }})
	if err != nil {
		return end, fmt.Errorf("%s: %w", loader.Visible(name), err)
	}
	end = buildReport{Kind: reportBuilt, Read: read.Sub(b.started), Build: time.Since(read)}
	if b.Cache != "" {
		if err := storeInCache(to, cached); err != nil {
			_ = b.reports.Encode(buildReport{Kind: reportUncached, Text: err.Error()})
		}
	}
	return end, nil
}

// reportGap is the minimum time between two progress reports.
const reportGap = 50 * time.Millisecond

func (b *building) progress(part string, done, total int64) {
	if now := time.Now(); now.Sub(b.reported) >= reportGap {
		b.reported = now
		_ = b.reports.Encode(buildReport{Kind: reportProgress, Part: part, Done: done, Total: total})
	}
}

// workers leaves one processor to requests.
func (b *building) workers() int {
	if b.Background {
		return max(1, runtime.GOMAXPROCS(0)-1)
	}
	return runtime.GOMAXPROCS(0)
}

// checkShrink returns an error if a snapshot has lost more than a percentage of the current pubs.
func checkShrink(name string, served, pubs int, most float64) error {
	if lost := served - pubs; float64(lost)*100 > most*float64(served) {
		return fmt.Errorf("%s: has %d pubs, and %d are being served: must not lose more than %v %% (--max-shrink)", loader.Visible(name), pubs, served, most)
	}
	return nil
}

// builderVersion identifies this program in the index files that it builds: other versions may build them differently, so only those of the
// same version are taken from a cache.
func builderVersion() string {
	b := readBuild()
	version := b.Version + " " + b.Commit
	return version[:min(len(version), 32)]
}

// unlimited reports whether a room is unlimited.
func unlimited(room int64) bool { return room == math.MaxInt64 }
