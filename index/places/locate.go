package places

import (
	"maps"
	"math"
	"slices"
	"strings"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/text"
)

// Row is a row of a gazetteer.
type Row struct {
	Name       string
	At         geo.Point
	Population float64        // 0 if unknown
	Radius     geo.Kilometres // within which pubs are in the place; 0 if unknown
	Aliases    string         // other names, separated by semicolons
}

// Locate adds a gazetteer, finds the centres of all places, and prepares the suggestions. named returns the number of
// pubs that have all words in their names, and local has the words of locations and areas.
func (c *Collected) Locate(
	gazetteer []Row, named func(words text.Phrase) int, local *text.Vocabulary, points *geo.Index,
) {
	c.local, c.points = local, points
	var w Workspace
	var pool postings.Pool
	if len(gazetteer) > 0 {
		c.setNames(namedPlaces(gazetteer))
		var kept []namedPlace
		for i, name := range c.named {
			p := c.namedPlace(i, &w)
			pool.Reset(points.Len())
			name.pubs = uint32(c.Inside(&p, &w, &pool).Len())
			if named(p.Words) <= int(name.pubs) { // others are rather names of pubs
				kept = append(kept, name)
			}
		}
		c.setNames(kept)
	}
	c.suggest(c.findCentres(&w, &pool))
}

// namedPlace returns the place of a name of the gazetteer.
func (c *Collected) namedPlace(i int, w *Workspace) Place {
	p := Place{Words: text.Phrase(nil).AppendWords([]byte(c.named[i].name)), name: uint32(i), isName: true}
	p.phrase, p.isPhrase = c.Phrase(p.Words, w)
	return p
}

// namedPlaces returns the places of a gazetteer by their names: of the rows of a name, those with the largest
// population.
func namedPlaces(rows []Row) []namedPlace {
	all := map[string]*namedPlace{}
	nameOf := func(written string) string {
		return string(phraseOf(text.Phrase(nil).AppendWords(text.AppendFolded(nil, []byte(written)))).AppendTo(nil))
	}
	for _, row := range rows {
		own := nameOf(row.Name)
		add := func(name, written string) {
			p := all[name]
			switch {
			case name == "" || p != nil && row.Population < p.population:
				return
			case p == nil || row.Population > p.population:
				p = &namedPlace{name: name, shown: strings.TrimSpace(written), population: row.Population}
				all[name] = p
			}
			p.at, p.radii = append(p.at, row.At), append(p.radii, row.Radius)
			if name != own && own != "" && !slices.Contains(p.own, own) {
				p.own = append(p.own, own)
			}
		}
		add(own, row.Name)
		for alias := range strings.SplitSeq(row.Aliases, ";") {
			if name := nameOf(alias); name != own {
				add(name, alias)
			}
		}
	}
	var sorted []namedPlace
	for _, name := range slices.Sorted(maps.Keys(all)) {
		sorted = append(sorted, *all[name])
	}
	return sorted
}

// setNames sets the names of the gazetteer, in ascending order.
func (c *Collected) setNames(named []namedPlace) {
	c.named = named
	var names, own [][]byte
	c.at, c.radii, c.starts, c.ownStarts = nil, nil, []uint32{0}, []uint32{0}
	for _, p := range named {
		names = append(names, []byte(p.name))
		for _, name := range p.own {
			own = append(own, []byte(name))
		}
		c.at, c.radii = append(c.at, p.at...), append(c.radii, p.radii...)
		c.starts, c.ownStarts = append(c.starts, uint32(len(c.at))), append(c.ownStarts, uint32(len(own)))
	}
	c.names, c.own = text.NewDictionary(names, true), text.NewDictionary(own, false)
}

// findCentres finds the centres of the names, and of the phrases in whose place are other pubs than those that have
// them. Those of other phrases are known. It returns how many pubs are in each place: phrases, and then names.
func (c *Collected) findCentres(w *Workspace, pool *postings.Pool) (inside []uint32) {
	known, knownCentres := c.centred, c.centres
	c.centred, c.centres = nil, nil
	add := func(number uint32, centre geo.Point) {
		c.centred, c.centres = append(c.centred, number), append(c.centres, centre)
	}
	var values []topk.Item
	measure := func(number uint32, pubs postings.Set, isLone bool) {
		centre, tight := centreOf(pool.List(pubs), c.points.Point, &values)
		if !tight {
			centre = geo.Point{Lat: math.NaN(), Lng: math.NaN()}
		}
		if tight || isLone {
			add(number, centre)
		}
	}
	var words text.Phrase
	for phrase := range uint32(c.phrases.Len()) {
		pool.Reset(c.points.Len())
		words = words[:0].AppendWords(c.phrases.At(phrase))
		having := c.Having(phrase)
		all := c.withWords(words, having, w, pool)
		inside = append(inside, uint32(all.Len()))
		hasKnown := len(known) > 0 && known[0] == phrase
		if all.Len() > having.Len() {
			measure(phrase, all, having.Len() == 1)
		} else if hasKnown {
			add(phrase, knownCentres[0])
		}
		if hasKnown {
			known, knownCentres = known[1:], knownCentres[1:]
		}
	}
	for i := range c.named {
		pool.Reset(c.points.Len())
		p := c.namedPlace(i, w)
		all := c.Inside(&p, w, pool)
		inside = append(inside, uint32(all.Len()))
		measure(uint32(c.phrases.Len()+i), all, false)
	}
	return inside
}
