package main

import (
	"context"
	"fmt"
	"math"

	"pubd/bench/stage"
)

// A contender is one of the servers that are compared.
type contender struct {
	name, version string
	note          string // what it does instead of what pubd does, for the report
	// rate puts load on the server for some seconds and gives the answers a second; NaN where the server cannot do
	// what the class asks for.
	rate func(ctx context.Context, class int, w *workload, seconds int) (measurement, error)
	// pubs is the mean number of pubs in an answer, over a sample of the requests; NaN where it cannot do what they ask.
	pubs    func(ctx context.Context, class int, w *workload) (float64, error)
	process *stage.Process
}

// A measurement is of one class in one round.
type measurement struct {
	rate float64 // answers a second
	busy float64 // the part of its core that the server used, where it is known
}

var cannot = measurement{math.NaN(), math.NaN()}

// served measures a server with wrk over some connections. File gives the targets.
func served(wrk *wrk, p *stage.Process, address string, connections int, file func(*workload) string) func(context.Context, int, *workload, int) (measurement, error) {
	return func(ctx context.Context, _ int, w *workload, seconds int) (measurement, error) {
		before := stage.ProcessorTime(p.ID())
		load, err := wrk.send(ctx, address, file(w), connections, seconds)
		if err != nil {
			return measurement{}, err
		}
		busy := stage.ProcessorTime(p.ID()) - before
		return measurement{load.rate(), min(1, busy.Seconds()/load.seconds())}, nil
	}
}

func toAPI(w *workload) string { return w.toAPI }

func toFiles(w *workload) string { return w.toFiles }

// uncounted is where nobody knows how many pubs answers have.
func uncounted(context.Context, int, *workload) (float64, error) { return math.NaN(), nil }

// counted is the mean number of pubs in the answers of a server that has pubd's API.
func counted(address, secret string) func(context.Context, int, *workload) (float64, error) {
	return func(ctx context.Context, _ int, w *workload) (float64, error) {
		sum, n := 0, 0
		for i := 0; i < len(w.queries); i += w.sampleStep() {
			body, err := fetch(ctx, "http://"+address+w.class.Path()+"?"+w.queries[i], secret)
			if err != nil {
				return 0, err
			}
			pubs, err := countPubs(body)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", w.queries[i], err)
			}
			sum, n = sum+pubs, n+1
		}
		return float64(sum) / float64(n), nil
	}
}
