package worker

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"pubd/loader"
)

// memoryShare is the fraction of the cgroup's memory limit that pubd uses: the rest is for kernel buffers, and for
// what Go temporarily needs beyond its limit.
const memoryShare = 0.85

// LimitMemory sets Go's memory limit from the lowest limit of the process's cgroups, unless GOMEMLIMIT is set. It
// returns the limit in bytes, [math.MaxInt64] for none.
func LimitMemory() int64 {
	if os.Getenv("GOMEMLIMIT") == "" {
		lowest := int64(math.MaxInt64)
		for _, g := range cgroups(systemRoot) {
			lowest = min(lowest, g.limit)
			g.close()
		}
		if lowest < math.MaxInt64 {
			debug.SetMemoryLimit(int64(memoryShare * float64(lowest)))
		}
	}
	return debug.SetMemoryLimit(-1)
}

// SaveMemory makes the garbage collector run twice as often as by default, for processes that build: a million pubs
// take 15 % less memory and 25 % more processor time. GOGC in the environment overrides it.
func SaveMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// A Room is how much memory is free, and of what. Bytes is [math.MaxInt64] if that is unknown.
type Room struct {
	Bytes int64
	Of    string
}

// String returns such as "300 MiB are free of the memory limit of 443 MiB".
func (r Room) String() string { return fmt.Sprintf("%d MiB are free of %s", r.Bytes>>20, r.Of) }

// FreeMemory returns how much memory this process may take beyond what it has: what Go's memory limit, the cgroups and
// the machine leave, whichever is least; at least one byte.
func FreeMemory() Room {
	free := Room{math.MaxInt64, "this machine's memory"}
	if available, ok := figure(systemRoot+"proc/meminfo", "MemAvailable:"); ok {
		free.Bytes = available << 10
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		free = least(free, Room{limit - residentMemory(), fmt.Sprintf("the memory limit of %d MiB (GOMEMLIMIT, or %v %% of the cgroup's)", limit>>20, 100*memoryShare)})
	}
	for _, g := range cgroups(systemRoot) {
		free = least(free, Room{g.left(), g.name})
		g.close()
	}
	free.Bytes = max(free.Bytes, 1)
	return free
}

func least(a, b Room) Room {
	if b.Bytes < a.Bytes {
		return b
	}
	return a
}

// ErrNoRoom is the kind of errors of Room.Check and Room.Exceeded.
var ErrNoRoom = errors.New("no room")

// noRoom is an ErrNoRoom with its figures.
type noRoom struct{ text string }

func (e noRoom) Error() string   { return e.text }
func (noRoom) Is(err error) bool { return err == ErrNoRoom }

// Check returns an error if what is to be stored in a room needs more bytes than it has.
func (r Room) Check(name string, need int64) error {
	if need > r.Bytes {
		return noRoom{fmt.Sprintf("%s: takes %d MiB, and %v", loader.Visible(name), (need+1<<20-1)>>20, r)}
	}
	return nil
}

// Exceeded returns an error, that something was too large for a room, as ErrNoRoom.
func (r Room) Exceeded(err error) error { return noRoom{fmt.Sprintf("%v: %v", err, r)} }

// systemRoot is the root of the file system.
const systemRoot = "/"

// A gauge is a file of the kernel with figures of this moment. Reading it allocates nothing: when memory runs out, a
// goroutine that allocates may first have to work for the garbage collector, for up to half a second.
type gauge struct {
	file *os.File // nil if there is none
	text []byte
}

func openGauge(path string) *gauge {
	file, err := os.Open(path)
	if err != nil {
		return &gauge{}
	}
	return &gauge{file, make([]byte, 16<<10)}
}

func (g *gauge) close() { g.file.Close() }

