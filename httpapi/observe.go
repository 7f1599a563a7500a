package httpapi

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"pubd/httpapi/fault"
	"pubd/index"
)

// Observe counts and logs a request, whose response was ready at a time.
func (x *Exchange) Observe(remote net.Addr, ready time.Time) {
	s := x.service
	took := ready.Sub(x.Request.Received)
	if x.tally == nil {
		x.tally = s.answered.shard()
	}
	x.tally.count(&x.summary, x.Response.Status, took)
	if s.config.LogEmpty && x.summary.outcome == nothingFound {
		s.log.Info().Bytes("query", loggedText(x.params.Query.Text)).Msg("nothing found")
	}
	if s.config.AccessLog == LogOff || s.config.AccessLog == "" || s.config.AccessLog == LogErrors && !x.summary.fault.IsSet() {
		return
	}
	body, _ := x.Content()
	log, level := s.log, zerolog.InfoLevel
	if s.config.AccessLog == LogAll {
		log = s.config.Log
	}
	if x.Response.Status >= 500 && x.summary.fault.Row != fault.UnsupportedVersion { // which is the client's fault
		level = zerolog.ErrorLevel
	}
	event := log.WithLevel(level)
	event = event.Bytes("request_id", x.id).Stringer("remote", remote).Str("method", known(x.Request.Method, "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH")).
		Str("path", s.knownPath(x.Request.Path)).Stringer("operation", x.summary.operation).Int("status", x.Response.Status).Int("bytes", len(body)).Int64("us", took.Microseconds())
	if x.Request.address.IsValid() && x.Request.address != x.Request.Peer {
		event = event.Stringer("client", x.Request.address)
	}
	if x.summary.key != nil {
		event = event.Str("key", x.summary.key.Name())
	}
	if x.summary.fault.IsSet() {
		event = event.Str("code", x.summary.fault.Row.Code)
		if x.summary.fault.Row.Named {
			event = event.Str("parameter", x.summary.fault.Parameter)
		}
	}
	event.Msg("request")
}

// logPanic logs the cause of a panic, which is being recovered, with its stack.
func (s *Service) logPanic(id []byte, cause any) {
	event := s.log.Error().Bytes("request_id", id).Str("panic", fmt.Sprint(cause))
	event.Bytes("stack", debug.Stack()).Msg("request failed")
}

// RecordPanic logs a panic that is being recovered and that ends a connection. It counts as a response with status 500
// of no operation, even if the request has been counted. The ID of the request is nil if it is unknown.
func (s *Service) RecordPanic(id []byte, cause any) {
	s.answered.shard().count(&summary{}, fault.Internal.Status, 0)
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

// budgeted returns a logger whose informational lines have a budget, and whose errors have another: what any client can
// cause must not hide them.
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

// longestLogged is the length in bytes of the longest word of a text that is logged: the secret of a key has a longer
// one.
const longestLogged = 31

// loggedText returns the folded words of a text, except for the long ones.
func loggedText(searched []byte) []byte {
	words := bytes.Fields(index.AppendFolded(nil, searched))
	return bytes.Join(slices.DeleteFunc(words, func(word []byte) bool { return len(word) > longestLogged }), []byte{' '})
}

// knownPath returns the path of a request, without a final slash, if it is one of the service, otherwise "other", as
// known does.
func (s *Service) knownPath(path []byte) string {
	switch r, d := s.at(path); {
	case r != nil:
		return r.path
	case d != nil:
		return d.path
	}
	return cmp.Or(pagePath(path), known(path))
}

// known returns a text if it is empty or one of the given ones, otherwise "other": log lines must not contain a key
// that was sent in the wrong place.
func known(text []byte, some ...string) string {
	for _, one := range some {
		if string(text) == one {
			return one
		}
	}
	if len(text) == 0 {
		return ""
	}
	return "other"
}
