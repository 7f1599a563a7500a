package worker

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"pubd/bench/testkit"
)

// Every cgroup of the path counts, in both versions.
func TestCgroupLimit(t *testing.T) {
	const v1, v2 = "sys/fs/cgroup/memory/", "sys/fs/cgroup/"
	for _, c := range []struct {
		what  string
		files map[string]string
		want  int64
	}{
		{"no cgroup", nil, math.MaxInt64},
		{"version 2, no limit", map[string]string{"proc/self/cgroup": "0::/a\n", v2 + "a/memory.max": "max\n"}, math.MaxInt64},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a\n", v2 + "a/memory.max": "1000\n"}, 1000},
		{"version 2, a parent's", map[string]string{"proc/self/cgroup": "0::/a/b/c\n", v2 + "a/b/c/memory.max": "max\n", v2 + "a/memory.max": "900\n"}, 900},
		{"version 2, both", map[string]string{"proc/self/cgroup": "0::/a/b\n", v2 + "a/b/memory.max": "500\n", v2 + "a/memory.max": "900\n"}, 500},
		{"version 2, a container that shows only its own", map[string]string{"proc/self/cgroup": "0::/\n", v2 + "memory.max": "300\n"}, 300},
		{"version 1", map[string]string{"proc/self/cgroup": "5:cpu:/x\n4:memory:/a\n0::/\n", v1 + "a/memory.limit_in_bytes": "1000\n",
			v1 + "x/memory.limit_in_bytes": "10\n", v1 + "memory.limit_in_bytes": "9223372036854771712\n"}, 1000},
		{"version 1, a container that shows another path", map[string]string{"proc/self/cgroup": "4:hugetlb,memory:/docker/1234\n", v1 + "memory.limit_in_bytes": "200\n"}, 200},
	} {
		root := t.TempDir()
		for name, content := range c.files {
			path := filepath.Join(root, name)
			testkit.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
			testkit.OK(t, os.WriteFile(path, []byte(content), 0o600))
		}
		testkit.Equal(t, c.what, cgroupLimit(root), c.want)
	}
	free := FreeMemory()
	testkit.FailIf(t, free.Bytes < 1 || free.Bytes == math.MaxInt64, "free: got %v, want what the machine has", free)
}
