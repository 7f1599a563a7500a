package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"pubd/loader"
)

// A Progress shows that work continues: with a bar on a terminal, once it takes longer than a moment, and otherwise
// with a line from time to time.
type Progress struct {
	done, total atomic.Int64 // total is 0 if unknown
	begun       time.Time
	// Finish ends it and removes the bar. It must be called, and may be called repeatedly.
	Finish func()
}

// How long a person waits before wondering, and a log before it says that nothing is wrong.
const (
	patience     = time.Second
	ReportEvery  = 5 * time.Second
	drawEvery    = 100 * time.Millisecond
	longestLabel = 40 // in characters; a bar must fit on one line of a terminal
)

// NewProgress starts a progress; bytes means that Show counts bytes.
func NewProgress(out io.Writer, label string, bytes bool) *Progress {
	return StartProgress(out, label, bytes, func(state string) { fmt.Fprintf(out, "%s: %s\n", loader.Visible(label), state) })
}

// StartProgress is NewProgress, but without a terminal it calls tell with a state such as "45 %, 10s".
func StartProgress(out io.Writer, label string, bytes bool, tell func(state string)) *Progress {
	label = loader.Visible(label)
	p := &Progress{begun: time.Now()}
	stop, stopped := make(chan struct{}), make(chan struct{})
	p.Finish = sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
	go func() {
		defer close(stopped)
		if IsTerminal(out) {
			p.draw(out, label, bytes, stop)
		} else {
			p.report(tell, stop)
		}
	}()
	return p
}

// Show reports how much of the work is done. It is cheap.
func (p *Progress) Show(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

// Write implements io.Writer: it counts bytes that are done.
func (p *Progress) Write(b []byte) (int, error) {
	p.done.Add(int64(len(b)))
	return len(b), nil
}

// report calls tell with the state from time to time.
func (p *Progress) report(tell func(state string), stop <-chan struct{}) {
	ticker := time.NewTicker(ReportEvery)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			state := time.Since(p.begun).Round(time.Second).String()
			if total := p.total.Load(); total > 0 {
				state = fmt.Sprintf("%d %%, %s", 100*p.done.Load()/total, state)
			}
			tell(state)
		}
	}
}

// draw draws a bar, or a spinner with the elapsed seconds while the total is unknown.
func (p *Progress) draw(out io.Writer, label string, bytes bool, stop <-chan struct{}) {
	if text := []rune(label); len(text) > longestLabel {
		label = "…" + string(text[len(text)-longestLabel+1:])
	}
	bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(label), progressbar.OptionFullWidth(),
		progressbar.OptionUseANSICodes(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetSpinnerChangeInterval(0))
	bar.StartWithoutRender() // its rates count from here
	begin := time.NewTimer(patience)
	defer begin.Stop()
	select {
	case <-stop:
		return
	case <-begin.C:
	}
	ticker := time.NewTicker(drawEvery)
	defer ticker.Stop()
	defer func() { _ = bar.Clear() }()
	counted := false
	for {
		switch total := p.total.Load(); {
		case total == 0:
			_ = bar.RenderBlank()
		case !counted:
			counted = true
			progressbar.OptionShowCount()(bar)
			progressbar.OptionShowBytes(bytes)(bar)
			bar.ChangeMax64(total)
		default:
			_ = bar.Set64(min(p.done.Load(), total-1)) // a full bar would vanish before all is done
		}
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
	}
}

// AboveBar returns a writer of whole lines, such as a log, for a terminal that may show a bar: each line replaces the
// bar, which is drawn again below. Without a terminal it returns w.
func AboveBar(w io.Writer) io.Writer {
	if file, ok := w.(*os.File); ok && IsTerminal(file) {
		return barLine{file}
	}
	return w
}

// A barLine is a terminal whose last line may show a bar.
type barLine struct{ *os.File }

// Write implements io.Writer.
func (l barLine) Write(line []byte) (int, error) {
	if _, err := l.File.Write(append([]byte("\r\x1b[2K"), line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// IsTerminal reports whether what is written to w is shown on a terminal.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}
