package serve

import (
	"bytes"
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"pubd/cmd/pubd/cli"
)

// logLines is how many log lines are buffered for a slow reader before further ones are dropped.
const logLines = 4096

// A logSink writes log lines without ever blocking a request: if the output blocks or is full, lines are dropped and
// counted.
type logSink struct {
	zerolog.Logger
	queue   chan logEntry
	dropped prometheus.Counter
}

// A logEntry is a line, or a request to be told when all lines before it are written.
type logEntry struct {
	line    []byte
	written chan struct{}
}

// newLogSink logs JSON lines, or coloured text on a terminal.
func newLogSink(w io.Writer) *logSink {
	if cli.IsTerminal(w) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly}
	}
	return newSink(w)
}

// newSink writes what it is given, whole lines, as it is.
func newSink(w io.Writer) *logSink {
	s := &logSink{
		queue: make(chan logEntry, logLines),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{Name: "pubd_log_lines_dropped_total",
			Help: "Log lines dropped because the log was not written or read fast enough."}),
	}
	s.Logger = zerolog.New(s).With().Timestamp().Logger()
	go func() {
		for entry := range s.queue {
			if entry.written != nil {
				close(entry.written)
			} else if _, err := w.Write(entry.line); err != nil {
				s.dropped.Inc()
			}
		}
	}()
	return s
}

// Write implements io.Writer. It neither blocks nor fails, because there is nobody to tell.
func (s *logSink) Write(line []byte) (int, error) {
	select {
	case s.queue <- logEntry{line: bytes.Clone(line)}:
	default:
		s.dropped.Inc()
	}
	return len(line), nil
}

// flush waits until everything logged so far is written, but not for a reader that does not read.
func (s *logSink) flush() {
	written := make(chan struct{})
	select {
	case s.queue <- logEntry{written: written}:
	default:
		return
	}
	select {
	case <-written:
	case <-time.After(time.Second):
	}
}
