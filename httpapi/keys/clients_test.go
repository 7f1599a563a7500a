package keys

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"
	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

// anyone is a client for keys without rates per client.
var anyone = ClientAt(netip.MustParseAddr("192.0.2.1"))

// client returns one of many addresses.
func client(n int) Client {
	return ClientAt(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}))
}

// publicKey adds public keys to a file, and returns the set and the last key with its secret.
func publicKey(t testing.TB, path string, entries ...Entry) (s *Set, key *Key, secret string) {
	t.Helper()
	for _, e := range entries {
		e.Public = true
		secret = testkit.Must(add(path, e))(t)
	}
	s = mustLoad(t, path)
	key, _ = s.Check([]byte(secret), time.Now())
	testkit.Equal(t, "public", key.IsPublic(), true)
	return s, key, secret
}

// perClient returns a public key with a rate per client.
func perClient(t testing.TB, rate float64) *Key {
	t.Helper()
	_, key, _ := publicKey(t, keyFile(t), Entry{Name: "pages", RatePerClient: rate})
	return key
}

func allows(key *Key, now time.Time, who Client) bool {
	allowed, _ := key.Allow(now, who)
	return allowed
}

// Each client has a rate of its own, whatever the others request.
func TestClientsHaveSeparateRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond := rapid.Float64Range(0.01, 1000).Draw(t, "rate")
		c, now := newClients(), time.Now()
		limiters := map[int]*rate.Limiter{}
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, int(2*float64(time.Second)/perSecond)).Draw(t, "pause")))
			who := rapid.IntRange(0, 4).Draw(t, "client")
			if limiters[who] == nil {
				limiters[who] = rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond+0.9999999)))
			}
			want := limiters[who].TokensAt(now)
			taken, wait := c.take("key", client(who), now, perSecond, 1, false)
			margin := want - 1
			testkit.StopIf(t, margin > 1e-3 && !taken || margin < -1e-3 && taken,
				"client %d: got %v with %v tokens left", who, taken, want)
			if !taken {
				now = now.Add(wait)
				again, _ := c.take("key", client(who), now, perSecond, 1, false)
				testkit.StopIf(t, !again, "client %d: rejected again after the wait of %v", who, wait)
			}
			limiters[who].ReserveN(now, 1)
		}
	})
}

// A flood of addresses does not affect a client that stays within its rate.
func TestFloodOfAddresses(t *testing.T) {
	key := perClient(t, 20)
	start := time.Now()
	for ms := range 2000 {
		now := start.Add(time.Duration(ms) * time.Millisecond)
		for n := range 200 {
			key.Allow(now, client(1+ms*200+n))
		}
		allowed := allows(key, now, client(0))
		testkit.StopIf(t, ms%50 == 0 && !allowed && ms > 1000, "after %d ms: rejected", ms)
	}
}

// All addresses of a /48 together have the rate of siteClients clients, and do not affect another /48.
func TestSiteOfManyAddresses(t *testing.T) {
	key := perClient(t, 2)
	address := func(site, subnet int) Client {
		return ClientAt(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, byte(site >> 8), byte(site), byte(subnet >> 8), byte(subnet)}))
	}
	start, passed := time.Now(), 0
	for ms := range 5000 {
		for n := range 4 {
			if allows(key, start.Add(time.Duration(ms)*time.Millisecond), address(1, 4*ms+n)) {
				passed++
			}
		}
	}
	if want := 2 * siteClients * 6; passed < want-siteClients || passed > want { // a burst of one second, and five more
		t.Errorf("20,000 addresses of a /48: got %d requests, want %d", passed, want)
	}
	testkit.Equal(t, "an address of another /48", allows(key, start.Add(5*time.Second), address(2, 1)), true)
	allowed, wait := key.Allow(start.Add(4999*time.Millisecond), address(1, 1))
	testkit.Equal(t, "another request from the /48", allowed, false)
	testkit.Equal(t, "wait of the /48", wait, time.Second)
}

