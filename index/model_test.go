package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/hours"
	"pubd/index/ranking"
	"pubd/index/schema"
	"pubd/index/text"
)

// A model answers queries by scanning all pubs. It shares only the folding of text, the lists of words and the
// tables of columns with the engine.
type model struct {
	pubs []modelPub // in the order by name, which numbers them
	// words are the distinct words of all pubs and fields, in ascending order.
	words  []string
	places map[string]*modelPlace
	tells  map[string]bool // the features that any pub has, or denies
	// matched and corrected are caches.
	matched   map[modelKey]modelMatch
	corrected map[modelKey]map[string]int
	// answered counts the answers by rule.
	answered map[string]int
}

// modelPub is a pub with the words by which a query can find it.
type modelPub struct {
	schema.Pub
	row                 int // in the directory
	rated               bool
	titles              []modelTitle
	name, location, all modelTexts // location: and area
	placeWords, codes   []string
	offers              map[string]bool // whether the pub has a feature
	phrases             []string
}

func newModel(directory corpus.Directory) *model {
	rows := map[string]int{}
	for i := range directory.Pubs {
		rows[directory.Pubs[i].UID] = i
	}
	directory.Pubs = slices.Clone(directory.Pubs)
	slices.SortFunc(directory.Pubs, func(a, b schema.Pub) int {
		return cmp.Or(strings.Compare(fold(a.Name), fold(b.Name)), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
	})
	m := &model{places: map[string]*modelPlace{}, tells: map[string]bool{}, matched: map[modelKey]modelMatch{}, corrected: map[modelKey]map[string]int{},
		answered: map[string]int{}}
	for _, pub := range directory.Pubs {
		p := modelPub{Pub: pub, row: rows[pub.UID], titles: titlesOf(&pub), offers: map[string]bool{}}
		m.readFeatures(&p)
		for _, rating := range pub.Ratings {
			p.rated = p.rated || rating == rating && (pub.ReviewCount > 0 || !directory.CountsReviews)
		}
		p.name, p.location = newModelTexts(append(strings.Split(pub.AltNames, ";"), pub.Name, pub.Brand)...), newModelTexts(pub.Location, pub.Area)
		p.name.words = append(p.name.words, brandForms(pub.Brand)...)
		postcode, others := newModelTexts(pub.Postcode), newModelTexts(pub.Address, pub.Category)
		p.all.words = slices.Concat(p.name.words, p.location.words, postcode.words, others.words)
		p.all.joined = slices.Concat(p.name.joined, p.location.joined, postcode.joined)
		m.pubs, m.words = append(m.pubs, p), append(m.words, p.all.words...)
	}
	slices.Sort(m.words)
	m.words = slices.Compact(m.words)
	m.findPlaces(directory.Gazetteer)
	return m
}

func (pub *modelPub) hasPoint() bool { return pub.Latitude == pub.Latitude }

func (pub *modelPub) point() modelPoint { return modelPoint{pub.Latitude, pub.Longitude} }

// modelSet is a set of pubs: whether each is in it.
type modelSet []bool

// whether returns the pubs for which a condition holds.
func (m *model) whether(is func(pub *modelPub) bool) modelSet {
	set := make(modelSet, len(m.pubs))
	for i := range set {
		set[i] = is(&m.pubs[i])
	}
	return set
}

func (s modelSet) and(other modelSet) modelSet {
	return s.merge(other, func(a, b bool) bool { return a && b })
}

func (s modelSet) or(other modelSet) modelSet {
	return s.merge(other, func(a, b bool) bool { return a || b })
}

func (s modelSet) without(other modelSet) modelSet {
	return s.merge(other, func(a, b bool) bool { return a && !b })
}

func (s modelSet) merge(other modelSet, operation func(a, b bool) bool) modelSet {
	merged := make(modelSet, len(s))
	for i := range s {
		merged[i] = operation(s[i], other[i])
	}
	return merged
}

func (s modelSet) count() (n int) {
	for _, is := range s {
		if is {
			n++
		}
	}
	return n
}

// A modelQuery is a query as a client would write it.
type modelQuery struct {
	text             string
	rated, desc      bool
	inCircle         bool // or near
	lat, lng, radius float64
	marker           string
	near             bool
	strict, more     bool
	sort             schema.Sort
	page, amount     int

	values  [schema.FacetCount][]string
	ranges  []Range
	box     *geo.Box
	exclude []string
	weights ranking.Weights

	open, openUnknown bool
	when              hours.Moment
}

func (q *modelQuery) at() modelPoint { return modelPoint{q.lat, q.lng} }

// modelTold is what an answer says of how it was found.
type modelTold struct {
	step, words, corrected, place, larger, unused, features, denied string
	alone                                                           bool
	inside                                                          int
	isFair, isHere                                                  bool
}

type modelAnswer struct {
	uids          []string
	distances     []float64
	total, added  int
	unknown       int // whether they are open
	relaxed, more modelTold
	highlighted   []string // words of the names on the page
	counts        [schema.FacetCount]map[string]int
	spreads       [schema.NumberCount]string // count, least, greatest and mean
}

func (m *model) answer(q modelQuery) (a modelAnswer) {
	keep := m.whether(func(pub *modelPub) bool {
		if q.rated && !pub.rated || !m.passes(pub, q) {
			return false
		}
		return !q.inCircle || (q.marker == "" || fold(pub.Name) != fold(q.marker)) && pub.point().to(q.at()) <= q.radius
	})
	query := withoutStops(strings.Fields(fold(q.text)))
	found := keep
	said, denied := query, modelDenied{}
	if !q.strict && len(query) > 0 {
		query, denied = m.read(m.withChains(query))
	}
	var first, more *modelTry
	if strings.TrimSpace(q.text) != "*" {
		found = make(modelSet, len(m.pubs))
		if len(query) > 0 {
			l := m.newLadder(q, query, keep)
			first, more = l.answers()
			a.relaxed, a.more = l.told(first), l.told(more)
			a.more.unused, a.more.alone, a.more.inside, a.more.isFair = "", false, 0, false
		}
		if a.relaxed.step == "" {
			a.relaxed = modelTold{}
			if first != nil && len(denied.words) > 0 {
				a.relaxed = modelTold{step: "strict", words: strings.Join(query, " ")}
			}
		} else {
			a.relaxed.isHere = first.place == nil && !q.inCircle && haveA(said, text.Here)
		}
		if first != nil {
			a.relaxed.denied = strings.Join(denied.words, " ")
		}
		if first != nil {
			found = first.found
			m.answered[first.rule]++
		}
		if more != nil {
			m.answered["more "+more.rule]++
			found, a.added, a.more.step = found.or(more.found), more.found.count(), cmp.Or(a.more.step, "strict")
		}
	}
	if q.open {
		state := func(pub *modelPub) hours.State { return pub.openAt(&q.when) }
		a.unknown = found.and(m.whether(func(pub *modelPub) bool { return state(pub) == hours.Unknown })).count()
		open := m.whether(func(pub *modelPub) bool {
			return state(pub) == hours.Open || q.openUnknown && state(pub) == hours.Unknown
		})
		found = found.and(open)
		if a.relaxed.alone {
			a.relaxed.inside = found.and(first.place.in).count()
		}
		if more != nil {
			if a.added = more.found.and(open).count(); a.added == 0 {
				a.more = modelTold{}
			}
		}
	}
	var hits []int
	for i, is := range found {
		if is {
			hits = append(hits, i)
		}
	}
	scores := make([]float64, len(m.pubs))
	switch q.sort {
	case schema.SortFair, schema.SortRelevance:
		scores = m.fair()
	case schema.SortWeighted:
		for i := range m.pubs {
			scores[i] = q.weights.Mean(&m.pubs[i].Ratings)
		}
	}
	added := func(i int) int {
		if more != nil && more.found[i] {
			return 1
		}
		return 0
	}
	keys := make([]modelRelevance, len(m.pubs))
	if q.sort == schema.SortRelevance {
		q.desc = true
		for _, i := range hits {
			keys[i] = m.relevance(i, q, query, denied, []*modelTry{first, more}[added(i)])
		}
	}
	if q.sort == schema.SortDistance {
		for _, feature := range m.wishedIn(first, query).features {
			for _, i := range hits {
				keys[i][0] += m.pubs[i].lack(feature, q.when, query)
			}
		}
	}
	slices.SortFunc(hits, func(i, j int) int {
		c := 0
		if q.sort == schema.SortRelevance {
			c = added(i) - added(j)
		}
		for k, key := range keys[i] {
			if math.Abs(key-keys[j][k]) > 1e-9 { // otherwise the same point, as random points are either equal or farther apart
				c = cmp.Or(c, cmp.Compare(key, keys[j][k]))
			}
		}
		return cmp.Or(c, m.compare(i, j, scores, q))
	})
	for column := range a.counts {
		for _, i := range hits {
			for _, value := range m.pubs[i].values(schema.Facet(column)) {
				if a.counts[column] == nil {
					a.counts[column] = map[string]int{}
				}
				a.counts[column][value]++
			}
		}
	}
	for n := range a.spreads {
		var numbers []float64
		for _, i := range hits {
			if number := m.pubs[i].number(schema.Number(n)); number == number {
				numbers = append(numbers, number)
			}
		}
		if len(numbers) > 0 {
			sum := 0.0
			for _, number := range numbers {
				sum += number
			}
			a.spreads[n] = fmt.Sprintf("%d %v %v %.6f", len(numbers), slices.Min(numbers), slices.Max(numbers), sum/float64(len(numbers)))
		}
	}
	a.total = len(hits)
	size := cmp.Or(q.amount, len(hits))
	start := min((max(q.page, 1)-1)*size, len(hits))
	for _, i := range hits[start:min(start+size, len(hits))] {
		a.uids = append(a.uids, m.pubs[i].UID)
		a.highlighted = append(a.highlighted, m.highlightedIn(m.pubs[i].Name, cmp.Or([]*modelTry{first, more}[added(i)], &modelTry{})))
		if q.inCircle {
			a.distances = append(a.distances, m.pubs[i].point().to(q.at()))
		}
	}
	return a
}

// passes reports whether a pub passes the filters.
func (m *model) passes(pub *modelPub, q modelQuery) bool {
	for column, values := range q.values {
		has := func(value string) bool { return slices.Contains(pub.values(schema.Facet(column)), fold(value)) }
		lacks := func(value string) bool { return !pub.offersAny(value) }
		if schema.Facet(column) == schema.Features && slices.ContainsFunc(values, lacks) ||
			schema.Facet(column) != schema.Features && len(values) > 0 && !slices.ContainsFunc(values, has) {
			return false
		}
	}
	for _, r := range q.ranges {
		if value := pub.number(r.Number); !(r.Least <= value && value <= r.Most) {
			return false
		}
	}
	if b := q.box; b != nil {
		inside := b.West <= pub.Longitude && pub.Longitude <= b.East
		if b.West > b.East {
			inside = b.West <= pub.Longitude || pub.Longitude <= b.East
		}
		if math.Abs(pub.Longitude) == 180 {
			inside = inside || b.West == -180 || b.East == 180
		}
		if !inside || !(b.South <= pub.Latitude && pub.Latitude <= b.North) {
			return false
		}
	}
	return !slices.Contains(q.exclude, pub.UID)
}

// fair returns the fair scores.
func (m *model) fair() []float64 {
	var totals []float64
	var reviews []int64
	for _, pub := range m.pubs {
		if total := pub.Ratings[schema.Total]; pub.rated && total == total {
			totals, reviews = append(totals, total), append(reviews, pub.ReviewCount)
		}
	}
	slices.Sort(totals) // the rounding error of the sum depends on the order, but not in the first four decimals
	mean, median := 0.0, 0.0
	for _, total := range totals {
		mean += total / float64(len(totals))
	}
	mean = math.Round(mean*1e4) / 1e4
	if n := len(reviews); n > 0 {
		slices.Sort(reviews)
		median = float64(reviews[n/2])
		if n%2 == 0 {
			median = float64(reviews[n/2-1]+reviews[n/2]) / 2
		}
	}
	scores := make([]float64, len(m.pubs))
	for i, pub := range m.pubs {
		scores[i] = math.NaN()
		if pub.rated {
			v := float64(pub.ReviewCount)
			if scores[i] = pub.Ratings[schema.Total]; v+median > 0 {
				scores[i] = (v*pub.Ratings[schema.Total] + median*mean) / (v + median)
			}
			scores[i] = math.Round(scores[i]*1e4) / 1e4
		}
	}
	return scores
}

// compareDistances compares the distances of two pubs from a point.
func (m *model) compareDistances(i, j int, at modelPoint) int {
	x, y := m.pubs[i].point().to(at), m.pubs[j].point().to(at)
	if math.Abs(x-y) <= 1e-9 { // the same point, as random points are either equal or farther apart
		return 0
	}
	return cmp.Compare(x, y)
}

func (m *model) compare(i, j int, scores []float64, q modelQuery) int {
	a, b := m.pubs[i], m.pubs[j]
	turn := func(c int) int {
		if q.desc {
			return -c
		}
		return c
	}
	text := func(x, y string) int {
		if x == "" || y == "" {
			return cmp.Compare(len(y), len(x)) // at most one is not empty
		}
		return turn(cmp.Or(strings.Compare(fold(x), fold(y)), strings.Compare(x, y)))
	}
	number := func(x, y float64) int {
		switch {
		case x != x && y != y:
			return 0
		case x != x:
			return 1
		case y != y:
			return -1
		}
		return turn(cmp.Compare(x, y))
	}
	var c int
	switch q.sort {
	case schema.SortName:
		c = text(a.Name, b.Name)
	case schema.SortLocation:
		if a.Location != "" || b.Location != "" {
			c = text(a.Location, b.Location)
			if a.Location == "" {
				c = 1
			} else if b.Location == "" {
				c = -1
			}
		}
	case schema.SortDistance:
		c = turn(m.compareDistances(i, j, q.at()))
	case schema.SortFair, schema.SortRelevance, schema.SortWeighted:
		c = number(scores[i], scores[j])
	default:
		if q.sort.Order() != schema.OrderOfNumbers {
			panic(fmt.Sprintf("compare of model_test.go does not know how to sort by %v", q.sort))
		}
		column := &schema.Columns[q.sort.Column()]
		c = number(column.Number(&a.Pub), column.Number(&b.Pub))
	}
	return cmp.Or(c, strings.Compare(fold(a.Name), fold(b.Name)), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
}
