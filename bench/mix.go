package bench

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"

	"pubd/index"
)

// A Class is a kind of request that is measured by itself.
type Class struct {
	// Name says what the requests ask for, such as "within 2 km".
	Name string
	draw func(m *Mix) url.Values
}

// Classes are the classes of the comparison with nginx, in the order in which they are reported.
var Classes = []Class{
	{"lookup", (*Mix).lookup},
	{"search by a pub's name", (*Mix).name},
	{"search by name and town", (*Mix).nameAndTown},
	{"prefixes of 1–4 letters", (*Mix).prefix},
	{"a word, with sort, order, rated, deeper pages", (*Mix).sorted},
	{"search=*, any page up to 2,000, by name or total", (*Mix).all},
	{"within 2 km", (*Mix).near},
	{"within 20 km, amount 20", (*Mix).around},
	{"a word within 20 km, unpaged", (*Mix).wordAround},
}

// A Mix draws requests about a directory: the same directory and seed give the same requests.
type Mix struct {
	pubs    []index.Pub
	located []index.Pub
	rng     *rand.Rand
}

// NewMix makes a mix. It keeps the pubs, which must not change; at least one must have coordinates.
func NewMix(pubs []index.Pub, seed uint64) *Mix {
	m := &Mix{pubs: pubs, rng: rand.New(rand.NewPCG(seed, 0))}
	for _, pub := range pubs {
		if pub.Latitude == pub.Latitude {
			m.located = append(m.located, pub)
		}
	}
	return m
}

// Draw gives the query string of one request of a class.
func (m *Mix) Draw(class Class) string { return class.draw(m).Encode() }

func (m *Mix) pub() index.Pub { return m.pubs[m.rng.IntN(len(m.pubs))] }

// word is a word of some pub's name: one that many pubs have comes as often as it stands in names.
func (m *Mix) word() string {
	words := strings.Fields(m.pub().Name)
	return words[m.rng.IntN(len(words))]
}

func (m *Mix) lookup() url.Values { return url.Values{"pubid": {m.pub().UID}} }

func (m *Mix) name() url.Values { return url.Values{"search": {m.pub().Name}} }

func (m *Mix) nameAndTown() url.Values {
	pub := m.pub()
	return url.Values{"search": {strings.TrimSpace(pub.Name + " " + pub.Location)}}
}

// prefix is what somebody has typed so far of a name.
func (m *Mix) prefix() url.Values {
	name := []rune(m.pub().Name)
	return url.Values{"search": {string(name[:min(len(name), 1+m.rng.IntN(4))])}}
}

func (m *Mix) sorted() url.Values {
	query := url.Values{
		"search": {m.word()},
		"sort":   {index.Sort(m.rng.IntN(int(index.SortDistance))).String()},
		"order":  {[]string{"asc", "desc"}[m.rng.IntN(2)]},
		"page":   {strconv.Itoa(1 + m.rng.IntN(5))},
	}
	if m.rng.IntN(2) == 0 {
		query.Set("rated", "true")
	}
	return query
}

func (m *Mix) all() url.Values {
	pages := min(2000, (len(m.pubs)+19)/20)
	return url.Values{
		"search": {"*"},
		"page":   {strconv.Itoa(1 + m.rng.IntN(pages))},
		"sort":   {[]string{"name", "total"}[m.rng.IntN(2)]},
	}
}

// circle is around a point some hundred metres from a pub, as people are.
func (m *Mix) circle(kilometres float64) url.Values {
	pub := m.located[m.rng.IntN(len(m.located))]
	aside := func(degrees float64) string {
		return strconv.FormatFloat(degrees+(m.rng.Float64()-0.5)/100, 'f', 5, 64)
	}
	return url.Values{"lat": {aside(pub.Latitude)}, "lng": {aside(pub.Longitude)}, "distance": {fmt.Sprint(kilometres)}, "search": {"*"}}
}

func (m *Mix) near() url.Values { return m.circle(2) }

func (m *Mix) around() url.Values {
	query := m.circle(20)
	query.Set("amount", "20")
	return query
}

func (m *Mix) wordAround() url.Values {
	query := m.circle(20)
	query.Set("search", m.word())
	return query
}
