package httpapi

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Shares of the budget, where 8 stands for an eighth: the share open to all, and what one key and one address may hold beyond it. The
// address may be that of a load balancer, which stands for many clients.
const (
	openShare    = 8
	keyShare     = 4
	addressShare = 2
	visitorShare = 32 // of one address with a public key, so that no visitor takes what all of them share
)

const (
	// shedInterval is the minimum time between two searches for slow clients, each of which inspects every response in flight.
	shedInterval = 20 * time.Millisecond
	// shedShare limits what a search for slow clients frees beyond what is needed: an eighth of the limit.
	shedShare = 8
)

// A budget bounds the memory of large responses in flight: those whose bytes the server holds until the kernel has taken them. It is safe
// for concurrent use.
//
// A response over the budget is rejected. Beyond the open share, so is one over the share of its key or address. Before that, clients that
// read more slowly than minRate are disconnected, those with the most left to read first. A response is always admitted when nothing else
// is in flight, however large it is.
//
// Most responses are sent at once and cost one addition to held here. Those that clients stall, and those beyond the open share, are
// accounted by key and address.
type budget struct {
	limit int64
	held  atomic.Int64 // bytes

	mu        sync.Mutex             // guards what follows
	answers   map[*delivery]struct{} // those that are accounted
	byKey     map[string]int64
	byAddress map[netip.Prefix]int64
	lastShed  time.Time
	rejected  uint64 // answers
	dropped   uint64 // connections
}

func newBudget(limit int64) *budget {
	return &budget{limit: limit, answers: map[*delivery]struct{}{}, byKey: map[string]int64{}, byAddress: map[netip.Prefix]int64{}}
}

// acquire reports whether it admitted a delivery. An admitted one must be released.
func (b *budget) acquire(d *delivery, now time.Time) bool {
	if b.held.Add(d.size) <= b.limit/openShare {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.hasRoom(d, b.held.Load()-d.size, now) {
		b.held.Add(-d.size)
		return false
	}
	b.account(d)
	return true
}

// stall accounts a delivery whose client does not read it at once.
func (b *budget) stall(d *delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !d.accounted {
		b.account(d)
	}
}

// account adds a delivery to the accounts. The caller holds b.mu.
func (b *budget) account(d *delivery) {
	d.accounted = true
	b.byKey[d.client.key] += d.size
	b.byAddress[d.client.address] += d.size
	b.answers[d] = struct{}{}
}

// release ends an admitted delivery. Only the goroutine of the delivery calls it, as with stall.
func (b *budget) release(d *delivery) {
	if !d.accounted {
		b.held.Add(-d.size)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove(d)
}

// remove takes a delivery out of the accounts if it is still there. The caller holds b.mu.
func (b *budget) remove(d *delivery) {
	if _, ok := b.answers[d]; !ok {
		return
	}
	delete(b.answers, d)
	b.held.Add(-d.size)
	if b.byKey[d.client.key] -= d.size; b.byKey[d.client.key] == 0 {
		delete(b.byKey, d.client.key)
	}
	if b.byAddress[d.client.address] -= d.size; b.byAddress[d.client.address] == 0 {
		delete(b.byAddress, d.client.address)
	}
}

// typicalSize is the assumed size of a large response before it is computed.
const typicalSize = 64 << 10

// expect reports whether a large response to a client is worth computing, that is, whether one of typicalSize would be admitted.
func (b *budget) expect(c client, visitor bool, now time.Time) bool {
	held := b.held.Load()
	if held+typicalSize <= b.limit/openShare {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hasRoom(&delivery{client: c, visitor: visitor, size: typicalSize}, held, now)
}

// hasRoom reports whether a delivery fits in addition to what is held in total, and counts it as rejected if not. The caller holds b.mu.
func (b *budget) hasRoom(d *delivery, held int64, now time.Time) bool {
	key, address, share := d.client.key, d.client.address, int64(addressShare)
	if d.visitor {
		share = visitorShare
	}
	fits := b.fits(held, b.limit, d, now, func(*delivery) bool { return true }) &&
		b.fits(b.byKey[key], b.limit/keyShare, d, now, func(other *delivery) bool { return other.client.key == key }) &&
		b.fits(b.byAddress[address], b.limit/share, d, now, func(other *delivery) bool { return other.client.address == address })
	if !fits {
		b.rejected++
	}
	return fits
}

// fits reports whether a delivery fits within a limit in addition to held, if necessary after disconnecting slow clients among the chosen
// ones. The caller holds b.mu.
func (b *budget) fits(held, limit int64, d *delivery, now time.Time, chosen func(*delivery) bool) bool {
	over := held + d.size - limit
	if held == 0 || over <= 0 {
		return true
	}
	if now.Sub(b.lastShed) < shedInterval {
		return false
	}
	b.lastShed = now
	return b.shed(over+limit/shedShare, now, chosen) >= over
}

// shed disconnects slow clients among the chosen ones until the wanted number of bytes is free, or none is left. It returns how many bytes
// it freed. The caller holds b.mu.
func (b *budget) shed(wanted int64, now time.Time, chosen func(*delivery) bool) (freed int64) {
	var slow []*delivery
	for d := range b.answers {
		if chosen(d) && d.connection.isSlow(now) {
			slow = append(slow, d)
		}
	}
	slices.SortFunc(slow, func(x, y *delivery) int {
		return cmp.Or(cmp.Compare(y.size-y.connection.taken.Load(), x.size-x.connection.taken.Load()),
			cmp.Compare(x.connection.stalled.Load(), y.connection.stalled.Load()))
	})
	for _, d := range slow {
		if freed >= wanted {
			break
		}
		d.connection.abort()
		b.remove(d)
		b.dropped++
		freed += d.size
	}
	return freed
}

// flight is the state of a budget for metrics.
type flight struct {
	held              int64
	rejected, dropped uint64
}

func (b *budget) report() flight {
	b.mu.Lock()
	defer b.mu.Unlock()
	return flight{b.held.Load(), b.rejected, b.dropped}
}