// The cost of a response is charged to its client.
func TestClientsAreCharged(t *testing.T) {
	key := perClient(t, 20)
	now := time.Now()
	key.Charge(now, client(1), 320)
	allowed, wait := key.Allow(now, client(1))
	testkit.FailIf(t, allowed || wait != 16*time.Second, "charged: got %v, %v, want a wait of 16s", allowed, wait)
	testkit.Equal(t, "another client", allows(key, now, client(2)), true)
	key.Charge(now, client(3), 1<<40)
	if allowed, wait := key.Allow(now, client(3)); allowed || wait <= 0 {
		t.Errorf("charged a huge cost: got %v, %v", allowed, wait)
	}
	testkit.Equal(t, "allocations", testing.AllocsPerRun(100, func() { key.Allow(now, client(4)) }), 0)
}

// Clients of different keys are separate, and a key's overall rate applies in addition to the rate per client.
func TestPublicKeysAreSeparate(t *testing.T) {
	s, second, _ := publicKey(t, keyFile(t), Entry{Name: "a", RatePerClient: 1}, Entry{Name: "b", RatePerClient: 1, Rate: 2})
	now, passed := time.Now(), 0
	for _, key := range s.keys {
		if key.Allow(now, anyone); key.Name() == "a" {
			testkit.Equal(t, "a: a second request", allows(key, now, anyone), false)
		}
	}
	for who := range 10 {
		if allows(second, now, client(who)) {
			passed++
		}
	}
	testkit.Equal(t, "b: requests of 10 clients, after the one above", passed, 1)
}

// Clients keep their state across reloads.
func TestClientsAreInherited(t *testing.T) {
	path := keyFile(t)
	old, key, secret := publicKey(t, path, Entry{Name: "pages", RatePerClient: 1})
	now := time.Now()
	key.Allow(now, anyone)
	fresh := mustLoad(t, path)
	fresh.Inherit(old)
	key, _ = fresh.Check([]byte(secret), now)
	testkit.Equal(t, "a second request after a reload", allows(key, now, anyone), false)
}

// Pages offer the public key that expires last, and none that is revoked, expired or not public.
func TestOffered(t *testing.T) {
	path, now := keyFile(t), time.Now()
	s, _, short := publicKey(t, path, Entry{Name: "short", RatePerClient: 1, Expires: now.Add(time.Hour)})
	testkit.Equal(t, "one", s.Offered(now), short)
	testkit.Equal(t, "expired", s.Offered(now.Add(2*time.Hour)), "")
	s, _, long := publicKey(t, path, Entry{Name: "long", RatePerClient: 1})
	testkit.Equal(t, "two", s.Offered(now), long)
	testkit.OK(t, Revoke(path, "long"))
	testkit.Equal(t, "one revoked", mustLoad(t, path).Offered(now), short)
	testkit.Equal(t, "without public keys", new(Set).Offered(now)+Demo().Offered(now), "")
}

func TestAddPublic(t *testing.T) {
	path := keyFile(t)
	for _, e := range []Entry{{Name: "a", Public: true}, {Name: "a", RatePerClient: 1}, {Name: "a", Public: true, RatePerClient: -1}, {Name: "a", Public: true, RatePerClient: 1e7}} {
		secret, err := add(path, e)
		testkit.FailIf(t, secret != "" || err == nil || !strings.Contains(err.Error(), "rate_per_client"),
			"%+v: got %q, %v", e, secret, err)
	}
}

// What is left of a quota is how many requests are allowed at once, and after Renewed it is all again.
func TestQuota(t *testing.T) {
	public := func(each, all float64) *Key {
		_, key, _ := publicKey(t, keyFile(t), Entry{Name: "pages", RatePerClient: each, Rate: all})
		return key
	}
	for name, key := range map[string]*Key{"5": limited(5), "2.5": limited(2.5), "0.5": limited(0.5), "clients 5": public(5, 0), "clients 1.5": public(1.5, 0),
		"clients 5 of 2": public(5, 2), "clients 2 of 5": public(2, 5)} {
		for range 9 {
			q, ok := key.Quota(noon, anyone)
			testkit.Equal(t, name+": has a quota", ok, true)
			testkit.Equal(t, fmt.Sprint(name, ": a request is allowed with ", q.Left, " left"), allows(key, noon, anyone), q.Left > 0)
		}
		q, _ := key.Quota(noon, anyone)
		later, _ := key.Quota(noon.Add(q.Renewed), anyone)
		testkit.Equal(t, name+": left after it is renewed", later.Left, later.Requests)
	}
	_, ok := limited(0).Quota(noon, anyone)
	testkit.Equal(t, "a key without a rate has a quota", ok, false)
}
