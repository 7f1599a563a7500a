package main

import (
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"
)

// logLines is how many log lines wait for a slow reader before the oldest are dropped.
const logLines = 4096

// A logSink writes log lines without ever making a request wait: what a blocked or full output does not take is
// dropped and counted.
type logSink struct {
	zerolog.Logger
	close   func() error
	dropped prometheus.Counter
}

// newLogSink logs as JSON lines, or in colour on a terminal.
func newLogSink(w io.Writer) *logSink {
	s := &logSink{dropped: prometheus.NewCounter(prometheus.CounterOpts{Name: "pubd_log_lines_dropped_total",
		Help: "Log lines dropped because the log was not read or not written fast enough."})}
	if isTerminal(w) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly}
	}
	queue := diode.NewWriter(countingWriter{w, s.dropped}, logLines, 0, func(missed int) { s.dropped.Add(float64(missed)) })
	s.close = queue.Close
	s.Logger = zerolog.New(queue).With().Timestamp().Logger()
	return s
}

// countingWriter counts the lines that could not be written, such as to a full disk.
type countingWriter struct {
	io.Writer
	lost prometheus.Counter
}

// Write implements io.Writer. It never fails, as nobody is left to tell.
func (w countingWriter) Write(line []byte) (int, error) {
	if _, err := w.Writer.Write(line); err != nil {
		w.lost.Inc()
	}
	return len(line), nil
}
