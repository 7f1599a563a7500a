package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/httpapi/web"
	"pubd/index"
)

const publicSecret = "pubd_publicpublicpublicpublicpublicpu"

// withWebPages returns a service with the web pages, and with a public key of this rate unless it is 0.
func withWebPages(t *testing.T, rate float64) *Service {
	t.Helper()
	webPages := testkit.Must(newWebPages("", ""))(t)
	s := New(Config{MaxUnpaged: 1000, WebPages: webPages, TrustedProxies: networks("127.0.0.0/8")})
	s.Arrange(Arrangement{Served: build(t, tenPubs())})
	installPublicKey(t, s, rate)
	return s
}

func installPublicKey(t *testing.T, s *Service, rate float64) {
	t.Helper()
	lines := []string{keyLine("good", goodSecret, "")}
	if rate > 0 {
		lines = append(lines, keyLine("pages", publicSecret, fmt.Sprintf(`,"public":%q,"rate_per_client":%v`, publicSecret, rate)))
	}
	s.ArrangeKeys(parseKeys(t, lines...), Loads{})
}

// A visitor gets a key from the settings of the pages and uses it. A reload of the keys changes the settings and their
// ETag.
func TestWebPagesOfferThePublicKey(t *testing.T) {
	s := withWebPages(t, 20)
	addr := listen(t, s)
	offered := func() (key, etag string) {
		got := send(t, addr, request11("GET", "/explorer/settings.json"))
		var settings struct{ Key, Tiles string }
		if err := json.Unmarshal([]byte(got.body), &settings); err != nil || got.status != 200 || !strings.HasPrefix(settings.Tiles, "https://tile") {
			t.Fatalf("settings: got %d %s, %v", got.status, got.body, err)
		}
		return settings.Key, got.header.Get("ETag")
	}
	key, first := offered()
	testkit.Equal(t, "key", key, publicSecret)
	testkit.Equal(t, "a visitor's search", send(t, addr, request11("GET", "/api/v1/pubs/?search=lion", "x-api-key: "+key)).status, 200)
	testkit.Equal(t, "without the key", send(t, addr, request11("GET", "/api/v1/pubs/?search=lion")).status, 401)
	installPublicKey(t, s, 0)
	if key, etag := offered(); key != "" || etag == first {
		t.Errorf("after a reload without it: got %q, ETag %s", key, etag)
	}
	testkit.Equal(t, "revoked", send(t, addr, request11("GET", "/api/v1/pubs/?search=lion", "x-api-key: "+key)).status, 403)
}

// Pages offer no key that has expired, although the keys have not been loaded again.
func TestWebPagesWithdrawTheExpiredKey(t *testing.T) {
	s, now := withWebPages(t, 0), time.Now()
	s.ArrangeKeys(parseKeys(t, keyLine("pages", publicSecret, fmt.Sprintf(`,"public":%q,"rate_per_client":20,"expires":%q`,
		publicSecret, now.Add(time.Hour).Format(time.RFC3339)))), Loads{})
	for _, after := range []time.Duration{0, 2 * time.Hour} {
		x := newExchange("")
		x.Request.Path, x.Request.Received = []byte("/explorer/settings.json"), now.Add(after)
		handle(s, x)
		body := x.Response.Body
		testkit.Equal(t, fmt.Sprint("offered after ", after), bytes.Contains(body, []byte(publicSecret)), after == 0)
	}
}

// An unreadableMap is web pages that fail to read a snapshot, as when its file was cut short while it was mapped.
type unreadableMap struct{ web.Pages }

func (u unreadableMap) Files(key string, served *index.Snapshot) []web.File {
	if served != nil {
		panic("cannot be read")
	}
	return u.Pages.Files(key, nil)
}

// If the pages cannot read the snapshot, the keys are arranged all the same, and offered.
func TestKeysAreArrangedWithoutSnapshot(t *testing.T) {
	log := new(testkit.Output)
	s := New(Config{WebPages: unreadableMap{testkit.Must(newWebPages("", ""))(t)}, Log: zerolog.New(log)})
	for range 2 {
		s.Arrange(Arrangement{Served: build(t, tenPubs())})
		installPublicKey(t, s, 0)
		installPublicKey(t, s, 20)
	}
	testkit.Contains(t, "settings", send(t, listen(t, s), request11("GET", "/explorer/settings.json")).body, publicSecret)
	testkit.Contains(t, "log", log.String(), "snapshot unusable")
}

