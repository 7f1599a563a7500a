package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pubd/bench/testkit"
)

// However much is written, also at once, no sync has much more than a part to write.
func TestSyncInParts(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "pubs.idx"))
	testkit.OK(t, err)
	defer file.Close()
	const size = part + part/2
	content, on := make([]byte, size), (&Clock{Limit: time.Minute}).File(file)
	for what, write := range map[string]func() (int, error){
		"Write":   func() (int, error) { return on.Write(content) },
		"WriteAt": func() (int, error) { return on.WriteAt(content, size) },
	} {
		n, err := write()
		testkit.StopIf(t, n != size || err != nil, "%s: got %d, %v", what, n, err)
		var stat unix.Cachestat_t
		if err := unix.Cachestat(uint(file.Fd()), &unix.CachestatRange{}, &stat, 0); err != nil {
			t.Skip(err)
		}
		most := uint64(part / os.Getpagesize())
		testkit.FailIf(t, stat.Dirty+stat.Writeback > most,
			"%s: %d pages wait to be written, want at most %d", what, stat.Dirty+stat.Writeback, most)
	}
}
