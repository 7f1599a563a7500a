package keys

import (
	"hash/maphash"
	"math"
	"net/netip"
	"sync"
	"time"
)

// A Client is who sends requests, as a path in the tree of clients: its site, then its address. Of IPv6, an address
// stands for its /64, of which a client may use any, and the site is the /48, the most that a provider usually assigns
// to one customer (RFC 6177). An IPv4 address is its own site. Whoever has no IP address is at 0.0.0.0.
type Client struct{ Site, Address netip.Prefix }

// ClientAt returns the client at an address.
func ClientAt(address netip.Addr) Client {
	const siteBits, addressBits = 48, 64
	if !address.IsValid() {
		address = netip.IPv4Unspecified()
	}
	address = address.Unmap()
	if !address.Is6() {
		whole, _ := address.Prefix(address.BitLen())
		return Client{whole, whole}
	}
	site, _ := address.Prefix(siteBits)
	subnet, _ := address.Prefix(addressBits)
	return Client{site, subnet}
}

const (
	// All addresses of a site together have the rate of siteClients clients.
	siteClients = 64

	clientSets = 1 << 13
	clientWays = 8
)

// clients tracks how much of its rate each client of each public key has used. It has a fixed size, 1.1 MB, for 65,536
// clients at a time: beyond that it forgets those that have used least, which then start afresh. So a flood of
// addresses takes no memory, and no rate from other clients. It is safe for concurrent use.
type clients struct {
	seed  maphash.Seed
	start time.Time
	sets  [clientSets]clientSet
}

// A clientSet is a small part of the clients.
type clientSet struct {
	mu sync.Mutex
	// tags identify the clients: a hash of key and address that nobody can choose; 0 means empty.
	tags [clientWays]uint64
	// free is, for each client, the time in nanoseconds since start when it will have its full rate again (the
	// theoretical arrival time of the generic cell rate algorithm).
	free [clientWays]int64
}

func newClients() *clients { return &clients{seed: maphash.MakeSeed(), start: time.Now()} }

// farthest keeps the debt of a client inside a time.Duration.
const farthest = math.MaxInt64 / 4

// take takes n requests from the rate of a client of a key and of its site, if both have room for one within a burst
// of a second, or if debt is allowed. Otherwise it returns how long until there is room; what a full site rejects is
// taken from the client.
func (c *clients) take(key string, client Client, now time.Time, rate float64, n int,
	debt bool) (ok bool, wait time.Duration) {
	ok, wait = c.takeFrom(key, client.Address, now, rate, 1, n, debt)
	if !ok || client.Site == client.Address {
		return ok, wait
	}
	return c.takeFrom(key, client.Site, now, rate, siteClients, n, debt)
}

// takeFrom takes from one address, or from a site of many. If it can, wait is after how long it has its full rate again.
func (c *clients) takeFrom(key string, client netip.Prefix, now time.Time, rate float64, many, n int,
	debt bool) (ok bool, wait time.Duration) {
	tag := maphash.Comparable(c.seed, struct {
		key    string
		client netip.Prefix
	}{key, client}) | 1
	set := &c.sets[tag>>1%clientSets]
	at := int64(now.Sub(c.start))
	interval := float64(time.Second) / rate / float64(many)
	burst := int64(math.Ceil(rate) * float64(many) * interval)
	set.mu.Lock()
	defer set.mu.Unlock()
	way := set.find(tag)
	free := at
	if set.tags[way] == tag {
		free = max(free, set.free[way])
	}
	free += int64(min(float64(n)*interval, farthest))
	if over := free - at - burst; over > 0 && !debt {
		return false, time.Duration(over)
	}
	set.tags[way], set.free[way] = tag, min(free, at+farthest)
	return true, time.Duration(set.free[way] - at)
}

// find returns where a client is, or where it replaces the one that has used least.
func (s *clientSet) find(tag uint64) (way int) {
	for i := range s.tags {
		if s.tags[i] == tag {
			return i
		}
		if s.free[i] < s.free[way] {
			way = i
		}
	}
	return way
}
