package httpapi

import (
	"net/netip"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

func networks(list ...string) (p []netip.Prefix) {
	for _, text := range list {
		p = append(p, netip.MustParsePrefix(text))
	}
	return p
}

// Behind a trusted proxy, the log has the client's address.
func TestClientIsLogged(t *testing.T) {
	for _, c := range []struct {
		trusted []netip.Prefix
		headers []string
		want    string
	}{
		{networks("127.0.0.0/8"), []string{"X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 2001:db8::7"}, `"client":"2001:db8::7"`},
		{networks("127.0.0.0/8"), []string{"X-Forwarded-For: \x1b[31m"}, ""},
		{networks("10.0.0.0/8"), []string{"X-Forwarded-For: 203.0.113.9"}, ""},
		{nil, []string{"X-Forwarded-For: 203.0.113.9"}, ""},
	} {
		s, log := withData(t, LogAll)
		s.config.TrustedProxies = c.trusted
		send(t, listen(t, s), get("pubid=u01", c.headers...))
		line := log.String()
		testkit.FailIf(t, !strings.Contains(line, c.want) || (c.want == "") == strings.Contains(line, `"client"`), "%q: got %s, want %s", c.headers, line, c.want)
	}
}
