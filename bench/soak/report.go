package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"pubd/bench/stage"
)

// A report is what a run writes.
type report struct {
	Machine  stage.Machine
	Attended string // how timed rows were run: a sentence
	Short    bool
	Rows     []result
}

// A result is a line of it.
type result struct{ Name, Stimulus, Passes, N, Figure, Verdict string }

const (
	verdictPassed    = "passed"
	verdictUndecided = "cannot be told here"
	verdictFailed    = "FAILED"
	verdictNotRun    = "not run"
)

// calm is up to which share of the cores' time the host of a machine may keep so that a figure missed is the server's own: a
// tenth of what can make the slowest hundredth slow, since it does not keep it evenly.
const calm = 0.001

func resultOf(r row, o outcome, err error) result {
	line := result{r.name, r.stimulus, r.passes, o.n, o.figure, verdictFailed}
	if r.timed {
		line.Figure += fmt.Sprintf("; the host kept %.1f %% of the cores to itself", 100*o.kept)
	}
	switch {
	case err != nil:
		line.Verdict, line.Figure = verdictNotRun, err.Error()
	case o.passed:
		line.Verdict = verdictPassed
	case o.sound && o.kept >= calm:
		line.Verdict = verdictUndecided
	}
	return line
}

// writeMarkdown writes the report. Rows that were not chosen keep the line that an earlier report has of them, each with
// the commit that it was made at.
func (r *report) writeMarkdown(w io.Writer, earlier string) {
	form := "full forms"
	if r.Short {
		form = "short forms"
	}
	m := r.Machine
	fmt.Fprintf(w, "# pubd under load, faults and bad input\n\n`go run ./bench/soak`, %s. %s, %d cores, Linux %s, %s. %s\n\n",
		form, m.CPU, m.Cores, m.Kernel, m.Go, r.Attended)
	fmt.Fprintln(w, "| | what was done | passes when | n | figure | | commit |\n|---|---|---|--:|---|---|---|")
	lines := map[string]string{}
	for line := range strings.Lines(earlier) {
		if name, _, found := strings.Cut(strings.TrimPrefix(line, "| "), " | "); found {
			lines[name] = line
		}
	}
	for _, result := range r.Rows {
		cells := []string{result.Name, result.Stimulus, result.Passes, result.N, result.Figure, result.Verdict,
			m.Commit + ", " + m.Date.Format(time.DateOnly)}
		for i, cell := range cells {
			cells[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cell)
		}
		lines[result.Name] = "| " + strings.Join(cells, " | ") + " |\n"
	}
	for _, row := range rows {
		fmt.Fprint(w, lines[row.name])
	}
}

// keep writes the report into a file, with the rows of the report that was there.
func (r *report) keep(file string) error {
	earlier, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var text strings.Builder
	r.writeMarkdown(&text, string(earlier))
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
