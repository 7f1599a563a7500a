package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pubd/bench"
	"pubd/bench/stage"
	"pubd/data"
	"pubd/index"
	"pubd/loader"
)

// mappedRows are about index files that are larger than memory.
var mappedRows = []row{
	{"X5", "an index file of ten million pubs, served in a memory cgroup of 2 GiB, every class of requests at 5 a second",
		"built within 16 GB, never killed, 0 failed; p99 by class", false, servedMapped},
}

const (
	mappedMemory = 2 << 30
	mappedRate   = 5       // requests a second; a page of a thousand pubs far apart may be a thousand reads of a disk
	askedAbout   = 100_000 // first pubs of the file
)

// servedMapped serves an index file in a cgroup of less memory than the file has bytes. The right answers are those of a replica without a
// limit. The first half of each class's requests warms the page cache.
func servedMapped(ctx context.Context, b *bed) (outcome, error) {
	pubs := b.times(10_000_000, fewPubs)
	group, err := newMemoryCgroup(mappedMemory)
	if err != nil {
		return outcome{}, err
	}
	defer os.Remove(group)
	source, file := b.path("mapped.csv"), b.path("mapped.idx")
	about, err := generateFile(source, pubs)
	if err != nil {
		return outcome{}, err
	}
	build := exec.CommandContext(ctx, b.program, "build", source, file)
	if said, err := build.CombinedOutput(); err != nil {
		return outcome{}, fmt.Errorf("pubd build: %w: %s", err, stage.LastLines(string(said)))
	}
	usage := build.ProcessState.SysUsage().(*syscall.Rusage)
	building := usage.Maxrss << 10

	own := *b
	classes := bench.AllClasses()
	mix := bench.NewMix(about, 1)
	each := b.times(40, 5)
	own.queries = nil
	for _, class := range classes {
		for range each {
			own.queries = append(own.queries, mix.Draw(class))
		}
	}
	e, err := own.answersWithout(ctx, file)
	if err != nil {
		return outcome{}, err
	}
	size, err := dropFromPageCache(file)
	if err != nil {
		return outcome{}, err
	}
	r, err := own.startMapped(ctx, []string{"sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, group}, file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	lasts := b.lasting(4*time.Second, time.Second)
	all := &tally{}
	var figures []string
	for i, class := range classes {
		asked := own
		asked.queries = own.queries[i*each : (i+1)*each]
		part := &edition{id: e.id, answers: e.answers[i*each : (i+1)*each]}
		cold := asked.load(r, mappedRate, lasts, part).send(ctx)
		warm := asked.load(r, mappedRate, lasts, part).send(ctx)
		figures = append(figures, fmt.Sprintf("%s %v", class.Name, warm.times.quantile(0.99)))
		all.join(cold)
		all.join(warm)
	}
	alive := r.alive()
	return outcome{
		n: fmt.Sprintf("%s pubs, %s", grouped(pubs), all),
		figure: fmt.Sprintf("index file of %.2f GB, at most %.2f GB while building; p99: %s", float64(size)/1e9, float64(building)/1e9,
			strings.Join(figures, ", ")),
		passed: alive && all.failed() == 0 && building <= 16e9,
	}, nil
}

// generateFile makes up a directory in a file and returns its first pubs.
func generateFile(path string, pubs int) ([]index.Pub, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	if err := errors.Join(data.Generate(w, pubs, 1, nil), w.Flush(), file.Close()); err != nil {
		return nil, err
	}
	if file, err = os.Open(path); err != nil {
		return nil, err
	}
	defer file.Close()
	var head bytes.Buffer
	lines := bufio.NewScanner(file)
	for n := 0; n <= askedAbout && lines.Scan(); n++ {
		head.Write(append(lines.Bytes(), '\n'))
	}
	loaded, err := loader.Load(path, head.Bytes(), loader.Options{})
	return loaded.Directory.Pubs, err
}

// answersWithout are the right answers, of a replica without a limit.
func (b *bed) answersWithout(ctx context.Context, file string) (*edition, error) {
	r, err := b.startMapped(ctx, nil, file)
	if err != nil {
		return nil, err
	}
	defer r.Stop()
	return b.answersOf(ctx, r, file)
}

// startMapped starts a replica that maps a file where it is.
func (b *bed) startMapped(ctx context.Context, limiter []string, file string) (r *replica, err error) {
	r = &replica{data: file}
	for _, address := range []*string{&r.api, &r.admin} {
		if *address, err = stage.FreeAddress(); err != nil {
			return nil, err
		}
	}
	return r, b.startUnder(ctx, limiter, r, "--access-log", "off")
}

// dropFromPageCache drops a file from the page cache, so that its pages are charged to who reads it next, and returns its size.
func dropFromPageCache(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	status, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return status.Size(), errors.Join(file.Sync(), unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
}

var errNoCgroup = errors.New("cannot make a memory cgroup, which takes root")

// newMemoryCgroup makes a cgroup with a limit of memory, of version 1 or 2 (cgroups(7)). Root may.
func newMemoryCgroup(limit int64) (dir string, err error) {
	for _, version := range []struct{ root, file string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		dir = filepath.Join(version.root, "pubd-"+strconv.Itoa(os.Getpid()))
		if err = os.Mkdir(dir, 0o755); err != nil {
			continue
		}
		if err = os.WriteFile(filepath.Join(dir, version.file), []byte(strconv.FormatInt(limit, 10)), 0); err == nil {
			return dir, nil
		}
		_ = os.Remove(dir)
	}
	return "", fmt.Errorf("%w: %w", errNoCgroup, err)
}