// figure returns the number behind a name that begins a line, such as "name 123 kB"; if the name is empty, the first
// number of the file.
func (g *gauge) figure(name string) (value int64, ok bool) {
	n, _ := g.file.ReadAt(g.text, 0) // of a nil file nothing
	text := g.text[:n]
	for !bytes.HasPrefix(text, []byte(name)) {
		_, rest, more := bytes.Cut(text, []byte("\n"))
		if !more {
			return 0, false
		}
		text = rest
	}
	text = bytes.TrimLeft(text[len(name):], " \t")
	for len(text) > 0 && '0' <= text[0] && text[0] <= '9' && value < math.MaxInt64/10-1 {
		value, ok, text = 10*value+int64(text[0]-'0'), true, text[1:]
	}
	return value, ok
}

// figure returns one figure of a file of the kernel.
func figure(path, name string) (value int64, ok bool) {
	g := openGauge(path)
	defer g.close()
	return g.figure(name)
}

const processStatus = systemRoot + "proc/self/status"

// residentMemory returns how much memory of this process the kernel cannot reclaim, that is, without file pages.
func residentMemory() int64 {
	g := openGauge(processStatus)
	defer g.close()
	return resident(g)
}

// resident is residentMemory, read from the process's status.
func resident(status *gauge) (held int64) {
	for _, name := range [...]string{"RssAnon:", "RssShmem:"} {
		kilobytes, ok := status.figure(name)
		if !ok {
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			return int64(memory.Sys - memory.HeapReleased)
		}
		held += kilobytes << 10
	}
	return held
}

// A cgroup is a control group with a memory limit: this process's, or one above it.
type cgroup struct {
	name         string // such as "the limit of 512 MiB of the cgroup /sys/fs/cgroup/a"
	limit        int64  // in bytes
	usage, stats *gauge
	reclaimable  [2]string
}

func (g cgroup) close() {
	g.usage.close()
	g.stats.close()
}

// cgroupFiles are the names of a cgroup's files, and of the lines of its statistics that count reclaimable pages of
// files.
type cgroupFiles struct {
	root, limit, usage string
	reclaimable        [2]string
}

var (
	version1 = cgroupFiles{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", [2]string{"total_inactive_file", "total_active_file"}}
	version2 = cgroupFiles{"sys/fs/cgroup", "memory.max", "memory.current", [2]string{"inactive_file", "active_file"}}
)

// cgroups returns the cgroups of this process that have a memory limit, from its own up. root is that of the file
// system. What a container does not show of its path is skipped: the root of its mount is the container's own cgroup.
func cgroups(root string) (limited []cgroup) {
	self, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	var files cgroupFiles
	var path string
	for line := range strings.Lines(string(self)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		switch {
		case len(parts) < 3:
		case strings.Contains(","+parts[1]+",", ",memory,"):
			files, path = version1, parts[2]
		case parts[1] == "" && files.root == "":
			files, path = version2, parts[2]
		}
	}
	if files.root == "" {
		return nil
	}
	for path = filepath.Join("/", path); ; path = filepath.Dir(path) {
		dir := filepath.Join(root, files.root, path)
		// Version 1 has a huge number for no limit, version 2 the word max.
		if limit, ok := figure(filepath.Join(dir, files.limit), ""); ok && limit < 1<<60 {
			name := fmt.Sprintf("the limit of %d MiB of the cgroup %s", limit>>20, dir)
			limited = append(limited, cgroup{name, limit, openGauge(filepath.Join(dir, files.usage)), openGauge(filepath.Join(dir, "memory.stat")), files.reclaimable})
		}
		if path == "/" {
			return limited
		}
	}
}

// left returns what the limit leaves, in bytes; pages of files count as free, because the kernel reclaims them.
func (g cgroup) left() int64 {
	left, _ := g.usage.figure("")
	left = g.limit - left
	for _, name := range g.reclaimable {
		size, _ := g.stats.figure(name + " ")
		left += size
	}
	return left
}

const (
	// watchEvery is the time between two looks of a watch. Memory grows by at most some MB in it.
	watchEvery = 5 * time.Millisecond
	// reserve is what a watch leaves of a cgroup, of which others take, too.
	reserve = 24 << 20
)

// An OutOfMemory says that building an index takes more memory than there is.
type OutOfMemory struct {
	// Name is that of the snapshot. At says how far it had come, such as " with 40 % of it read"; empty if unknown.
	Name, At string
	// Took is what it took then, in bytes.
	Took int64
	Free Room // when it began, or, of a cgroup that others have filled, now
}

func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("%s: took %d MiB of memory%s, and %v: raise the memory limit, or serve fewer pubs", loader.Visible(e.Name), e.Took>>20, e.At, e.Free)
}

