package keys

import (
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"
	"pgregory.net/rapid"
)

// anyone is a client for keys without rates per client.
var anyone = netip.MustParsePrefix("192.0.2.1/32")

// client returns one of many addresses.
func client(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 32)
}

// publicKey adds public keys to a file, and returns the set and the last key with its secret.
func publicKey(t testing.TB, path string, entries ...Entry) (s *Set, key *Key, secret string) {
	t.Helper()
	for _, e := range entries {
		e.Public = true
		if err := Add(path, e, func(shown string) error { secret = shown; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	s, _, err := Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	key, ok := s.Check([]byte(secret), time.Now())
	if !ok || !key.IsPublic() {
		t.Fatalf("%s: the key is %v, public %v", secret, ok, key.IsPublic())
	}
	return s, key, secret
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
			ok, wait := c.take(digest{1}, client(who), now, perSecond, 1, false)
			if margin := want - 1; margin > 1e-3 && !ok || margin < -1e-3 && ok {
				t.Fatalf("client %d: got %v with %v tokens left", who, ok, want)
			}
			if ok {
				limiters[who].ReserveN(now, 1)
			} else if again, _ := c.take(digest{1}, client(who), now.Add(wait), perSecond, 1, false); !again {
				t.Fatalf("client %d: rejected again after the wait of %v", who, wait)
			} else {
				limiters[who].ReserveN(now.Add(wait), 1)
				now = now.Add(wait)
			}
		}
	})
}

// Of 20 clients that all send requests as fast as they can, each gets exactly its rate.
func TestTwentyClientsAtTheirLimit(t *testing.T) {
	_, key, _ := publicKey(t, filepath.Join(t.TempDir(), "keys"), Entry{Name: "pages", RatePerClient: 20})
	const clients, seconds = 20, 5
	start := time.Now()
	var passed [clients]int
	for ms := range seconds * 1000 {
		now := start.Add(time.Duration(ms) * time.Millisecond)
		for who := range clients {
			if ok, wait := key.Allow(now, client(who)); ok {
				passed[who]++
			} else if wait != time.Second {
				t.Fatalf("client %d: wait %v, want 1s", who, wait)
			}
		}
	}
	for who, n := range passed {
		if want := 20 + 20*seconds; n < want-1 || n > want {
			t.Errorf("client %d: got %d requests, want %d", who, n, want)
		}
	}
}

// A flood of addresses does not affect a client that stays within its rate.
func TestFloodOfAddresses(t *testing.T) {
	_, key, _ := publicKey(t, filepath.Join(t.TempDir(), "keys"), Entry{Name: "pages", RatePerClient: 20})
	start := time.Now()
	for ms := range 2000 {
		now := start.Add(time.Duration(ms) * time.Millisecond)
		for n := range 200 {
			key.Allow(now, client(1+ms*200+n))
		}
		if ok, _ := key.Allow(now, client(0)); ms%50 == 0 && !ok && ms > 1000 {
			t.Fatalf("after %d ms: rejected", ms)
		}
	}
}

// All addresses of a /48 together have the rate of siteClients clients, and do not affect another /48.
func TestSiteOfManyAddresses(t *testing.T) {
	_, key, _ := publicKey(t, filepath.Join(t.TempDir(), "keys"), Entry{Name: "pages", RatePerClient: 2})
	address := func(site, subnet int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, byte(site >> 8), byte(site), byte(subnet >> 8), byte(subnet)}), 64)
	}
	start, passed := time.Now(), 0
	for ms := range 5000 {
		for n := range 4 {
			if ok, _ := key.Allow(start.Add(time.Duration(ms)*time.Millisecond), address(1, 4*ms+n)); ok {
				passed++
			}
		}
	}
	if want := 2 * siteClients * 6; passed < want-siteClients || passed > want { // a burst of one second, and five more
		t.Errorf("20,000 addresses of a /48: got %d requests, want %d", passed, want)
	}
	if ok, _ := key.Allow(start.Add(5*time.Second), address(2, 1)); !ok {
		t.Error("an address of another /48 is rejected")
	}
	if ok, wait := key.Allow(start.Add(4999*time.Millisecond), address(1, 1)); ok || wait != time.Second {
		t.Errorf("another request from the /48: got %v, %v", ok, wait)
	}
}

