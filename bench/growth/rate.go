package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"pubd/bench"
)

// A class is what was measured of a class of requests, by size.
type class struct {
	name    string
	rates   []float64       // answers a second, the median of all rounds
	costs   []time.Duration // processor time that the server took for an answer, the median too
	answers []float64       // bytes of a body, on average
}

// rounds are the measurements of a class and size, one a round.
type rounds struct {
	queue
	rates   []float64
	costs   []time.Duration
	answers int
	bytes   int64
}

// measure asks every server for every class, in rounds.
func measure(ctx context.Context, p plan, servers []*server, out io.Writer) ([]class, error) {
	clients := make([]*client, len(servers))
	for i, s := range servers {
		c, err := dial(s.address)
		if err != nil {
			return nil, err
		}
		defer c.close()
		clients[i] = c
	}
	classes := bench.AllClasses()
	measured := make([][]rounds, len(classes))
	for i, class := range classes {
		measured[i] = make([]rounds, len(servers))
		for j, s := range servers {
			for _, query := range s.requests[class.Name] {
				measured[i][j].requests = append(measured[i][j].requests, requestOf(query))
			}
		}
	}
	for round := range p.rounds {
		fmt.Fprintf(out, "round %d of %d\n", round+1, p.rounds)
		for i := range classes {
			for j, s := range servers {
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if err := measured[i][j].add(clients[j], s.cmd.Process.Pid, p.window); err != nil {
					return nil, fmt.Errorf("%s: %w", classes[i].Name, err)
				}
			}
		}
	}
	results := make([]class, len(classes))
	for i := range classes {
		results[i].name = classes[i].Name
		for j := range servers {
			m := &measured[i][j]
			results[i].rates = append(results[i].rates, median(m.rates))
			results[i].costs = append(results[i].costs, median(m.costs))
			results[i].answers = append(results[i].answers, float64(m.bytes)/float64(m.answers))
		}
	}
	return results, nil
}

// add measures one round.
func (r *rounds) add(c *client, pid int, window time.Duration) error {
	before := processorTime(pid)
	l, err := c.send(&r.queue, window)
	if err != nil {
		return err
	}
	r.rates = append(r.rates, float64(l.answers)/l.took.Seconds())
	r.costs = append(r.costs, (processorTime(pid)-before)/time.Duration(l.answers))
	r.answers += l.answers
	r.bytes += l.bytes
	return nil
}

// median is the middle value, the upper one of two.
func median[T float64 | time.Duration](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
