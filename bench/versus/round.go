package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"pubd/bench/stage"
)

// measure puts load on one server after the other, class by class, round by round, and fills the report.
func (m *comparison) measure(ctx context.Context, r *report) error {
	r.Tools = append(r.Tools, "wrk "+stage.VersionOf(m.wrk.program, "-v"))
	for _, contender := range m.contenders {
		r.Contenders, r.Notes = append(r.Contenders, contender.name), append(r.Notes, contender.note)
		if contender.version != "" {
			r.Tools = append(r.Tools, contender.name+" "+contender.version)
		}
	}
	for _, class := range m.classes {
		w := m.workloads[class]
		c := classReport{Name: w.class.Name, Target: w.target, Distinct: w.distinct, BodySize: w.bodySize}
		for _, contender := range m.contenders {
			pubs, err := contender.pubs(ctx, class, w)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", contender.name, c.Name, err)
			}
			c.Pubs = append(c.Pubs, pubs)
		}
		c.Rates, c.Busy = make([][]float64, len(m.contenders)), make([][]float64, len(m.contenders))
		r.Classes = append(r.Classes, c)
	}
	for round := range m.Rounds {
		for i, class := range m.classes {
			c := &r.Classes[i]
			var line strings.Builder
			for j, contender := range m.contenders {
				measured, err := contender.rate(ctx, class, m.workloads[class], m.Seconds)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", contender.name, c.Name, err)
				}
				contender.process.AwaitIdle(ctx)
				c.Rates[j], c.Busy[j] = append(c.Rates[j], measured.rate), append(c.Busy[j], measured.busy)
				if !math.IsNaN(measured.rate) {
					fmt.Fprintf(&line, "  %s %s", contender.name, count(measured.rate))
				}
			}
			fmt.Fprintf(m.log, "round %d of %d, %s:%s\n", round+1, m.Rounds, c.Name, line.String())
		}
	}
	return ctx.Err()
}