// Watch calls exhausted once this process has taken free more bytes than now, or a cgroup has hardly any left, whoever
// took it. index is a file in memory that belongs to the process, or nil. Until then, Go's memory limit follows what
// is left. stop ends the watch; exhausted is not called after it has returned, and must not call it.
//
// The kernel would end the process when the limit of a cgroup is reached, and with memory.oom.group, which Kubernetes
// sets, all others of the container.
func Watch(free Room, index *os.File, exhausted func(took int64, room Room)) (stop func()) {
	w := &watch{free: free, index: index, status: openGauge(processStatus), groups: cgroups(systemRoot), memory: make([]metrics.Sample, 2)}
	w.memory[0].Name, w.memory[1].Name = "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes"
	w.before = resident(w.status)
	previous := debug.SetMemoryLimit(-1)
	limit := previous
	if free.Bytes < math.MaxInt64 {
		// Garbage is collected before memory is exhausted.
		limit = min(limit, w.before+free.Bytes-free.Bytes/8)
		debug.SetMemoryLimit(limit)
	}
	// A thread of its own sleeps in the kernel and has a processor of Go's to itself, so that neither loops that
	// cannot be interrupted nor the idle priority of the others delay it: without it, it looked up to a second late
	// on two busy cores. Until stop, the number does not follow the limits of the cgroup; nor do the workers of a
	// build, whose number is that of its beginning.
	processors := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(processors + 1)
	var mu sync.Mutex // guards stopped, and Go's memory limit
	stopped := false
	outside := int64(0)
	look := func() (goOn bool) {
		took, room, enough := w.look()
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return false
		}
		if !enough {
			exhausted(took, room)
			return false
		}
		const step = 8 << 20
		if now := w.before + took - w.ofGo(); (now > outside+step || now < outside-step) && free.Bytes < math.MaxInt64 {
			outside = now
			debug.SetMemoryLimit(max(limit-max(outside, 0), step))
		}
		return true
	}
	go func() {
		runtime.LockOSThread() // ends with the goroutine
		defer w.close()
		for goOn := true; goOn; goOn = look() {
			sleepOrdinarily(watchEvery)
		}
	}()
	return sync.OnceFunc(func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		if os.Getenv("GOMAXPROCS") == "" {
			runtime.SetDefaultGOMAXPROCS()
		} else {
			runtime.GOMAXPROCS(processors)
		}
		debug.SetMemoryLimit(previous)
	})
}

// watch is what a watch looks at.
type watch struct {
	free   Room
	index  *os.File
	before int64 // resident when it began
	status *gauge
	groups []cgroup
	memory []metrics.Sample // what Go has mapped, and what of it it has given back
}

// ofGo returns how much memory Go has; index files and the large arrays of a build are outside of it.
func (w *watch) ofGo() int64 {
	metrics.Read(w.memory)
	return int64(w.memory[0].Value.Uint64() - w.memory[1].Value.Uint64())
}

// look returns what the process took so far, and whether there is enough memory left; if not, of what. It takes no
// memory itself, see gauge.
func (w *watch) look() (took int64, room Room, enough bool) {
	took = resident(w.status) + sizeInMemory(w.index) - w.before
	if took > w.free.Bytes {
		return took, w.free, false
	}
	for i := range w.groups {
		if left := w.groups[i].left(); left < min(reserve, w.groups[i].limit/8) {
			return took, Room{left, w.groups[i].name}, false
		}
	}
	return took, Room{}, true
}

func (w *watch) close() {
	w.status.close()
	for _, g := range w.groups {
		g.close()
	}
}
