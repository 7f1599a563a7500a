package httpapi

import (
	"bytes"
	"cmp"
	"net"
	"slices"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/status"
	"pubd/httpapi/web"
	"pubd/index/text"
)

// Observe counts and logs a request, whose response was ready at a time.
func (x *Exchange) Observe(remote net.Addr, ready time.Time) {
	s := x.service
	took := ready.Sub(x.Request.Received)
	if x.tally == nil {
		x.tally = s.answered.Shard()
	}
	x.tally.Count(&x.summary, x.Response.Status, took)
	if s.config.LogEmpty && x.summary.Outcome == status.NothingFound {
		s.log.Info().Bytes("query", loggedText(x.params.Query.Text)).Msg("nothing found")
	}
	if s.config.AccessLog == LogOff || s.config.AccessLog == LogErrors && !x.summary.Fault.IsSet() {
		return
	}
	isError := x.Response.Status >= 500 && x.summary.Fault.Row != fault.UnsupportedVersion // which is the client's fault
	event := s.requestLine(isError).Bytes("request_id", x.id).Stringer("remote", remote).Str("method", known(x.Request.Method, "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH")).
		Str("path", s.knownPath(x.Request.Path)).Stringer("operation", x.summary.Operation).Int("status", x.Response.Status).Int64("us", took.Microseconds())
	if x.Export == nil { // whose size is not known yet
		event = event.Int("bytes", len(x.Response.Body))
	}
	if x.Request.Address.IsValid() && x.Request.Address != x.Request.Peer {
		event = event.Stringer("client", x.Request.Address)
	}
	if x.summary.Key != nil {
		event = event.Str("key", x.summary.Key.Name())
	}
	if x.summary.Fault.IsSet() {
		event = event.Str("code", x.summary.Fault.Row.Code)
		if row := x.summary.Fault.Row; row.Named && row != fault.UnknownParameter { // whose name may be a key
			event = event.Str("parameter", x.summary.Fault.Parameter)
		}
	}
	event.Msg("request")
}

// longestLogged is the length in bytes of the longest word of a text that is logged: the secret of a key has a longer
// one.
const longestLogged = 31

// loggedText returns the folded words of a text, except for the long ones.
func loggedText(searched []byte) []byte {
	words := bytes.Fields(text.AppendFolded(nil, searched))
	return bytes.Join(slices.DeleteFunc(words, func(word []byte) bool { return len(word) > longestLogged }), []byte{' '})
}

// knownPath returns the path of a request, without a final slash, if it is one of the service, otherwise "other", as
// known does.
func (s *Service) knownPath(path []byte) string {
	switch r, d := s.at(path); {
	case r != nil:
		return r.Path
	case d != nil:
		return d.Path
	}
	return cmp.Or(web.PathOf(path), known(path))
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
