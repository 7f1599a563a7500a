// Package suggest completes what is typed, with names, places and pubs. It reads what is stored, and searches through the
// door of whoever asks.
package suggest

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/match"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/schema"
	"pubd/index/segment"
	"pubd/index/text"
)

// Most is the maximum number of suggestions.
const Most = text.MaxCompletions

// Suggestion is a completion of a text. Its bytes are valid for as long as those of a Result.
type Suggestion struct {
	Kind Kind
	Text []byte // in its most frequent spelling; for a pub, its name and location
	Pubs int    // number of pubs that have the name, are in the place, or have name and location
	// Name and Location are those of a pub, whose location may be missing. UID is set if only one pub has both.
	Name, Location, UID []byte
	// Distance is from the centre to the nearest such pub, or to the middle of a place; NaN without a centre.
	Distance geo.Kilometres
}

// Kind is the kind of a suggestion.
type Kind uint8

// The kinds: a name at any location, a place, and a name at a location.
const (
	Name Kind = iota
	Place
	Pub
)

var kinds = [...]string{"name", "location", "pub"}

// String returns the kind as answers write it.
func (k Kind) String() string { return kinds[k] }

// A Request asks for completions of a text.
type Request struct {
	Segment *segment.Segment
	Text    []byte
	Amount  int
	Circle  *geo.Circle // around where the person is; nil if that is not known
	// Search returns the pubs that a search for a text finds, the most relevant first: only as it stands, if it is strict,
	// and those around the centre of a circle first, unless that is nil.
	Search func(text []byte, strict bool, around *geo.Circle) []uint32
	Pool   *postings.Pool
	Around *geo.Workspace
	Memory *Workspace
}

// Suggestions returns completions, at most Amount and [Most]. The last word may be incomplete. The words "the" and "and" of
// names are ignored, and a last word "a" or "an", the beginning of the latter, where more names begin with the words before
// it; of the suggestions, those that begin with the text as it stands then come first.
//
// Without a circle, names and places that begin with the text come first, ordered by their number of pubs, names
// before places with the same number; but a place comes before names that are the same, and before all if it is the
// whole text and more pubs are in it than called so. If there are any, and two words, or only few of them, other pubs
// that match all words strictly follow, by relevance. If nothing is found, the pubs that a search finds are suggested.
//
// With a circle, of which only the centre matters, the nearest pubs and places are suggested. A pub whose name has the
// words, but does not begin with them, counts as [wordsAside] times as far away; one with a word only in its location,
// as wordsAside² times; and a place of n pubs, as wordsAside/√n times, but it comes first as it does without a circle.
// Pubs and places without coordinates are not suggested. If none is within [nearEnough], places come before pubs, and the
// pubs that a search near the centre finds follow, the nearest first.
//
// The cost is that of finding the pubs of the words, or the nearest of them, or of the search.
func (r Request) Suggestions() []Suggestion {
	m := r.Memory
	m.folded = text.AppendFolded(m.folded[:0], r.Text)
	m.words = m.words[:0].AppendWords(m.folded).WithoutFiller()
	m.title = m.words.AppendTo(m.title[:0])
	g := &suggesting{r, m, min(r.Amount, Most), false}
	if last := len(m.words) - 1; last > 0 && (string(m.words[last]) == "a" || string(m.words[last]) == "an") {
		typed, before := r.Segment.Titles.Terms.PrefixRange(m.title), len(m.title)-len(m.words[last])-1
		if without := r.Segment.Titles.Terms.PrefixRange(m.title[:before]); without.High-without.Low > typed.High-typed.Low {
			m.words, m.title, g.half = m.words[:last], m.title[:before], true
		}
	}
	m.shown, m.bytes, m.found = m.shown[:0], m.bytes[:0], m.found[:0]
	if len(m.folded) > 0 && g.most > 0 {
		g.suggest()
	}
	return m.shown
}

const (
	// wordsAside is the factor by which a pub counts as farther away if its name does not begin with the words.
	wordsAside = 4
	// nearEnough is the distance within which a suggestion makes corrections unnecessary.
	nearEnough geo.Kilometres = 25
	// minCompleted is the minimum number of characters of a single word that other pubs are suggested for: fewer begin too
	// many words.
	minCompleted = 4
)

// suggesting is a request for suggestions in progress.
type suggesting struct {
	Request
	m    *Workspace
	most int
	half bool // whether a last word is ignored that begins "and"
}

// Workspace is the working memory of suggestions. The zero value is ready to use.
type Workspace struct {
	folded, title []byte
	term          []byte // of a place
	words         text.Phrase
	places        places.Workspace
	completions   []uint32
	found         []suggested
	operands      []postings.Set // of an intersection
	pending       []postings.Set // of a union
	items         []topk.Item
	named         []postings.Set
	shown         []Suggestion
	bytes         []byte // texts of the suggestions
}

// suggested is a suggestion as the number of a title, a place or a pub.
type suggested struct {
	kind Kind
	id   uint32
	pubs uint32
	key  float64 // with a circle, the squared chord from its centre times the square of its factor
}

func (g *suggesting) suggest() {
	m := g.m
	if g.Circle != nil {
		near := g.Circle.WithRadius(nearEnough)
		g.nearby()
		byKey := func(a, b suggested) int { return cmp.Compare(a.key, b.key) }
		slices.SortStableFunc(m.found, byKey)
		isNear := func(f suggested) bool { return near.Contains(g.placeOf(f)) }
		if begun := len(m.found); !slices.ContainsFunc(m.found, isNear) {
			slices.SortStableFunc(m.found, func(a, b suggested) int {
				return topk.One(b.kind == Place) - topk.One(a.kind == Place)
			})
			if begun < g.most {
				g.search()
				slices.SortStableFunc(m.found[begun:], byKey)
			}
		}
		g.putPlacesFirst()
		m.found = g.withoutRepeated(m.found)
	} else {
		g.begin()
		if n := len(m.found); n > 0 && n < g.most && (len(m.words) > 1 || n < match.Few && utf8.RuneCount(m.title) >= minCompleted) {
			g.complete()
		}
		if len(m.found) == 0 {
			g.search()
			m.found = g.withoutRepeated(m.found)
		}
	}
	for _, f := range m.found[:min(len(m.found), g.most)] {
		g.show(f)
	}
	if g.half {
		slices.SortStableFunc(m.shown, func(a, b Suggestion) int { return topk.One(m.begin(&b)) - topk.One(m.begin(&a)) })
	}
}

// begin reports whether a suggestion begins with the text as it stands.
func (m *Workspace) begin(shown *Suggestion) bool {
	m.term = text.AppendFolded(m.term[:0], shown.Text)
	the := []byte("the ")
	return bytes.HasPrefix(bytes.TrimPrefix(m.term, the), bytes.TrimPrefix(m.folded, the))
}

// search finds what a search for the text finds first.
func (g *suggesting) search() {
	m := g.m
	var everywhere *geo.Circle
	if g.Circle != nil {
		circle := g.Circle.WithRadius(math.MaxFloat64)
		everywhere = &circle
	}
	for _, pub := range g.Search(m.folded, false, everywhere) {
		f := suggested{kind: Pub, id: pub}
		if g.Circle != nil {
			f.key = g.Circle.ChordSquared(g.Segment.Points.Vector(pub))
		}
		m.found = append(m.found, f)
	}
}

// begin finds the names and places that begin with the text.
func (g *suggesting) begin() {
	s, m := g.Segment, g.m
	m.completions = s.Titles.Append(m.completions[:0], m.title)
	names := len(m.completions)
	m.completions = s.Places.AppendSuggestions(m.completions, m.title, &m.places)
	titles, places := m.completions[:names], m.completions[names:]
	for len(titles)+len(places) > 0 {
		if len(places) == 0 || len(titles) > 0 && int(s.Titles.Pubs[titles[0]]) >= s.Places.SuggestedPubs(places[0]) {
			m.found = append(m.found, suggested{kind: Name, id: titles[0], pubs: s.Titles.Pubs[titles[0]]})
			titles = titles[1:]
		} else {
			m.found = append(m.found, suggested{kind: Place, id: places[0]})
			places = places[1:]
		}
	}
	g.putPlacesFirst()
}

// putPlacesFirst puts each place before the names and pubs that are called so, and one that is the whole text, and has
// more pubs than are called so, before all.
func (g *suggesting) putPlacesFirst() {
	s, m := g.Segment, g.m
	for i, place := range m.found {
		if place.kind != Place {
			continue
		}
		m.term = s.Places.AppendSuggested(m.term[:0], place.id)
		at := slices.IndexFunc(m.found[:i], func(other suggested) bool { // compared with few: a search takes longer
			return other.kind == Name && bytes.Equal(s.Titles.Terms.At(other.id), m.term) ||
				other.kind == Pub && bytes.Equal(s.Titles.Terms.At(s.Titles.ByPub[other.id]), m.term)
		})
		if bytes.Equal(m.term, m.title) {
			if title, ok := s.Titles.Terms.Find(m.term); !ok || s.Places.SuggestedPubs(place.id) > int(s.Titles.Pubs[title]) {
				at = 0
			}
		}
		if at >= 0 {
			copy(m.found[at+1:i+1], m.found[at:i])
			m.found[at] = place
		}
	}
}

// complete finds pubs that have all words, except those whose names begin with them.
func (g *suggesting) complete() {
	s, m := g.Segment, g.m
	begins := s.Titles.Terms.PrefixRange(m.title)
	for _, pub := range g.Search(m.folded, true, nil) {
		if title := s.Titles.ByPub[pub]; title < begins.Low || title >= begins.High {
			m.found = append(m.found, suggested{kind: Pub, id: pub})
		}
	}
	m.found = g.withoutRepeated(m.found)
}

// nearby finds the nearest pubs that have all words, and the nearest places that begin with the text.
func (g *suggesting) nearby() {
	s, m := g.Segment, g.m
	operands := m.operands[:0]
	m.named = m.named[:0]
	for i, word := range m.words {
		last := i == len(m.words)-1
		operands = append(operands, s.Terms.Written(&s.Terms.Words.Layer, word, last, &m.pending, g.Pool))
		m.named = append(m.named, s.Terms.Written(&s.Terms.Named, word, last, &m.pending, g.Pool))
	}
	if s.Located.Len() < s.All.Len() {
		operands = append(operands, s.Located)
	}
	m.operands = operands
	pubs := g.Pool.Intersect(operands)
	begins := s.Titles.Terms.PrefixRange(m.title)
	key := func(item topk.Item) float64 { // of the squared chord to a pub
		pub, key := item.ID, item.Key
		if title := s.Titles.ByPub[pub]; begins.Low <= title && title < begins.High {
			return key
		}
		for _, named := range m.named {
			if !named.Has(pub) {
				return key * wordsAside * wordsAside * wordsAside * wordsAside
			}
		}
		return key * wordsAside * wordsAside
	}
	if pubs.Bitmap() == nil {
		m.items = m.items[:0]
		for _, pub := range pubs.IDs() {
			m.items = appendLocated(m.items, key(topk.Item{Key: g.Circle.ChordSquared(s.Points.Vector(pub)), ID: pub}), pub)
		}
		g.addByKey(Pub, len(m.found), func(item topk.Item) float64 { return item.Key })
	} else {
		least := 1.0
		if begins.Low == begins.High {
			least = wordsAside * wordsAside
		}
		g.addAround(pubs, least, key)
	}
	m.items = m.items[:0]
	m.completions = s.Places.AppendBegun(m.completions[:0], m.title, &m.places)
	for i, number := range m.completions {
		if at, ok := s.Places.SuggestedMiddle(number); ok {
			chord := g.Circle.ChordSquared(at.Vector())
			m.items = appendLocated(m.items, wordsAside*wordsAside*chord/float64(s.Places.SuggestedPubs(number)), uint32(i))
		}
	}
	first := len(m.found)
	g.addByKey(Place, first, func(item topk.Item) float64 { return item.Key })
	for i := range m.found[first:] { // which have their ranks by text, the order of those that are equally near
		place := &m.found[first+i]
		place.id = m.completions[place.id]
	}
}

func appendLocated(items []topk.Item, key float64, id uint32) []topk.Item {
	if math.IsNaN(key) {
		return items
	}
	return append(items, topk.Item{Key: key, ID: id})
}

// addAround adds the nearest of many pubs by a key that is at least a multiple of their squared chord: it examines more
// and more of them, until no other one can be nearer.
func (g *suggesting) addAround(pubs postings.Set, least float64, key func(item topk.Item) float64) {
	m, before, everywhere := g.m, len(g.m.found), g.Circle.WithRadius(math.MaxFloat64)
	for n := 8 * g.most; ; n = max(8*n, 2*len(m.items)) {
		n = min(n, pubs.Len())
		hits, _ := g.Segment.Points.WindowAmong(g.Around, &everywhere, pubs.Bitmap(), pubs.Len(), false, 0, n)
		m.items = append(m.items[:0], hits...)
		topk.PartialSort(m.items, n-1, n)
		farthest := m.items[n-1].Key
		g.addByKey(Pub, before, key)
		if len(m.items) == pubs.Len() || len(m.found) == before+g.most && m.found[len(m.found)-1].key <= least*farthest {
			return
		}
	}
}