// The map of the world follows the snapshot being served: it is that of the box of its pubs, in whole degrees.
func TestWorldFollowsTheSnapshot(t *testing.T) {
	s := New(Config{WebPages: testkit.Must(newWebPages("", ""))(t)})
	addr := listen(t, s)
	read := func() (box string, etag string) {
		t.Helper()
		got := send(t, addr, request11("GET", "/explorer/world.json"))
		var world struct{ Box [4]float64 }
		err := json.Unmarshal([]byte(got.body), &world)
		testkit.StopIf(t, err != nil || got.status != 200, "got %d %s, %v", got.status, got.body, err)
		return fmt.Sprint(world.Box), got.header.Get("ETag")
	}
	_, etag := read()
	testkit.Equal(t, "without data", send(t, addr, request11("GET", "/explorer/world.json")).body, "{}")
	at := func(lat, lng float64) *index.Snapshot {
		directory := tenPubs()
		for i := range directory.Pubs {
			directory.Pubs[i].Latitude, directory.Pubs[i].Longitude = lat, lng
		}
		return build(t, directory)
	}
	for _, c := range []struct {
		name     string
		snapshot *index.Snapshot
		want     string
		changes  bool
	}{
		{"Bermuda", at(32.3, -64.8), "[-71 26 -58 39]", true},
		{"elsewhere in Bermuda", at(32.2, -64.9), "[-71 26 -58 39]", false},
		{"nowhere", at(nan, nan), "[-180 -85 180 85]", true},
	} {
		s.Arrange(Arrangement{Served: c.snapshot})
		box, now := read()
		testkit.Equal(t, c.name, box, c.want)
		testkit.Equal(t, c.name+" changes the ETag", now != etag, c.changes)
		etag = now
		testkit.Equal(t, c.name+" again", send(t, addr, request11("GET", "/explorer/world.json", "If-None-Match: "+etag)).status, 304)
	}
	packed := send(t, addr, request11("GET", "/explorer/world.json", "Accept-Encoding: gzip"))
	testkit.Equal(t, "packed", packed.header.Get("Content-Encoding"), "gzip")
	testkit.FailIf(t, len(packed.body) > 600_000, "got %d bytes", len(packed.body))
}

// A request with a public key demands as a visitor.
func TestVisitorsDemandAsVisitors(t *testing.T) {
	s := withWebPages(t, 20)
	for secret, want := range map[string]bool{publicSecret: true, goodSecret: false} {
		x := newExchange("search=lion")
		x.service, x.Request.Keys = s, [][]byte{[]byte(secret)}
		x.Handle(waiting(func(d Demand) { testkit.Equal(t, d.Key+" is public", d.Visitor, want) }))
		testkit.Equal(t, "asked", x.Response.Status, 503)
	}
}

// visit sends 30 searches of a visitor behind a proxy that forwards these addresses, and returns the statuses of their
// responses.
func visit(t *testing.T, addr string, forwarded func(n int) string) string {
	var sent strings.Builder
	for n := range 30 {
		sent.WriteString(request11("GET", "/api/v1/pubs/?search=lion", "x-api-key: "+publicSecret, "X-Forwarded-For: "+forwarded(n)))
	}
	return statusesOf(answers(t, converse(t, addr, sent.String(), true)))
}

var firstOnly = "200" + strings.Repeat(" 429", 29)

// Behind a load balancer, each visitor has a rate of its own, however many requests the others send. Forged addresses
// do not help a client.
func TestVisitorsHaveSeparateRates(t *testing.T) {
	s := withWebPages(t, 0.001) // one request per client in this test
	addr := listen(t, s)
	var group sync.WaitGroup
	for who := range 20 {
		group.Go(func() {
			got := visit(t, addr, func(n int) string { return fmt.Sprintf("203.0.113.%d, 2001:db8:0:%x::%x", n, who, n) })
			testkit.Equal(t, fmt.Sprint("visitor ", who), got, firstOnly)
		})
	}
	group.Wait()
	testkit.Equal(t, "another key", send(t, addr, get("search=lion")).status, 200)
}
