package httpapi

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/httpapi/keys"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// The secrets of the test keys. limited allows one request per quarter of an hour.
const (
	goodSecret    = "pubd_goodgoodgoodgoodgoodgoodgoodgood"
	revokedSecret = "pubd_revokedrevokedrevokedrevokedrevo"
	expiredSecret = "pubd_expiredexpiredexpiredexpiredexpi"
	limitedSecret = "pubd_limitedlimitedlimitedlimitedlimi"
)

// keyLine returns a line of a key file. more has further members, each with a leading comma.
func keyLine(name, secret, more string) string {
	return fmt.Sprintf(`{"name":%q,"sha256":"%x"%s}`+"\n", name, sha256.Sum256([]byte(secret)), more)
}

func parseKeys(t testing.TB, lines ...string) *keys.Set {
	t.Helper()
	return testkit.Must(keys.Parse("keys", []byte(strings.Join(lines, ""))))(t)
}

func testKeys(t testing.TB) *keys.Set {
	return parseKeys(t,
		keyLine("good", goodSecret, ""),
		keyLine("revoked", revokedSecret, `,"revoked":"2020-01-01T00:00:00Z"`),
		keyLine("expired", expiredSecret, `,"expires":"2020-01-01T00:00:00Z"`),
		keyLine("limited", limitedSecret, `,"rate":0.001`))
}

var nan = math.NaN()

func pub(uid, name, location, trading string, lat, lng float64, category string, ratings schema.Ratings, reviews int64) schema.Pub {
	return schema.Pub{UID: uid, Name: name, Location: location, Trading: trading, Latitude: lat, Longitude: lng, Category: category,
		Ratings: ratings, ReviewCount: reviews}
}

// ratings returns ratings by name. Other metrics have none.
func ratings(beer, atmos, fengshui, service, toilets, total float64) schema.Ratings {
	return schema.Rated(map[schema.Metric]float64{schema.Beer: beer, schema.Atmos: atmos, schema.Fengshui: fengshui, schema.Service: service, schema.Toilets: toilets, schema.Total: total})
}

// everywhere returns the same rating for every metric.
func everywhere(rating float64) (ratings schema.Ratings) {
	for metric := range ratings {
		ratings[metric] = rating
	}
	return ratings
}

// tenPubs returns pubs that cover accents, quotes, nulls, ties, addresses, extra columns, missing coordinates, both
// sides of 180° and ratings of zero. Each call returns new ones, because building a snapshot takes ownership.
func tenPubs() corpus.Directory {
	none := schema.Rated(nil)
	directory := corpus.Directory{CountsReviews: true, Extra: []schema.ExtraColumn{"facet:colour", `=a,"b"`}, Pubs: []schema.Pub{
		pub("u01", "The Red Lion", "Soho", "open", 51.5, -0.1, "Traditional Pub", ratings(8, 7.5, 6, 9, 5.25, 7.15), 12),
		pub("u02", "Red Lion", "Camden", "closed", 51.54, -0.14, "Gastropub", ratings(8, 7.5, nan, 9, 5, 7.15), 3),
		pub("ü-03", "Café Zoë", "Łódź", "open", 51.759, 19.456, "", ratings(nan, nan, nan, nan, nan, 9.25), 1),
		pub(`q"4`, `O'Brien's "Snug" \ Bar`, "St. John's, <NL> & Co", "open", 47.5615, -52.7126, "Sports Bar", ratings(1, 2, 3, 4, 10, 4), 7),
		pub("u05", "King's Head", "", "", nan, nan, "", none, 0),
		pub("u06", "Date Line West", "Taveuni", "open", -16.8, 179.99, "", none, 0),
		pub("u07", "Date Line East", "Taveuni", "open", -16.8, -179.99, "", ratings(3.5, nan, nan, nan, nan, 3.5), 2),
		pub("u08", "The Anchor", "High St", "open", 90, 0, "Hotel Bar", everywhere(0), 3),
		pub("u09", "居酒屋 Blue Bell", "Soho", "open", 51.51, -0.12, "Craft Beer Bar", everywhere(10), 9007199254740993),
		pub("u10", "Bluebell Inn", "Camden", "temporarily_closed", 51.5, -0.1000001, "", none, 5),
	}}
	directory.Pubs[0].Address, directory.Pubs[0].Postcode, directory.Pubs[0].Area = `12 "Upper" Street`, "W1D 3AA", "London"
	for i := schema.ColumnAltNames + 1; i < schema.ColumnCount; i++ { // those that no test depends on
		*schema.Columns[i].Text(&directory.Pubs[0]) = schema.Columns[i].Example
	}
	directory.Pubs[0].Extra = []string{"+44 red", `x\y, "z"`}
	directory.Pubs[1].Postcode, directory.Pubs[6].Extra = "NW1 8AA", []string{"", "=1"}
	return directory
}

var testSource = [32]byte{0x1d, 0xea, 0x10, 0xba, 0x11, 0xad, 0xe5, 0x01}

var testTime = time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)

func build(t testing.TB, directory corpus.Directory) *index.Snapshot {
	return buildFrom(t, directory, testSource)
}

// buildFrom builds a snapshot as if from a file with a SHA-256.
func buildFrom(t testing.TB, directory corpus.Directory, source [32]byte) *index.Snapshot {
	t.Helper()
	return testkit.Must(index.InMemory(directory, index.BuildOptions{Source: source}))(t)
}

// withoutData returns a service with the test keys and three pubs per page by default.
func withoutData(t testing.TB, access AccessLog) (*Service, *testkit.Output) {
	buffer := new(testkit.Output)
	s := New(Config{MaxUnpaged: 3, AccessLog: access, Log: zerolog.New(buffer)})
	s.ArrangeKeys(testKeys(t), Loads{})
	return s, buffer
}

// withData returns a service of ten pubs.
func withData(t testing.TB, access AccessLog) (*Service, *testkit.Output) {
	s, buffer := withoutData(t, access)
	s.Arrange(Arrangement{Served: build(t, tenPubs())})
	return s, buffer
}

// pending returns a service that is waiting for a snapshot.
func pending(t testing.TB, access AccessLog) (*Service, *testkit.Output) {
	s, buffer := withData(t, access)
	s.Arrange(Arrangement{Served: served(s).Snapshot, Pending: []string{"00000000000000aa"}})
	return s, buffer
}

// broken returns a service that panics when it uses its data.
func broken(t testing.TB, access AccessLog) (*Service, *testkit.Output) {
	s, buffer := withoutData(t, access)
	g := s.views.Next(Arrangement{})
	g.Served = &views.View{ID: "broken"}
	s.views.Publish(g)
	return s, buffer
}

// served returns the view that a service serves.
func served(s *Service) *views.View {
	g := s.views.Acquire()
	defer g.Release()
	return g.Served
}

// logLines returns the lines of a log, none for an empty one.
func logLines(log *testkit.Output) []string {
	return strings.Split(log.String(), "\n")[:strings.Count(log.String(), "\n")]
}

// demo returns a service of ten pubs with the demo key and the web pages.
func demo(t testing.TB, access AccessLog) (*Service, *testkit.Output) {
	webPages := testkit.Must(newWebPages(keys.DemoSecret, ""))(t)
	buffer := new(testkit.Output)
	s := New(Config{Demo: true, WebPages: webPages, AccessLog: access, Log: zerolog.New(buffer)})
	s.ArrangeKeys(keys.Demo(), Loads{})
	s.Arrange(Arrangement{Served: build(t, tenPubs())})
	return s, buffer
}
