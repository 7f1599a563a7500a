package httpapi

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"pubd/httpapi/explorer"
)

const publicSecret = "pubd_publicpublicpublicpublicpublicpu"

// withPages returns a service with the pages, and with a public key of this rate unless it is 0.
func withPages(t *testing.T, rate float64) *Service {
	t.Helper()
	pages, err := explorer.New(explorer.Settings{Tiles: "https://tile.example.org/{z}/{x}/{y}.png"})
	ok(t, err)
	s := New(Config{MaxUnpaged: 1000, Pages: pages, TrustedProxies: networks("127.0.0.0/8")})
	s.Publish(build(t, tenPubs()))
	publishPublic(t, s, rate)
	return s
}

func publishPublic(t *testing.T, s *Service, rate float64) {
	t.Helper()
	lines := []string{keyLine("good", goodSecret, "")}
	if rate > 0 {
		lines = append(lines, keyLine("pages", publicSecret, fmt.Sprintf(`,"public":%q,"rate_per_client":%v`, publicSecret, rate)))
	}
	s.PublishKeys(parseKeys(t, lines...))
}

// A visitor gets a key from the settings of the pages and uses it. A reload of the keys changes the settings and their ETag.
func TestPagesOfferThePublicKey(t *testing.T) {
	s := withPages(t, 20)
	addr := listen(t, s)
	offered := func() (key, etag string) {
		got := ask(t, addr, request11("GET", explorer.SettingsPath))
		var settings struct{ Key, Tiles string }
		if err := json.Unmarshal([]byte(got.body), &settings); err != nil || got.status != 200 || !strings.HasPrefix(settings.Tiles, "https://tile") {
			t.Fatalf("settings: got %d %s, %v", got.status, got.body, err)
		}
		return settings.Key, got.header.Get("ETag")
	}
	key, first := offered()
	if key != publicSecret {
		t.Errorf("key: got %q, want %q", key, publicSecret)
	}
	if got := ask(t, addr, request11("GET", "/api/v1/pubs/?search=lion", "x-api-key: "+key)); got.status != 200 {
		t.Errorf("a visitor's search: got %d %s", got.status, got.body)
	}
	if got := ask(t, addr, request11("GET", "/api/v1/pubs/?search=lion")); got.status != 401 {
		t.Errorf("without the key: got %d, want 401", got.status)
	}
	publishPublic(t, s, 0)
	if key, etag := offered(); key != "" || etag == first {
		t.Errorf("after a reload without it: got %q, ETag %s", key, etag)
	}
	if got := ask(t, addr, request11("GET", "/api/v1/pubs/?search=lion", "x-api-key: "+key)); got.status != 403 {
		t.Errorf("revoked: got %d, want 403", got.status)
	}
}

// Behind a load balancer, each visitor has a rate of its own, however many requests the others send. Forged addresses do not help a client.
func TestVisitorsHaveSeparateRates(t *testing.T) {
	s := withPages(t, 0.001) // one request per client in this test
	addr := listen(t, s)
	const visitors, requests = 20, 30
	passed := make([]int, visitors)
	var group sync.WaitGroup
	for who := range visitors {
		group.Go(func() {
			var sent strings.Builder
			for n := range requests {
				sent.WriteString(request11("GET", "/api/v1/pubs/?search=lion", "x-api-key: "+publicSecret,
					fmt.Sprintf("X-Forwarded-For: 203.0.113.%d, 2001:db8:0:%x::%x", n, who, n)))
			}
			for _, a := range answers(t, converse(t, addr, sent.String(), true)) {
				switch a.status {
				case 200:
					passed[who]++
				case 429:
				default:
					t.Errorf("visitor %d: got %d %s", who, a.status, a.body)
				}
			}
		})
	}
	group.Wait()
	for who, n := range passed {
		if n != 1 {
			t.Errorf("visitor %d: got %d answers of %d, want 1", who, n, requests)
		}
	}
	if got := ask(t, addr, get("search=lion")); got.status != 200 {
		t.Errorf("another key: got %d", got.status)
	}
}

// The addresses that an untrusted peer forwards are ignored: it has one rate, and does not affect others.
func TestUntrustedPeersCannotForgeAddresses(t *testing.T) {
	s := withPages(t, 0.001) // one request per client in this test
	s.config.TrustedProxies = networks("10.0.0.0/8")
	addr := listen(t, s)
	var sent strings.Builder
	for n := range 30 {
		sent.WriteString(request11("GET", "/api/v1/pubs/?search=lion", "x-api-key: "+publicSecret, fmt.Sprintf("X-Forwarded-For: 203.0.113.%d", n)))
	}
	passed := 0
	for _, a := range answers(t, converse(t, addr, sent.String(), true)) {
		if a.status == 200 {
			passed++
		}
	}
	if passed != 1 {
		t.Errorf("30 made-up addresses: got %d answers, want 1 at the rate of the peer", passed)
	}
	key, ok := s.keys.Load().Check([]byte(publicSecret), time.Now())
	if !ok {
		t.Fatal("the public key is rejected")
	}
	for _, address := range []string{"203.0.113.1", "203.0.113.29"} {
		if ok, _ := key.Allow(time.Now(), shareOf(netip.MustParseAddr(address))); !ok {
			t.Errorf("%s, which sent no request, is rejected", address)
		}
	}
}
