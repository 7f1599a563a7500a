package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"pubd/bench/stage"
)

// A report is what a run writes.
type report struct {
	Machine stage.Machine
	Short   bool
	Rows    []result
}

// A result is a line of it.
type result struct{ Name, Stimulus, Passes, N, Figure, Verdict string }

const (
	verdictPassed = "passed"
	verdictFailed = "FAILED"
	verdictNotRun = "not run"
)

func resultOf(r row, o outcome, err error) result {
	line := result{r.name, r.stimulus, r.passes, o.n, o.figure, verdictFailed}
	switch {
	case err != nil:
		line.Verdict, line.Figure = verdictNotRun, err.Error()
	case o.passed:
		line.Verdict = verdictPassed
	}
	return line
}

func (r *report) writeMarkdown(w io.Writer) {
	form := "full forms"
	if r.Short {
		form = "short forms"
	}
	m := r.Machine
	fmt.Fprintf(w, "# pubd under load, faults and bad input\n\n`go run ./bench/soak`, %s. %s, %d cores, Linux %s, %s, commit %s, %s.\n\n",
		form, m.CPU, m.Cores, m.Kernel, m.Go, m.Commit, m.Date.Format("2006-01-02"))
	fmt.Fprintln(w, "| | what was done | passes when | n | figure | |\n|---|---|---|--:|---|---|")
	for _, row := range r.Rows {
		cells := []string{row.Name, row.Stimulus, row.Passes, row.N, row.Figure, row.Verdict}
		for i, cell := range cells {
			cells[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cell)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
