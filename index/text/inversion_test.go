package text

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pubd/index/spool"
)

// When the memory for terms is full, nothing reads the texts any more: their memory may be released.
func TestInvertLeavesTheTexts(t *testing.T) {
	texts := NewTexts(nil)
	for i := range 8 { // each is a segment
		var words strings.Builder
		for word := range 4000 {
			fmt.Fprintf(&words, "%d%d %s ", i, word, strings.Repeat("a", 30))
		}
		texts.Add([]byte(words.String()))
	}
	before := runtime.NumGoroutine()
	for _, workers := range []int{1, 2, 3} {
		invert := func() (err error) {
			defer spool.Catch(&err)
			space := spool.InFolder(filepath.Join(t.TempDir(), "missing"), 0)
			defer space.Close()
			return NewInverter(space).Invert(&texts, 0, 8, workers)
		}
		if err := invert(); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%d workers: got %v", workers, err)
		}
		for late := time.Now().Add(time.Second); runtime.NumGoroutine() > before && time.Now().Before(late); {
			runtime.Gosched() // to those that are about to end
		}
		if left := runtime.NumGoroutine() - before; left > 0 {
			t.Fatalf("%d workers: %d goroutines are left", workers, left)
		}
	}
}
