package worker

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// system writes the files of a system and returns its root.
func system(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Every cgroup of the path counts, in both versions, with the pages of files as free memory.
func TestCgroups(t *testing.T) {
	const v1, v2 = "sys/fs/cgroup/memory/", "sys/fs/cgroup/"
	const stat = "anon 1\ninactive_file 100\nactive_file 20\n"
	for _, c := range []struct {
		what  string
		files map[string]string
		want  string // folder: limit, free; from the process's own up
	}{
		{"no cgroup", nil, ""},
		{"version 2, no limit", map[string]string{"proc/self/cgroup": "0::/a\n", v2 + "a/memory.max": "max\n"}, ""},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a\n", v2 + "a/memory.max": "1000\n", v2 + "a/memory.current": "700\n", v2 + "a/memory.stat": stat},
			"sys/fs/cgroup/a: 1000, 420"},
		{"version 2, a parent's", map[string]string{"proc/self/cgroup": "0::/a/b/c\n", v2 + "a/b/c/memory.max": "max\n", v2 + "a/memory.max": "900\n", v2 + "a/memory.current": "100\n"},
			"sys/fs/cgroup/a: 900, 800"},
		{"version 2, both", map[string]string{"proc/self/cgroup": "0::/a/b\n", v2 + "a/b/memory.max": "500\n", v2 + "a/memory.max": "900\n", v2 + "a/memory.current": "850\n"},
			"sys/fs/cgroup/a/b: 500, 500; sys/fs/cgroup/a: 900, 50"},
		{"version 2, a container that shows only its own", map[string]string{"proc/self/cgroup": "0::/\n", v2 + "memory.max": "300\n", v2 + "memory.current": "100\n"},
			"sys/fs/cgroup: 300, 200"},
		{"version 1", map[string]string{"proc/self/cgroup": "5:cpu:/x\n4:memory:/a\n0::/\n", v1 + "a/memory.limit_in_bytes": "1000\n", v1 + "a/memory.usage_in_bytes": "700\n",
			v1 + "a/memory.stat": "inactive_file 1\ntotal_inactive_file 50\ntotal_active_file 60\n", v1 + "memory.limit_in_bytes": "9223372036854771712\n"},
			"sys/fs/cgroup/memory/a: 1000, 410"},
		{"version 1, a container that shows another path", map[string]string{"proc/self/cgroup": "4:hugetlb,memory:/docker/1234\n", v1 + "memory.limit_in_bytes": "200\n", v1 + "memory.usage_in_bytes": "10\n"},
			"sys/fs/cgroup/memory: 200, 190"},
	} {
		root := system(t, c.files)
		var got []string
		for _, g := range cgroups(root) {
			_, dir, _ := strings.Cut(g.name, root+"/")
			got = append(got, fmt.Sprintf("%s: %d, %d", dir, g.limit, g.left()))
			g.close()
		}
		if is := strings.Join(got, "; "); is != c.want {
			t.Errorf("%s: got %q, want %q", c.what, is, c.want)
		}
	}
}

// A watch takes no memory: it would wait for the garbage collector, just when memory runs out.
func TestWatchTakesNoMemory(t *testing.T) {
	index, err := NewAnonymousFile()
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	root := system(t, map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "900000000\n", "sys/fs/cgroup/a/memory.current": "100\n",
		"sys/fs/cgroup/a/memory.stat": "inactive_file 10\nactive_file 10\n"})
	w := &watch{free: Room{math.MaxInt64, "the test"}, index: index, status: openGauge(processStatus), groups: cgroups(root)}
	defer w.close()
	if len(w.groups) != 1 {
		t.Fatalf("%d cgroups, want 1", len(w.groups))
	}
	if allocations := testing.AllocsPerRun(100, func() { w.look() }); allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// A process that takes more than is free is told once, with what it took; one that takes less is not. A file in memory
// counts.
func TestWatch(t *testing.T) {
	const much = 64 << 20
	index, err := NewAnonymousFile()
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	exhausted := make(chan int64, 10)
	megabyte := make([]byte, 1<<20) // one, as garbage would count
	debug.FreeOSMemory()            // that of other tests would be missing later
	stop := Watch(Room{much, "the test"}, index, func(took int64, room Room) { exhausted <- took })
	defer stop()
	fill := func(size int64) {
		if _, err := index.WriteAt(megabyte, size-1<<20); err != nil {
			t.Fatal(err)
		}
	}
	for size := int64(1 << 20); size <= much/2; size += 1 << 20 {
		fill(size)
	}
	time.Sleep(5 * watchEvery)
	if len(exhausted) > 0 {
		t.Fatalf("told with %d of %d bytes", <-exhausted, much)
	}
	for size := int64(much / 2); size <= 2*much; size += 1 << 20 {
		fill(size)
	}
	select {
	case took := <-exhausted:
		if took <= much || took > 4*much {
			t.Errorf("took %d, want more than %d", took, much)
		}
	case <-time.After(time.Minute):
		t.Error("not told")
	}
}

func TestOutOfMemory(t *testing.T) {
	e := &OutOfMemory{"p.csv.gz", " with 40 % of it read", 431 << 20, Room{430 << 20, "the memory limit of 443 MiB"}}
	if got, want := e.Error(), "p.csv.gz: took 431 MiB of memory with 40 % of it read, and 430 MiB are free of the memory limit of 443 MiB: raise the memory limit, or serve fewer pubs"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if free := FreeMemory(); free.Bytes < 1 || free.Bytes == math.MaxInt64 {
		t.Errorf("free: got %v, want what the machine has", free)
	}
}
