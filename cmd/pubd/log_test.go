package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// If nobody takes the log, or it cannot be written, lines are dropped and counted, and nobody waits. It continues with
// whole lines when it is taken again.
func TestLogIsBlocked(t *testing.T) {
	taking := make(chan struct{})
	var taken bytes.Buffer
	log := newSink(writerFunc(func(line []byte) (int, error) {
		<-taking
		return taken.Write(line)
	}))
	const lines = 2 * logLines
	for range lines {
		log.Info().Msg("request")
	}
	log.flush() // does not wait
	dropped := droppedBy(t, log)
	close(taking)
	eventually(t, "a line is taken again", func() bool { return len(log.queue) == 0 })
	log.Info().Msg("stopped")
	log.flush()
	got := strings.Count(taken.String(), `"message":"request"}`+"\n")
	failIf(t, dropped == 0 || got+dropped != lines, "%d lines written and %d dropped of %d", got, dropped, lines)
	failIf(t, !strings.HasSuffix(taken.String(), `"message":"stopped"}`+"\n"), "ends with %.100q", taken.String()[max(0, taken.Len()-100):])

	full := newSink(writerFunc(func([]byte) (int, error) { return 0, errors.New("no space left on device") }))
	full.Info().Msg("request")
	full.flush()
	equal(t, "lines dropped by a full disk", droppedBy(t, full), 1)
}

// droppedBy returns how many lines a sink says it has dropped.
func droppedBy(t *testing.T, log *logSink) int {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(log.dropped)
	families, err := registry.Gather()
	ok(t, err)
	return int(families[0].GetMetric()[0].GetCounter().GetValue())
}

// A writerFunc is a function as a writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
