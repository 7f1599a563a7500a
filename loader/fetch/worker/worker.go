// Package worker builds the index of a snapshot file in a process of its own: its memory is freed when it ends, and
// whatever happens to it, the server goes on. Server and worker speak in lines of JSON:
//
//	an order               to the worker's standard input; it reads the file
//	a report, "read"       from its standard output, with the SHA-256 of the file
//	true                   to its standard input; or the end of it, if the server has that index
//	reports of progress    from its standard output
//	a report, "loaded"     with warnings; more progress follows
//	a report that ends it  "built", or "rejected" with the reason
//
// The worker ends when its standard input does, and so with the server. It rejects a file whose rows, and what is built
// of them, need more memory than is free. Beyond that the kernel kills it first, but then perhaps the server, too: it
// may look for more before the memory of the worker is given back.
package worker

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"pubd/data"
	"pubd/index"
	"pubd/index/schema"
	"pubd/index/spool"
	"pubd/loader"
	"pubd/loader/disk"
)

// An Order says what to build.
type Order struct {
	// File is the snapshot file; empty means the embedded sample. Name is its name in complaints, and determines its
	// format.
	File, Name string
	// Places is the file of the gazetteer; empty if there is none.
	Places     string `json:",omitempty"`
	MaxBadRows int
	// Extra are the extra columns to keep.
	Extra []schema.ExtraColumn `json:",omitempty"`
	// Builder is the version of this program, which the index records.
	Builder string
	// OnDisk is set if the index is built into a file on a disk, not into memory; Patience is how long each access to it
	// may take.
	OnDisk   bool
	Patience time.Duration
	// Free is how much memory building and then serving may take.
	Free Room
	// Background is set while a server answers requests, which have priority.
	Background bool
}

func (o *Order) name() string { return cmp.Or(o.Name, o.File, data.SampleName) }

// indexFile is the descriptor of the file for the index: the first of exec.Cmd.ExtraFiles.
const indexFile = 3

// A report is a message of a worker.
type report struct {
	Kind reportKind
	// Source is the SHA-256 of the file.
	Source string `json:",omitempty"`
	// Part is "reading" or "building", of which Done of Total is done.
	Part        string    `json:",omitempty"`
	Done, Total int64     `json:",omitempty"`
	Warnings    []Warning `json:",omitempty"`
	// Reason is why the file is rejected; Unwritable is set if it is that the index could not be written.
	Reason      string        `json:",omitempty"`
	Unwritable  bool          `json:",omitempty"`
	Read, Build time.Duration `json:",omitempty"`
}

type reportKind string

const (
	reportProgress reportKind = "progress"
	// The file is in memory; what follows depends on no file system but that of the index.
	reportRead     reportKind = "read"
	reportLoaded   reportKind = "loaded"
	reportBuilt    reportKind = "built"
	reportRejected reportKind = "rejected"
)

// A Warning is about a file that is served nevertheless, for the log.
type Warning struct {
	Message string
	// Error is a complaint, or Columns are names.
	Error   string   `json:",omitempty"`
	Columns []string `json:",omitempty"`
}

// exitError is the exit code of a worker that ended early.
const exitError = 1

// Run is the worker: it builds what the order on in says. yield lowers its priority.
func Run(in io.Reader, out io.Writer, yield func()) error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM) // these are for the server, which ends this process
	beKilledFirst()
	SaveMemory()
	w := &work{started: time.Now(), reports: json.NewEncoder(out)}
	w.reports.SetEscapeHTML(false)
	decoder := json.NewDecoder(in)
	if err := decoder.Decode(&w.Order); err != nil {
		return errors.New("this command is for pubd serve")
	}
	consents := make(chan bool)
	go func() {
		for {
			var consent bool
			if decoder.Decode(&consent) != nil {
				os.Exit(exitError)
			}
			consents <- consent
		}
	}()
	if w.Background {
		yield()
	}
	if w.Free.Bytes < math.MaxInt64 { // garbage is collected before memory is exhausted
		debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), w.Free.Bytes-w.Free.Bytes/8))
	}
	w.Free.Bytes -= residentMemory()
	last, err := w.run(consents, os.NewFile(indexFile, "index"))
	if errors.Is(err, spool.ErrNoMemory) {
		err = w.Free.Exceeded(err)
	}
	if err != nil {
		last = report{Kind: reportRejected, Reason: err.Error(), Unwritable: errors.Is(err, ErrUnwritable)}
	}
	return w.send(last)
}

// work is the execution of an order.
type work struct {
	Order
	started time.Time

	mu       sync.Mutex
	reports  *json.Encoder // guarded by mu
	reported time.Time     // of the last progress; guarded by mu
}

