package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"pubd/geo"
)

// A model answers queries by scanning all pubs. It shares only the folding of text with the engine.
type model struct {
	pubs  []Pub
	rated []bool
	texts []modelTexts
	// words are the distinct words of all pubs and fields, in ascending order.
	words []string
	known map[string][]bool // cached matches
}

func newModel(directory Directory) *model {
	m := &model{pubs: slices.Clone(directory.Pubs)}
	for _, pub := range m.pubs {
		any := false
		for _, rating := range pub.Ratings {
			any = any || rating == rating
		}
		m.rated = append(m.rated, any && (pub.ReviewCount > 0 || !directory.CountsReviews))
		m.texts = append(m.texts, newModelTexts(&pub))
		m.words = append(m.words, m.texts[len(m.texts)-1].wide...)
	}
	slices.Sort(m.words)
	m.words = slices.Compact(m.words)
	return m
}

// A modelQuery is a query as a client would write it.
type modelQuery struct {
	text             string
	rated, desc      bool
	inCircle         bool
	lat, lng, radius float64
	marker           string
	near, strict     bool
	sort             Sort
	page, amount     int

	values   [ColumnCount][]string
	minimums []Minimum
	box      *geo.Box
	exclude  []string
	weights  Weights
}

type modelAnswer struct {
	uids      []string
	distances []float64
	total     int
	step      Step
	words     string
	corrected string
	matched   []string // words of the names on the page
	counts    [ColumnCount]map[string]int
}

func (m *model) answer(q modelQuery) (a modelAnswer) {
	m.known = map[string][]bool{}
	keep := func(i int) bool {
		pub := m.pubs[i]
		if q.rated && !m.rated[i] || !m.passes(i, q) {
			return false
		}
		if !q.inCircle {
			return true
		}
		if q.marker != "" && fold(pub.Name) == fold(q.marker) {
			return false
		}
		return pub.Latitude == pub.Latitude && m.distance(i, q) <= q.radius
	}
	hits, how := m.find(q, keep, &a)
	scores := make([]float64, len(m.pubs))
	switch q.sort {
	case SortFair, SortRelevance:
		scores = m.fair()
	case SortWeighted:
		for i, pub := range m.pubs {
			scores[i] = q.weights.Mean(&pub.Ratings)
		}
	}
	ranks := make([]int, len(m.pubs))
	if q.sort == SortRelevance {
		for i := range ranks {
			ranks[i] = m.relevance(i, q, how)
		}
	}
	slices.SortFunc(hits, func(i, j int) int {
		switch q.sort {
		case SortRelevance:
			q := q
			q.desc = true
			nearer := 0
			if x, y := m.distance(i, q), m.distance(j, q); q.near && math.Abs(x-y) > 1e-9 {
				nearer = cmp.Compare(x, y)
			}
			return cmp.Or(cmp.Compare(ranks[i], ranks[j]), nearer, m.compare(i, j, scores, q))
		}
		return m.compare(i, j, scores, q)
	})
	for column := range a.counts {
		for _, i := range hits {
			if value := fold(Column(column).of(&m.pubs[i])); value != "" {
				if a.counts[column] == nil {
					a.counts[column] = map[string]int{}
				}
				a.counts[column][value]++
			}
		}
	}
	a.total = len(hits)
	size := cmp.Or(q.amount, len(hits))
	first := min((max(q.page, 1)-1)*size, len(hits))
	for _, i := range hits[first:min(first+size, len(hits))] {
		a.uids = append(a.uids, m.pubs[i].UID)
		words, marked := m.matchedOf(i, how)
		var matched []string
		for j, word := range words {
			if marked[j] {
				matched = append(matched, word)
			}
		}
		a.matched = append(a.matched, strings.Join(matched, " "))
		if q.inCircle {
			a.distances = append(a.distances, m.distance(i, q))
		}
	}
	return a
}

// distance returns a distance in kilometres, by the haversine formula.
func (m *model) distance(i int, q modelQuery) float64 {
	const degree = math.Pi / 180
	lat, lng := m.pubs[i].Latitude, m.pubs[i].Longitude
	x, y := math.Sin((lat-q.lat)*degree/2), math.Sin((lng-q.lng)*degree/2)
	h := x*x + math.Cos(lat*degree)*math.Cos(q.lat*degree)*y*y
	return 2 * 6371.0088 * math.Atan2(math.Sqrt(h), math.Sqrt(max(0, 1-h)))
}

// passes reports whether a pub passes the filters.
func (m *model) passes(i int, q modelQuery) bool {
	pub := &m.pubs[i]
	for column, values := range q.values {
		if len(values) > 0 && !slices.ContainsFunc(values, func(value string) bool {
			return fold(value) == fold(Column(column).of(pub)) && fold(value) != ""
		}) {
			return false
		}
	}
	for _, least := range q.minimums {
		value := float64(pub.ReviewCount)
		if least.Key != SortReviewCount {
			value = pub.Ratings[least.Key-SortBeer]
		}
		if !(value >= least.Value) {
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
	for i, pub := range m.pubs {
		if total := pub.Ratings[Total]; m.rated[i] && total == total {
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
		if m.rated[i] {
			v := float64(pub.ReviewCount)
			if scores[i] = pub.Ratings[Total]; v+median > 0 {
				scores[i] = (v*pub.Ratings[Total] + median*mean) / (v + median)
			}
			scores[i] = math.Round(scores[i]*1e4) / 1e4
		}
	}
	return scores
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
	case SortName:
		c = text(a.Name, b.Name)
	case SortLocation:
		if a.Location != "" || b.Location != "" {
			c = text(a.Location, b.Location)
			if a.Location == "" {
				c = 1
			} else if b.Location == "" {
				c = -1
			}
		}
	case SortReviewCount:
		c = turn(cmp.Compare(a.ReviewCount, b.ReviewCount))
	case SortDistance:
		x, y := m.distance(i, q), m.distance(j, q)
		if math.Abs(x-y) > 1e-9 { // otherwise the same point, as random points are either equal or farther apart
			c = turn(cmp.Compare(x, y))
		}
	case SortFair, SortRelevance, SortWeighted:
		c = number(scores[i], scores[j])
	default:
		c = number(a.Ratings[q.sort-SortBeer], b.Ratings[q.sort-SortBeer])
	}
	return cmp.Or(c, strings.Compare(fold(a.Name), fold(b.Name)), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
}

func (m *model) filter(keep func(int) bool) (hits []int) {
	for i := range m.pubs {
		if keep(i) {
			hits = append(hits, i)
		}
	}
	return hits
}

func dropped(words []string, droppable string) []string {
	var left []string
	for _, word := range words {
		if !slices.Contains(strings.Fields(droppable), word) {
			left = append(left, word)
		}
	}
	if left == nil {
		return words
	}
	return left
}

// alignment returns the optimal string alignment distance, by its definition.
func alignment(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], 1+d[i-2][j-2])
			}
		}
	}
	return d[len(a)][len(b)]
}
