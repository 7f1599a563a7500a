package httpapi

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"pubd/httpapi/fault"
	"pubd/httpapi/status"
)

// A Log receives lines for operators.
type Log = zerolog.Logger

// requestLine begins the log line of a request.
func (s *Service) requestLine(isError bool) *zerolog.Event {
	log, level := s.log, zerolog.InfoLevel
	if s.config.AccessLog == LogAll {
		log = s.config.Log
	}
	if isError {
		level = zerolog.ErrorLevel
	}
	return log.WithLevel(level)
}

// logPanic logs the cause of a panic, which is being recovered, with its stack.
func (s *Service) logPanic(id []byte, cause any) {
	event := s.failures.Error().Bytes("request_id", id).Str("panic", fmt.Sprint(cause))
	event.Bytes("stack", debug.Stack()).Msg("request failed")
}

// RecordPanic logs a panic that is being recovered and that ends a connection. It counts as a response with status 500
// of no operation, even if the request has been counted. The ID of the request is nil if it is unknown.
func (s *Service) RecordPanic(id []byte, cause any) {
	s.answered.Shard().Count(&status.Summary{}, fault.Internal.Status, 0)
	s.logPanic(id, cause)
}

// The budget of a level for the log lines that requests cause: 10 a second in the long run, some 300 MB a day without
// stacks, and 1,000 at once. The number of further ones is logged 5 s after the first. With LogAll, request lines have
// no budget: who turns it on wants each of them, and provides for as many as there are requests.
const (
	linesPerSecond = 10
	linesAtOnce    = 1000
	betweenCounts  = 5 * time.Second
)

// A budget bounds the log lines of a level. It is safe for concurrent use.
type budget struct {
	log        zerolog.Logger
	level      zerolog.Level
	lines      *rate.Limiter
	suppressed atomic.Uint64 // since the log last had their number
}

// budgeted returns a logger whose informational lines have a budget, and whose errors have another. Panics and files that
// cannot be read have a logger of their own: what any client can cause must not hide them.
func budgeted(log zerolog.Logger) zerolog.Logger {
	of := func(level zerolog.Level) zerolog.Sampler {
		return &budget{log: log, level: level, lines: rate.NewLimiter(linesPerSecond, linesAtOnce)}
	}
	return log.Sample(zerolog.LevelSampler{InfoSampler: of(zerolog.InfoLevel), ErrorSampler: of(zerolog.ErrorLevel)})
}

// Sample implements zerolog.Sampler.
func (b *budget) Sample(zerolog.Level) bool {
	if b.lines.Allow() {
		return true
	}
	if b.suppressed.Add(1) == 1 {
		time.AfterFunc(betweenCounts, func() {
			b.log.WithLevel(b.level).Uint64("lines", b.suppressed.Swap(0)).Msg("log lines suppressed")
		})
	}
	return false
}