// run executes the order and returns its last report.
func (w *work) run(consents <-chan bool, to *os.File) (last report, err error) {
	name := w.name()
	var content []byte
	var sum [sha256.Size]byte
	if w.File == "" {
		content = data.Sample()
		sum = sha256.Sum256(content)
	} else if content, sum, err = loader.ReadFileWithin(w.File, w.Free.Bytes); err != nil {
		return last, err
	}
	places, err := loader.ReadGazetteer(w.Places, w.Free.Bytes)
	if err != nil {
		return last, err
	}
	source := places.Identity(sum)
	if err := w.send(report{Kind: reportRead, Source: hex.EncodeToString(source[:])}); err != nil {
		return last, err
	}
	<-consents
	target := io.WriterAt(to)
	if w.OnDisk {
		clock := &disk.Clock{Limit: w.Patience}
		target = &onDisk{clock: clock, file: clock.File(to)}
	}
	loaded, err := loader.LoadRows(name, bytes.NewReader(content), int64(len(content)),
		loader.Options{MaxBadRows: w.MaxBadRows, Extra: w.Extra, Places: places, Memory: max(w.Free.Bytes, 1),
			Progress: func(read, total int64) { w.progress("reading", read, total) }})
	if err != nil {
		return last, err
	}
	read := time.Now()
	if err := w.send(report{Kind: reportLoaded, Warnings: warnings(name, loaded)}); err != nil {
		return last, err
	}
	err = index.Build(loaded.Directory, target, index.BuildOptions{Source: source,
		BuilderVersion: w.Builder, Workers: w.workers(),
		Progress: func(_ string, done, total int) { w.progress("building", int64(done), int64(total)) }})
	if err != nil {
		return last, fmt.Errorf("%s: %w", loader.Visible(name), unwritable(err))
	}
	return report{Kind: reportBuilt, Read: read.Sub(w.started), Build: time.Since(read)}, nil
}

// onDisk is a file on a disk that may hang.
type onDisk struct {
	mu    sync.Mutex // held by what uses the clock
	clock *disk.Clock
	file  *disk.File
}

// WriteAt implements io.WriterAt. After one that was given up, the caller must not change its buffer.
func (o *onDisk) WriteAt(p []byte, offset int64) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return disk.Do(context.Background(), o.clock, o.file.Name(), func(context.Context) (int, error) { return o.file.WriteAt(p, offset) })
}

// ErrUnwritable means that the file for the index could not be written.
var ErrUnwritable = errors.New("the index cannot be written")

// unwritable marks an error of a file as ErrUnwritable.
func unwritable(err error) error {
	if errors.As(err, new(*fs.PathError)) || disk.IsLate(err) {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return err
}

// maxSkipped is how many wrong rows are listed: the server has them all in memory.
const maxSkipped = 1000

// warnings returns what is to be logged about a file.
func warnings(name string, loaded *loader.Result) (all []Warning) {
	for _, hint := range loaded.Hints {
		all = append(all, Warning{Message: "likely mistake", Error: hint.Error()})
	}
	if len(loaded.Ignored) > 0 {
		all = append(all, Warning{Message: "unknown columns ignored", Columns: loaded.Ignored})
	}
	if len(loaded.Absent) > 0 {
		all = append(all, Warning{Message: "columns of --extra or --facet not found", Columns: loaded.Absent})
	}
	for _, complaint := range loaded.LeftOut {
		all = append(all, Warning{Message: "values left out", Error: complaint.Error()})
	}
	const skipped = "wrong row skipped"
	listed := min(len(loaded.Skipped), maxSkipped)
	for _, complaint := range loaded.Skipped[:listed] {
		all = append(all, Warning{Message: skipped, Error: complaint.Error()})
	}
	if more := len(loaded.Skipped) - listed; more > 0 {
		all = append(all, Warning{Message: skipped, Error: fmt.Sprintf("%s: and %d more", loader.Visible(name), more)})
	}
	return all
}

// send writes a report.
func (w *work) send(r report) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reports.Encode(r)
}

// reportGap is the minimum time between two reports of progress.
const reportGap = 50 * time.Millisecond

func (w *work) progress(part string, done, total int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.reported) >= reportGap {
		w.reported = now
		_ = w.reports.Encode(report{Kind: reportProgress, Part: part, Done: done, Total: total})
	}
}

// workers leaves one processor to requests.
func (w *work) workers() int {
	processors := runtime.GOMAXPROCS(0)
	if w.Background {
		return max(1, processors-1)
	}
	return processors
}
