package bench

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"

	"pubd/index/schema"
)

// A Class is a kind of request that is measured separately.
type Class struct {
	// Name describes the requests, such as "within 2 km".
	Name string
	// Reach is the ratio to nginx that the class must reach; 0 is that of most classes.
	Reach float64
	draw  func(m *Mix) url.Values
	path  string
}

// Pubs is the path for pubs, ExportPath that of exports, which are streamed.
const (
	Pubs        = "/api/v1/pubs/"
	ExportPath  = "/api/v1/export"
	suggestPath = "/api/v1/suggest"
	statsPath   = "/api/v1/stats"
)

// Paths are the paths of the API. Pubs is the first.
var Paths = []string{Pubs, suggestPath, statsPath, "/api/v1/points", ExportPath}

// Path returns the path of the requests.
func (c Class) Path() string { return cmp.Or(c.path, Pubs) }

// Classes are the classes of the comparison with nginx, in the order of the report.
var Classes = []Class{
	{Name: "lookup", Reach: 1, draw: func(m *Mix) url.Values { return query("pubid", m.pub().UID) }},
	{Name: "search by a pub's name", Reach: 0.75, draw: func(m *Mix) url.Values { return query("search", m.pub().Name) }},
	{Name: "search by name and town", Reach: 0.85, draw: (*Mix).nameAndTown},
	{Name: "prefixes of 1–4 letters", Reach: 0.65, draw: (*Mix).prefix},
	{Name: "a word, with sort, order, rated, deeper pages", Reach: 0.65, draw: (*Mix).sorted},
	{Name: "search=*, any page up to 2,000, by name or total", Reach: 0.75, draw: (*Mix).all},
	{Name: "within 2 km", Reach: 0.7, draw: func(m *Mix) url.Values { return m.circle(2) }},
	{Name: "within 20 km, amount 20", Reach: 0.6, draw: func(m *Mix) url.Values { return set(m.circle(20), "amount", "20") }},
	{Name: "a word within 20 km, unpaged", Reach: 0.3, draw: func(m *Mix) url.Values { return set(m.circle(20), "search", m.word()) }},
	{Name: "by relevance, half of them near a place", Reach: 0.6, draw: (*Mix).asked},
	{Name: "open=2026-11-28T20:00, a word", Reach: 0.6, draw: func(m *Mix) url.Values { return query("search", m.word(), "open", "2026-11-28T20:00") }},
	{Name: "facets=location,trading,common_category", Reach: 0.2, draw: with("facets", func(*Mix) string { return "location,trading,common_category" })},
}

// MoreClasses are other searches of people, including one for each step by which a query is relaxed.
var MoreClasses = []Class{
	{Name: "several words in any order", draw: (*Mix).words},
	{Name: "a letter, any page", draw: func(m *Mix) url.Values { return query("search", string([]rune(m.word())[:1]), "page", m.upTo(200)) }},
	{Name: "within 0.1 km", draw: func(m *Mix) url.Values { return m.circle(0.1) }},
	{Name: "within 100 km, unpaged", draw: func(m *Mix) url.Values { return m.circle(100) }},
	{Name: "within 1,000 km, any page", draw: func(m *Mix) url.Values { return set(m.circle(1000), "page", m.upTo(200), "amount", "20") }},
	{Name: "within 1,000 km, by total", draw: func(m *Mix) url.Values { return best(m.circle(1000)) }},
	{Name: "a word within 100 km, by total", draw: func(m *Mix) url.Values { return set(best(m.circle(100)), "search", m.word()) }},
	{Name: "a typo", draw: (*Mix).typo},
	{Name: "two words written together", draw: (*Mix).joined},
	{Name: "inside of a word", draw: (*Mix).infix},
	{Name: "a name and a word too many", draw: func(m *Mix) url.Values { return query("search", m.pub().Name+" "+m.nonsense()) }},
	{Name: "words of no pub", draw: func(m *Mix) url.Values { return query("search", m.nonsense()+" "+m.nonsense()+" "+m.nonsense()) }},
	{Name: "by relevance near a place", draw: func(m *Mix) url.Values { return m.near(query("search", m.word(), "sort", "relevance")) }},
	{Name: "pubs near me", draw: func(m *Mix) url.Values { return m.near(query("search", "pubs near me", "sort", "relevance")) }},
	{Name: "best pub", draw: func(*Mix) url.Values { return query("search", "best pub", "sort", "relevance") }},
	{Name: "pubs with garden", draw: func(*Mix) url.Values { return query("search", "pubs with garden", "sort", "relevance") }},
	{Name: "pubs in a town", draw: func(m *Mix) url.Values { return query("search", "pubs in "+m.pub().Location, "sort", "relevance") }},
	{Name: "open=2026-11-28T20:00 near a place", draw: func(m *Mix) url.Values { return set(m.nearest(), "open", "2026-11-28T20:00") }},
}

// query returns parameters, given as names and values.
func query(pairs ...string) url.Values { return set(url.Values{}, pairs...) }

// set sets parameters, given as names and values, and returns the query.
func set(query url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return query
}

// best requests the first page of the best pubs.
func best(query url.Values) url.Values {
	return set(query, "sort", "total", "order", "desc", "amount", "20")
}

// A Mix draws requests about a directory. The same directory and seed give the same requests.
type Mix struct {
	pubs    []schema.Pub
	located []schema.Pub
	rng     *rand.Rand
}

