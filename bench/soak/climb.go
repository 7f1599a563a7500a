package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pubd/bench"
	"pubd/bench/stage"
	"pubd/data"
)

// A climb looks for the most expensive requests at one size.
type climb struct {
	pubs  int
	limit time.Duration
	tried int
	found []bench.Expensive // the most expensive first, at most ten
}

// run climbs on a server of its own.
func (cl *climb) run(ctx context.Context, b *bed) error {
	directory, err := bench.Directory(cl.pubs)
	if err != nil {
		return err
	}
	climber := bench.NewClimber(directory.Pubs, 1)
	file := b.path(fmt.Sprintf("climb-%d.csv", cl.pubs))
	var text bytes.Buffer
	if err := data.Generate(&text, cl.pubs, 1, nil); err != nil {
		return err
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		return err
	}
	r, err := b.serve(ctx, filepath.Base(file), file, "--access-log", "off")
	if err != nil {
		return err
	}
	defer r.Stop()
	c := &caller{address: r.api}
	defer c.close()
	cost := func(times int) func(path, query string) time.Duration {
		return func(path, query string) time.Duration {
			took, status, failed := costOf(ctx, r, c, path+"?"+query, times)
			if cl.tried++; failed != nil {
				err = cmp.Or(err, failed)
			}
			if status != http.StatusOK {
				return 0
			}
			return took
		}
	}
	begun := time.Now()
	found := climber.Climb(cost(3), func() bool { return err == nil && time.Since(begun) < b.lasting(2*time.Minute, 2*time.Second) })
	cl.found = found[:min(len(found), 10)]
	for i := range cl.found {
		cl.found[i].CPU = cost(b.times(30, 5))(cl.found[i].Path, cl.found[i].Query)
	}
	slices.SortFunc(cl.found, func(a, b bench.Expensive) int { return cmp.Compare(b.CPU, a.CPU) })
	return err
}

// worstMarkdown is what climbs found, as it is kept.
func worstMarkdown(ctx context.Context, climbs []*climb) string {
	var b strings.Builder
	m := stage.ReadMachine(ctx)
	fmt.Fprintf(&b, "# The most expensive requests\n\n`go run ./bench/soak Q`: hill climbing over all parameters together. %s, %d cores, Linux %s, %s, commit %s, %s. "+
		"The CPU time is that of the server for one request, by the process's clock, the least of 30 times.\n", m.CPU, m.Cores, m.Kernel, m.Go, m.Commit, m.Date.Format(time.DateOnly))
	for _, c := range climbs {
		fmt.Fprintf(&b, "\n## %s pubs: at most %v\n\n%s requests were tried.\n\n| CPU | request |\n|--:|---|\n", grouped(c.pubs), c.limit, grouped(c.tried))
		for _, e := range c.found {
			fmt.Fprintf(&b, "| %s | `%s?%s` |\n", milliseconds(e.CPU), e.Path, e.Query)
		}
	}
	return b.String()
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }
