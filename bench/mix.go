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
	path string
}

// Pubs is the path of the pubs.
const Pubs = "/api/v1/pubs/"

// Path returns the path of the requests.
func (c Class) Path() string {
	if c.path == "" {
		return Pubs
	}
	return c.path
}

// Classes are the classes of the comparison with nginx, in the order in which they are reported.
var Classes = []Class{
	{Name: "lookup", draw: (*Mix).lookup},
	{Name: "search by a pub's name", draw: (*Mix).name},
	{Name: "search by name and town", draw: (*Mix).nameAndTown},
	{Name: "prefixes of 1–4 letters", draw: (*Mix).prefix},
	{Name: "a word, with sort, order, rated, deeper pages", draw: (*Mix).sorted},
	{Name: "search=*, any page up to 2,000, by name or total", draw: (*Mix).all},
	{Name: "within 2 km", draw: (*Mix).near},
	{Name: "within 20 km, amount 20", draw: (*Mix).around},
	{Name: "a word within 20 km, unpaged", draw: (*Mix).wordAround},
}

// MoreClasses are what else people ask for, down to each step by which a query is relaxed.
var MoreClasses = []Class{
	{Name: "several words in any order", draw: (*Mix).words},
	{Name: "a letter, any page", draw: (*Mix).deep},
	{Name: "within 0.1 km", draw: func(m *Mix) url.Values { return m.circle(0.1) }},
	{Name: "within 100 km, unpaged", draw: func(m *Mix) url.Values { return m.circle(100) }},
	{Name: "within 1,000 km, any page", draw: (*Mix).farAway},
	{Name: "within 1,000 km, by total", draw: (*Mix).bestAround},
	{Name: "a word within 100 km, by total", draw: (*Mix).bestWordAround},
	{Name: "a typo", draw: (*Mix).typo},
	{Name: "two words written together", draw: (*Mix).joined},
	{Name: "inside of a word", draw: (*Mix).infix},
	{Name: "a name and a word too many", draw: (*Mix).partial},
	{Name: "words of no pub", draw: (*Mix).unknown},
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

// Draw returns the query string of one request of a class.
func (m *Mix) Draw(class Class) string { return class.draw(m).Encode() }

func (m *Mix) pub() index.Pub { return m.pubs[m.rng.IntN(len(m.pubs))] }

// word returns a word of some pub's name: one that many pubs have comes as often as it stands in names.
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

// prefix returns what somebody has typed so far of a name.
func (m *Mix) prefix() url.Values {
	name := []rune(m.pub().Name)
	return url.Values{"search": {string(name[:min(len(name), 1+m.rng.IntN(4))])}}
}

func (m *Mix) sorted() url.Values {
	query := url.Values{
		"search": {m.word()},
		"sort":   {index.Sort(m.rng.IntN(int(index.SortTotal) + 1)).String()},
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

// words returns what somebody remembers of a pub.
func (m *Mix) words() url.Values {
	pub := m.pub()
	words := strings.Fields(pub.Name + " " + pub.Location)
	m.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return url.Values{"search": {strings.Join(words, " ")}}
}

func (m *Mix) deep() url.Values {
	letter := []rune(m.word())[:1]
	return url.Values{"search": {string(letter)}, "page": {m.page(200)}}
}

// page returns one of the first pages, deep as a crawler goes.
func (m *Mix) page(most int) string { return strconv.Itoa(1 + m.rng.IntN(most)) }

func (m *Mix) farAway() url.Values {
	query := m.circle(1000)
	query.Set("page", m.page(200))
	query.Set("amount", "20")
	return query
}

func (m *Mix) bestAround() url.Values { return best(m.circle(1000)) }

func (m *Mix) bestWordAround() url.Values {
	query := best(m.circle(100))
	query.Set("search", m.word())
	return query
}

// best asks for the first page of the best.
func best(query url.Values) url.Values {
	query.Set("sort", "total")
	query.Set("order", "desc")
	query.Set("amount", "20")
	return query
}

// longName returns the words of a name, and the place of one that has a minimum of characters.
func (m *Mix) longName(characters int) (words []string, place int) {
	for {
		words = strings.Fields(m.pub().Name)
		place = m.rng.IntN(len(words))
		if len([]rune(words[place])) >= characters {
			return words, place
		}
	}
}

// typo has two neighbouring letters of a name in the wrong order.
func (m *Mix) typo() url.Values {
	words, place := m.longName(5)
	letters := []rune(words[place])
	at := 1 + m.rng.IntN(len(letters)-2)
	letters[at], letters[at+1] = letters[at+1], letters[at]
	words[place] = string(letters)
	return url.Values{"search": {strings.Join(words, " ")}}
}

func (m *Mix) joined() url.Values {
	for {
		if words := strings.Fields(m.pub().Name); len(words) > 1 {
			at := m.rng.IntN(len(words) - 1)
			words[at] += words[at+1]
			return url.Values{"search": {strings.Join(append(words[:at+1], words[at+2:]...), " ")}}
		}
	}
}

func (m *Mix) infix() url.Values {
	words, place := m.longName(6)
	letters := []rune(words[place])
	return url.Values{"search": {string(letters[1 : len(letters)-1])}}
}

func (m *Mix) partial() url.Values {
	return url.Values{"search": {m.pub().Name + " " + m.nonsense()}}
}

func (m *Mix) unknown() url.Values {
	return url.Values{"search": {m.nonsense() + " " + m.nonsense() + " " + m.nonsense()}}
}

// nonsense returns a word that hardly stands in any name.
func (m *Mix) nonsense() string {
	word := make([]byte, 6+m.rng.IntN(5))
	for i := range word {
		word[i] = 'a' + byte(m.rng.IntN(26))
	}
	return string(word)
}
