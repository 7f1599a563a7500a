package request

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

// trusting returns the load balancers in some networks.
func trusting(list ...string) (p Proxies) {
	for _, text := range list {
		p = append(p, netip.MustParsePrefix(text))
	}
	return p
}

func TestProxies(t *testing.T) {
	trusted := trusting("10.0.0.0/8", "192.168.1.1/32", "fd00::/8")
	for _, c := range []struct {
		peer, want string
		forwarded  []string // each with one header on each line
	}{
		{"10.0.0.1", "10.0.0.1", []string{"", "198.51.100.7, unknown", "198.51.100.7,", "fe80::1%eth0", "198.51.100.7:x", "198.51.100.7:", "[2001:db8::7", "[2001:db8::7]x",
			"198.51.100.007", "1\n\x00", strings.Repeat("1", 10_000)}},
		{"10.0.0.1", "198.51.100.7", []string{"198.51.100.7", " 198.51.100.7\t", "198.51.100.7:4711", "[198.51.100.7]:80", "::ffff:198.51.100.7", "203.0.113.9, 198.51.100.7",
			"203.0.113.9\n198.51.100.7", "203.0.113.9, 198.51.100.7, 10.1.2.3", "203.0.113.9, 198.51.100.7\n192.168.1.1,fd00::2"}},
		{"10.0.0.1", "2001:db8::7", []string{"2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:4711"}},
		{"fd12::1", "198.51.100.7", []string{"198.51.100.7"}},
		{"10.0.0.1", "10.0.0.2", []string{"10.0.0.2, 10.0.0.3"}}, // the client is in a trusted network
		{"10.0.0.1", "10.9.9.9", []string{"198.51.100.7, unknown, 10.9.9.9"}},
		{"10.0.0.1", "10.0.0.2", []string{"198.51.100.7," + strings.Repeat("10.0.0.2,", 1000) + "10.0.0.2"}}, // after maxHops
		{"198.51.100.7", "198.51.100.7", []string{"203.0.113.9"}},                                            // not a proxy
		{"192.168.1.2", "192.168.1.2", []string{"203.0.113.9"}},
	} {
		for _, lines := range c.forwarded {
			testkit.Equal(t, c.peer+" forwards "+lines, trusted.client(netip.MustParseAddr(c.peer), bytes.Split([]byte(lines), []byte("\n"))).String(), c.want)
		}
	}
	testkit.Equal(t, "10.0.0.1 forwards nothing", trusted.client(netip.MustParseAddr("10.0.0.1"), nil).String(), "10.0.0.1")
	testkit.Equal(t, "without proxies", Proxies(nil).client(netip.MustParseAddr("10.0.0.1"), [][]byte{[]byte("203.0.113.9")}).String(), "10.0.0.1")
}

// The client's address is the one that the proxy appended, whatever the client sent.
func TestClientsCannotForgeTheirAddress(t *testing.T) {
	trusted := trusting("10.0.0.0/8")
	proxy, client := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("198.51.100.7")
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.SampledFrom([]string{"10.0.0.2", "203.0.113.9", ",", ", ", "::1", "unknown", "[", "]", ":", "%", "\""}), rapid.String())
		lines := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(piece, 0, 6), func(pieces []string) string { return strings.Join(pieces, "") }), 0, 4).Draw(t, "lines")
		separate := append(slices.Clone(lines), client.String())
		joined := slices.Clone(separate)
		if n := len(lines); n > 0 {
			joined = append(joined[:n-1], lines[n-1]+", "+client.String())
		}
		for _, forwarded := range [][]string{separate, joined} {
			var values [][]byte
			for _, line := range forwarded {
				values = append(values, []byte(line))
			}
			got := trusted.client(proxy, values)
			testkit.StopIf(t, got != client, "%q: got %v", forwarded, got)
		}
	})
}

func TestProxiesDoNotAllocate(t *testing.T) {
	trusted, proxy := trusting("10.0.0.0/8"), netip.MustParseAddr("10.0.0.1")
	values, memory := [][]byte{[]byte("203.0.113.9, 2001:db8::1"), []byte("10.0.0.2")}, make([][]byte, 0, 2)
	n := testing.AllocsPerRun(100, func() {
		memory = append(memory[:0], values...)
		testkit.StopIf(t, trusted.client(proxy, memory) != netip.MustParseAddr("2001:db8::1"), "wrong client")
	})
	testkit.FailIf(t, n > 0, "got %v allocations, want 0", n)
}