// NewMix returns a mix. It keeps pubs, which must not change; at least one must have coordinates.
func NewMix(pubs []schema.Pub, seed uint64) *Mix {
	m := &Mix{pubs: pubs, rng: rand.New(rand.NewPCG(seed, 0))}
	for _, pub := range pubs {
		if !math.IsNaN(pub.Latitude) {
			m.located = append(m.located, pub)
		}
	}
	return m
}

// Draw returns the query string of one request of a class.
func (m *Mix) Draw(class Class) string { return class.draw(m).Encode() }

func (m *Mix) pub() schema.Pub { return m.pubs[m.rng.IntN(len(m.pubs))] }

// word returns a word of some pub's name. Frequent words are drawn more often.
func (m *Mix) word() string {
	words := strings.Fields(m.pub().Name)
	return words[m.rng.IntN(len(words))]
}

// upTo returns a number from 1 to most.
func (m *Mix) upTo(most int) string { return strconv.Itoa(1 + m.rng.IntN(most)) }

func (m *Mix) nameAndTown() url.Values {
	pub := m.pub()
	return query("search", strings.TrimSpace(pub.Name+" "+pub.Location))
}

// prefix returns the first letters of a name.
func (m *Mix) prefix() url.Values {
	name := []rune(m.pub().Name)
	return query("search", string(name[:min(len(name), 1+m.rng.IntN(4))]))
}

// sortedColumns are the sort keys that the peers have, too.
var sortedColumns = append([]string{schema.SortName.String(), schema.SortLocation.String(), schema.SortReviewCount.String()}, Metrics...)

func (m *Mix) sorted() url.Values {
	q := query("search", m.word(), "sort", m.one(sortedColumns...), "order", []string{"asc", "desc"}[m.rng.IntN(2)], "page", m.upTo(5))
	if m.rng.IntN(2) == 0 {
		q.Set("rated", "true")
	}
	return q
}

func (m *Mix) all() url.Values {
	return query("search", "*", "page", m.upTo(min(2000, (len(m.pubs)+19)/20)), "sort", []string{"name", "total"}[m.rng.IntN(2)])
}

// circle returns a distance search around a point a few hundred metres from a pub.
func (m *Mix) circle(kilometres float64) url.Values {
	pub := m.located[m.rng.IntN(len(m.located))]
	aside := func(degrees float64) string {
		return strconv.FormatFloat(degrees+(m.rng.Float64()-0.5)/100, 'f', 5, 64)
	}
	return query("lat", aside(pub.Latitude), "lng", aside(pub.Longitude), "distance", fmt.Sprint(kilometres), "search", "*")
}

// asked returns a search as the explorer sends it: a name, a name and its town, or a word, by relevance. Half of the time
// it is near a place: a pub with the name as often as any other.
func (m *Mix) asked() url.Values {
	pub := m.located[m.rng.IntN(len(m.located))]
	q := query("search", m.one(pub.Name, strings.TrimSpace(pub.Name+" "+pub.Location), m.word()), "sort", "relevance")
	if m.rng.IntN(2) == 0 {
		at := m.circle(1)
		if m.rng.IntN(2) == 0 {
			at = set(at, "lat", fmt.Sprintf("%.2f", pub.Latitude), "lng", fmt.Sprintf("%.2f", pub.Longitude))
		}
		q.Set("near", at.Get("lat")+","+at.Get("lng"))
	}
	return q
}

// near sets a point near a pub as that of a search.
func (m *Mix) near(q url.Values) url.Values {
	at := m.circle(1)
	return set(q, "near", at.Get("lat")+","+at.Get("lng"))
}

// words returns the words of a name and location in random order.
func (m *Mix) words() url.Values {
	pub := m.pub()
	words := strings.Fields(pub.Name + " " + pub.Location)
	m.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return query("search", strings.Join(words, " "))
}

// longName returns the words of a name, and the index of one that has a minimum of characters.
func (m *Mix) longName(characters int) (words []string, place int) {
	for {
		words = strings.Fields(m.pub().Name)
		place = m.rng.IntN(len(words))
		if len([]rune(words[place])) >= characters {
			return words, place
		}
	}
}

// typo returns a name with two neighbouring letters swapped.
func (m *Mix) typo() url.Values {
	words, place := m.longName(5)
	letters := []rune(words[place])
	at := 1 + m.rng.IntN(len(letters)-2)
	letters[at], letters[at+1] = letters[at+1], letters[at]
	words[place] = string(letters)
	return query("search", strings.Join(words, " "))
}

// joined returns a name without one of its spaces.
func (m *Mix) joined() url.Values {
	for {
		if words := strings.Fields(m.pub().Name); len(words) > 1 {
			at := m.rng.IntN(len(words) - 1)
			words[at] += words[at+1]
			return query("search", strings.Join(append(words[:at+1], words[at+2:]...), " "))
		}
	}
}

// infix returns a word of a name without its first and last letter.
func (m *Mix) infix() url.Values {
	words, place := m.longName(6)
	letters := []rune(words[place])
	return query("search", string(letters[1:len(letters)-1]))
}

// nonsense returns a word that is unlikely to be in any name.
func (m *Mix) nonsense() string {
	word := make([]byte, 6+m.rng.IntN(5))
	for i := range word {
		word[i] = 'a' + byte(m.rng.IntN(26))
	}
	return string(word)
}
