package serve

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
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
	for end := time.Now().Add(time.Minute); len(log.queue) > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	log.Info().Msg("stopped")
	log.flush()
	got := strings.Count(taken.String(), `"message":"request"}`+"\n")
	testkit.FailIf(t, dropped == 0 || got+dropped != lines || !strings.HasSuffix(taken.String(), `"message":"stopped"}`+"\n"),
		"%d lines written and %d dropped of %d; ends with %q", got, dropped, lines, taken.String()[max(0, taken.Len()-100):])

	full := newSink(writerFunc(func([]byte) (int, error) { return 0, errors.New("no space left on device") }))
	full.Info().Msg("request")
	full.flush()
	if got := droppedBy(t, full); got != 1 {
		t.Errorf("a full disk dropped %d lines, want 1", got)
	}
}

// droppedBy returns how many lines a sink says it has dropped.
func droppedBy(t *testing.T, log *logSink) int {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(log.dropped)
	families := testkit.Must(registry.Gather())(t)
	return int(families[0].GetMetric()[0].GetCounter().GetValue())
}

// A writerFunc is a function as a writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A server logs its progress if there is no terminal.
func TestProgressOfServer(t *testing.T) {
	var out bytes.Buffer
	log := newLogSink(&out)
	synctest.Test(t, func(t *testing.T) {
		_, finish := loadProgress(cli.Terminal{Err: &out}, log)("building", "pubs.csv", false)
		time.Sleep(6 * time.Second)
		finish()
	})
	log.flush()
	const want = `{"level":"info","data":"pubs.csv","progress":"5s","time":"2000-01-01T00:00:05Z","message":"building"}` + "\n"
	testkit.FailIf(t, out.String() != want, "got %s, want %s", out.String(), want)
}