// addByKey adds the items with the smallest keys, of which their own are lower limits, behind the first suggestions,
// without those that suggest the same. It computes only the keys of items whose limits are small enough.
func (g *suggesting) addByKey(kind Kind, first int, key func(item topk.Item) float64) {
	m := g.m
	inOrder := func(a, b suggested) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) }
	isLate := func(f suggested) bool { return len(m.found) == first+g.most && inOrder(f, m.found[len(m.found)-1]) > 0 }
	topk.PartialSort(m.items, 0, min(4*g.most, len(m.items))) // so that few of the others are small enough
	for _, item := range m.items {
		f := suggested{kind: kind, id: item.ID, key: item.Key}
		if isLate(f) {
			continue
		}
		if f.key = key(item); isLate(f) {
			continue
		}
		if at := slices.IndexFunc(m.found[first:], func(other suggested) bool { return g.isSame(f, other) }); at >= 0 {
			if inOrder(m.found[first+at], f) < 0 {
				continue
			}
			m.found = slices.Delete(m.found, first+at, first+at+1)
		}
		at, _ := slices.BinarySearchFunc(m.found[first:], f, inOrder)
		m.found = slices.Insert(m.found, first+at, f)
		m.found = m.found[:min(len(m.found), first+g.most)]
	}
}

// withoutRepeated removes, in place, suggestions that repeat an earlier one, and all beyond the requested number.
func (g *suggesting) withoutRepeated(found []suggested) []suggested {
	kept := found[:0]
	for _, f := range found {
		if len(kept) == g.most {
			break
		}
		if !slices.ContainsFunc(kept, func(other suggested) bool { return g.isSame(f, other) }) {
			kept = append(kept, f)
		}
	}
	return kept
}

func (g *suggesting) isSame(a, b suggested) bool {
	if a.kind != b.kind {
		return false
	}
	locations := &g.Segment.Facets[schema.Location].ByPub
	return a.id == b.id || a.kind == Pub && locations.At(a.id) == locations.At(b.id) && g.Segment.Names.Number(a.id) == g.Segment.Names.Number(b.id)
}

// show appends a suggestion to the result.
func (g *suggesting) show(f suggested) {
	s, m := g.Segment, g.m
	shown := Suggestion{Kind: f.kind, Pubs: int(f.pubs), Distance: geo.Kilometres(math.NaN())}
	switch f.kind {
	case Name:
		_, name, _ := s.Pubs.Texts(s.Titles.Shown[f.id])
		shown.Text = m.unescaped(name)
	case Place:
		start := len(m.bytes)
		m.bytes = s.Places.AppendShown(m.bytes, f.id)
		shown.Text = m.bytes[start:len(m.bytes):len(m.bytes)]
		shown.Pubs = s.Places.CountInside(f.id, &m.places, g.Pool)
	case Pub:
		uid, name, location := s.Pubs.Texts(f.id)
		shown.Name, shown.Location = m.unescaped(name), m.unescaped(location)
		start := len(m.bytes)
		m.bytes = append(m.bytes, shown.Name...)
		if len(location) > 0 {
			m.bytes = append(append(m.bytes, ", "...), shown.Location...)
		}
		shown.Text = m.bytes[start:len(m.bytes):len(m.bytes)]
		if shown.Pubs = g.namesakesAt(f.id); shown.Pubs == 1 {
			shown.UID = m.unescaped(uid)
		}
	}
	if g.Circle != nil {
		shown.Distance = g.Circle.Distance(g.placeOf(f))
	}
	m.shown = append(m.shown, shown)
}

// placeOf returns the position of a pub, or of the middle of a place; NaN if it is unknown.
func (g *suggesting) placeOf(f suggested) geo.Vector {
	if f.kind == Place {
		at, ok := g.Segment.Places.SuggestedMiddle(f.id)
		if !ok {
			return geo.Point{Lat: math.NaN(), Lng: math.NaN()}.Vector()
		}
		return at.Vector()
	}
	return g.Segment.Points.Vector(f.id)
}

// unescaped returns a text of a pub without escapes, in the memory of the result.
func (m *Workspace) unescaped(escaped []byte) []byte {
	start := len(m.bytes)
	m.bytes = schema.AppendUnescaped(m.bytes, escaped)
	return m.bytes[start:len(m.bytes):len(m.bytes)]
}

// namesakesAt returns the number of pubs with the same folded name and location as a pub.
func (g *suggesting) namesakesAt(pub uint32) (count int) {
	low, high := g.Segment.Names.Around(pub)
	locations := &g.Segment.Facets[schema.Location].ByPub
	own := locations.At(pub)
	for other := low; other < high; other++ {
		if locations.At(other) == own {
			count++
		}
	}
	return count
}
