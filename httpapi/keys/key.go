package keys

import (
	"cmp"
	"math"
	"time"

	"golang.org/x/time/rate"
)

// A Key is one secret of a Set. Secrets with the same name are one client's, and share its rate. It is safe for
// concurrent use.
type Key struct {
	name    string
	label   int
	limiter *rate.Limiter // nil: unlimited
	// until is from when the key is rejected, in microseconds since 1970: 0 if it is revoked, the maximum if it never
	// expires.
	until uint64
	// For a public key: the requests per second of each client, and the clients.
	perClient float64
	clients   *clients
}

func newKey(r *record, clients *clients) *Key {
	e := &r.Entry
	k := &Key{name: e.Name, until: math.MaxUint64}
	switch {
	case !e.Revoked.IsZero():
		k.until = 0
	case !e.Expires.IsZero():
		k.until = uint64(e.Expires.UnixMicro())
	}
	if e.Public {
		k.perClient, k.clients = e.RatePerClient, clients
	}
	if e.Rate > 0 {
		k.limiter = rate.NewLimiter(rate.Limit(e.Rate), int(math.Ceil(e.Rate)))
	}
	return k
}

// Name returns the name of the key in logs: 1 to 64 printable characters without spaces. It is not a secret.
func (k *Key) Name() string { return k.name }

// Label returns the place of the key's label among those of its set.
func (k *Key) Label() int { return k.label }

// longestWait keeps the wait of a very low rate inside a time.Duration.
const longestWait = 1 << 31

// IsPublic reports whether anyone may use the key.
func (k *Key) IsPublic() bool { return k.clients != nil }

// Allow takes one request from the rate of the key and, for a public key, from that of the client: the burst is one
// second's worth, at least one. If there is none left, it returns after how long a request will be allowed if no other
// comes first: whole seconds, at least one.
//
// now is time.Now() with its monotonic reading: after a clock is set back, requests would be rejected until it has
// caught up. Allow does not allocate. A key without a rate costs nothing; one with a rate costs a mutex that only its
// requests share.
func (k *Key) Allow(now time.Time, client Client) (ok bool, retryAfter time.Duration) {
	if k.clients != nil {
		if ok, wait := k.clients.take(k.name, client, now, k.perClient, 1, false); !ok {
			return false, time.Duration(min(math.Ceil(wait.Seconds()), longestWait)) * time.Second
		}
	}
	if k.limiter == nil || k.limiter.AllowN(now, 1) {
		return true, 0
	}
	seconds := math.Ceil((1 - k.limiter.TokensAt(now)) / float64(k.limiter.Limit()))
	return false, time.Duration(min(max(seconds, 1), longestWait)) * time.Second
}

// A Quota is what a rate allows in a window of time, and what is left of it.
type Quota struct {
	Name            string // "client" for the rate of each client, "key" for that of all together
	Requests, Left  int
	Window, Renewed time.Duration // rounded up to seconds; Renewed is after how long all is left again
}

// Quota returns the quota of a client of a public key or that of all together, of which less is left; false if the key
// has no rate.
func (k *Key) Quota(now time.Time, client Client) (q Quota, ok bool) {
	if k.clients != nil {
		interval := float64(time.Second) / k.perClient
		_, full := k.clients.takeFrom(k.name, client.Address, now, k.perClient, 1, 0, true)
		q, ok = quotaOf("client", k.perClient), true
		q.Left, q.Renewed = q.Requests-int(math.Ceil(min(float64(full)/interval, float64(q.Requests)))), ceilSeconds(full)
	}
	if k.limiter != nil {
		all, tokens := quotaOf("key", float64(k.limiter.Limit())), k.limiter.TokensAt(now)
		all.Left = int(max(tokens, 0))
		seconds := min((float64(all.Requests)-tokens)/float64(k.limiter.Limit()), longestWait)
		all.Renewed = ceilSeconds(time.Duration(seconds * float64(time.Second)))
		if !ok || all.Left < q.Left {
			q, ok = all, true
		}
	}
	return q, ok
}

// quotaOf returns the quota of a rate a second, whose burst is one second's worth, at least one.
func quotaOf(name string, rate float64) Quota {
	requests := math.Ceil(rate)
	return Quota{Name: name, Requests: int(requests), Window: ceilSeconds(time.Duration(min(requests/rate, longestWait) * float64(time.Second)))}
}

func ceilSeconds(d time.Duration) time.Duration { return (d + time.Second - 1).Truncate(time.Second) }

// Charge takes n more requests from the rates that Allow takes from, for a response that costs more than one. The key
// may go into debt: Allow then rejects requests until that is paid off. It is as cheap, and as safe for concurrent
// use, as Allow.
func (k *Key) Charge(now time.Time, client Client, n int) {
	if k.clients != nil && n > 0 {
		k.clients.take(k.name, client, now, k.perClient, n, true)
	}
	if k.limiter == nil {
		return
	}
	for burst := k.limiter.Burst(); n > 0; n -= burst {
		k.limiter.ReserveN(now, min(n, burst))
	}
}

// An allowance is what all secrets of a name with a rate share.
type allowance struct {
	name string
	rate rate.Limit
}

// limiters are those of the names and rates of a set.
type limiters map[allowance]*rate.Limiter

// share gives the keys of a name with a rate one limiter: that of before, if there is one.
func (s *Set) share(before limiters) {
	s.limiters = limiters{}
	for _, key := range s.keys {
		if key.limiter == nil {
			continue
		}
		of := allowance{key.name, key.limiter.Limit()}
		s.limiters[of] = cmp.Or(s.limiters[of], before[of], key.limiter)
		key.limiter = s.limiters[of]
	}
}
