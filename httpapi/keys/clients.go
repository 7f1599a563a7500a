package keys

import (
	"hash/maphash"
	"math"
	"net/netip"
	"sync"
	"time"
)

// Clients are known by their address: an IPv4 address as a whole, and of an IPv6 address the first 64 bits. Who has a whole site of those, a /48 of IPv6
// addresses, has the rate of siteClients clients altogether.

const (
	siteBits    = 48
	siteClients = 64
)

const (
	clientSets = 1 << 13
	clientWays = 8
)

// clients is how far each client of each public key has used up its rate. It has a fixed size, 1.1 MB, for 65,536 clients at once: of more, those are
// forgotten that have used up least, which are then as fresh as one that never asked. A flood of addresses so costs no memory, and no other client any of
// its rate. It is safe for concurrent use.
type clients struct {
	seed  maphash.Seed
	start time.Time
	sets  [clientSets]clientSet
}

// A clientSet is a small part of the clients.
type clientSet struct {
	mu sync.Mutex
	// tags tell who the clients are: a hash of key and address, which nobody can choose; 0 is none.
	tags [clientWays]uint64
	// free is by client the time, in nanoseconds since start, from which on its rate is as if it had never asked (the theoretical arrival time of the
	// generic cell rate algorithm).
	free [clientWays]int64
}

func newClients() *clients { return &clients{seed: maphash.MakeSeed(), start: time.Now()} }

// farthest keeps the debt of a client inside a time.Duration.
const farthest = math.MaxInt64 / 4

// take takes n requests of a rate from a client of a key and from its site, if there is room for one of them within a burst of a second, or if debt is
// allowed. Otherwise it returns after how long there will be room, and takes nothing from what has none.
func (c *clients) take(key uint64, client netip.Prefix, now time.Time, rate float64, n int, debt bool) (ok bool, wait time.Duration) {
	ok, wait = c.takeFrom(key, client, now, rate, 1, n, debt)
	if !ok || !client.Addr().Is6() || client.Bits() <= siteBits {
		return ok, wait
	}
	site, err := client.Addr().Prefix(siteBits)
	if err != nil {
		return true, 0
	}
	return c.takeFrom(key, site, now, rate, siteClients, n, debt)
}

// takeFrom takes from one client, or from a site of many.
func (c *clients) takeFrom(key uint64, client netip.Prefix, now time.Time, rate float64, many, n int, debt bool) (ok bool, wait time.Duration) {
	tag := maphash.Comparable(c.seed, struct {
		key    uint64
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
	return true, 0
}

// find returns where a client is, or where it takes the place of the one that has used up least.
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