// The cost of a response is charged to its client.
func TestClientsAreCharged(t *testing.T) {
	_, key, _ := publicKey(t, filepath.Join(t.TempDir(), "keys"), Entry{Name: "pages", RatePerClient: 20})
	now := time.Now()
	key.Charge(now, client(1), 320)
	if ok, wait := key.Allow(now, client(1)); ok || wait != 16*time.Second {
		t.Errorf("charged: got %v, %v, want a wait of 16s", ok, wait)
	}
	if ok, _ := key.Allow(now, client(2)); !ok {
		t.Error("another client is rejected")
	}
	key.Charge(now, client(3), 1<<40)
	if ok, wait := key.Allow(now, client(3)); ok || wait <= 0 {
		t.Errorf("charged a huge cost: got %v, %v", ok, wait)
	}
	if n := testing.AllocsPerRun(100, func() { key.Allow(now, client(4)) }); n > 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

// Clients of different keys are separate, and a key's overall rate applies in addition to the rate per client.
func TestPublicKeysAreSeparate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	s, second, _ := publicKey(t, path, Entry{Name: "a", RatePerClient: 1}, Entry{Name: "b", RatePerClient: 1, Rate: 2})
	now, passed := time.Now(), 0
	for _, key := range s.keys {
		if key.Allow(now, anyone); key.Name() == "a" {
			if ok, _ := key.Allow(now, anyone); ok {
				t.Error("a: got a second request")
			}
		}
	}
	for who := range 10 {
		if ok, _ := second.Allow(now, client(who)); ok {
			passed++
		}
	}
	if passed != 1 { // the other one was used above
		t.Errorf("b: got %d requests of %d clients, want 1", passed, 10)
	}
}

// Clients keep their state across reloads.
func TestClientsAreInherited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	old, key, secret := publicKey(t, path, Entry{Name: "pages", RatePerClient: 1})
	now := time.Now()
	key.Allow(now, anyone)
	fresh, _, err := Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	fresh.Inherit(old)
	key, _ = fresh.Check([]byte(secret), now)
	if ok, _ := key.Allow(now, anyone); ok {
		t.Error("after a reload: got a second request")
	}
}

// Pages offer the public key that expires last, and none that is revoked, expired or not public.
func TestOffered(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "keys"), time.Now()
	s, _, short := publicKey(t, path, Entry{Name: "short", RatePerClient: 1, Expires: now.Add(time.Hour)})
	if got := s.Offered(now); got != short {
		t.Errorf("one: got %q, want %q", got, short)
	}
	if got := s.Offered(now.Add(2 * time.Hour)); got != "" {
		t.Errorf("expired: got %q", got)
	}
	s, _, long := publicKey(t, path, Entry{Name: "long", RatePerClient: 1})
	if got := s.Offered(now); got != long {
		t.Errorf("two: got %q, want %q", got, long)
	}
	if err := Revoke(path, "long"); err != nil {
		t.Fatal(err)
	}
	if s, _, _ = Load(t.Context(), path); s.Offered(now) != short {
		t.Errorf("one revoked: got %q, want %q", s.Offered(now), short)
	}
	if got := new(Set).Offered(now) + Demo().Offered(now); got != "" {
		t.Errorf("without public keys: got %q", got)
	}
}

func TestAddPublic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	for _, e := range []Entry{{Name: "a", Public: true}, {Name: "a", RatePerClient: 1}, {Name: "a", Public: true, RatePerClient: -1}, {Name: "a", Public: true, RatePerClient: 1e7}} {
		if err := Add(path, e, func(string) error { t.Error("shown"); return nil }); err == nil || !strings.Contains(err.Error(), "rate_per_client") {
			t.Errorf("%+v: got %v", e, err)
		}
	}
}

func TestClientsAtOnce(t *testing.T) {
	c, now := newClients(), time.Now()
	var group sync.WaitGroup
	passed := make([]int, 8)
	for worker := range passed {
		group.Go(func() {
			for n := range 1000 {
				if ok, _ := c.take(digest{1}, client(n%10), now, 5, 1, false); ok {
					passed[worker]++
				}
			}
		})
	}
	group.Wait()
	sum := 0
	for _, n := range passed {
		sum += n
	}
	if sum != 10*5 {
		t.Errorf("got %d requests, want %d", sum, 10*5)
	}
}
