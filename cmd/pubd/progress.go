package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows a bar on a terminal for work that takes longer than a moment, and nothing elsewhere.
type progress struct {
	out   io.Writer
	label string
	bytes bool
	begun time.Time
	bar   *progressbar.ProgressBar
}

// patience is how long a person waits before wondering.
const patience = time.Second

// newProgress makes a bar; bytes tells whether it counts bytes.
func newProgress(out io.Writer, label string, bytes bool) *progress {
	return &progress{out: out, label: label, bytes: bytes, begun: time.Now()}
}

// show tells how much of the work is done.
func (p *progress) show(done, total int64) {
	if !isTerminal(p.out) || time.Since(p.begun) < patience {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(p.label),
			progressbar.OptionShowBytes(p.bytes), progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	}
	_ = p.bar.Set64(done)
}

// finish removes the bar.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
