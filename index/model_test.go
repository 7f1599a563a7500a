package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pubd/geo"
)

// A model answers queries by going through all pubs. It shares with the engine how text folds and nothing else.
type model struct {
	pubs  []Pub
	rated []bool
}

func newModel(directory Directory) *model {
	m := &model{pubs: slices.Clone(directory.Pubs)}
	for _, pub := range m.pubs {
		any := false
		for _, rating := range pub.Ratings {
			any = any || rating == rating
		}
		m.rated = append(m.rated, any && (pub.ReviewCount > 0 || !directory.CountsReviews))
	}
	return m
}

// A modelQuery is a query as a client would put it.
type modelQuery struct {
	text             string
	rated, desc      bool
	inCircle         bool
	lat, lng, radius float64
	marker           string
	strict           bool
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
	counts    [ColumnCount]map[string]int
}

func (m *model) answer(q modelQuery) (a modelAnswer) {
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
	hits := m.find(q, keep, &a)
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
			ranks[i] = m.relevance(i, q, a)
		}
	}
	slices.SortFunc(hits, func(i, j int) int {
		switch q.sort {
		case SortRelevance:
			q := q
			q.desc = true
			return cmp.Or(cmp.Compare(ranks[i], ranks[j]), m.compare(i, j, scores, q))
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
		if q.inCircle {
			a.distances = append(a.distances, m.distance(i, q))
		}
	}
	return a
}

// distance is the haversine formula, in kilometres.
func (m *model) distance(i int, q modelQuery) float64 {
	const degree = math.Pi / 180
	lat, lng := m.pubs[i].Latitude, m.pubs[i].Longitude
	x, y := math.Sin((lat-q.lat)*degree/2), math.Sin((lng-q.lng)*degree/2)
	h := x*x + math.Cos(lat*degree)*math.Cos(q.lat*degree)*y*y
	return 2 * 6371.0088 * math.Atan2(math.Sqrt(h), math.Sqrt(max(0, 1-h)))
}

// passes tells whether a pub passes the filters.
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

// fair gives the fair scores.
func (m *model) fair() []float64 {
	var totals []float64
	var reviews []int64
	for i, pub := range m.pubs {
		if total := pub.Ratings[Total]; m.rated[i] && total == total {
			totals, reviews = append(totals, total), append(reviews, pub.ReviewCount)
		}
	}
	slices.Sort(totals) // the sum of doubles depends on their order, but not to four decimals
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

// relevance is the tier of a pub, and in it the number of corrections.
func (m *model) relevance(i int, q modelQuery, a modelAnswer) int {
	if q.text == "*" {
		return 0
	}
	words := dropped(strings.Fields(fold(q.text)), "the and")
	if a.step != NotRelaxed {
		words = strings.Fields(a.words)
	}
	name, location := strings.Fields(fold(m.pubs[i].Name)), strings.Fields(fold(m.pubs[i].Location))
	title, asked := strings.Join(dropped(name, "the and"), " "), strings.Join(words, " ")
	tier, corrections := 2, 0
	for at, word := range words {
		last := at == len(words)-1
		switch {
		case matchesField(word, name, "strict", last):
		case matchesField(word, location, "strict", last):
			tier = 3
		default:
			corrections++
			near := slices.ContainsFunc(slices.Concat(name, location), func(other string) bool {
				for end := 1; end <= len(other); end++ {
					if (last || end == len(other)) && alignment([]rune(word), []rune(other[:end])) <= 1 {
						return true
					}
				}
				return false
			})
			if (a.step == Typo || a.step == Partial) && len(word) >= 8 && !near {
				corrections++
			}
		}
	}
	if strings.HasPrefix(title, asked) {
		tier = 1
	}
	if title == asked {
		tier = 0
	}
	return tier*100 + corrections
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
			return cmp.Compare(len(y), len(x)) // at most one is there
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
		if math.Abs(x-y) > 1e-9 { // as good as equal: from one place, in the random data
			c = turn(cmp.Compare(x, y))
		}
	case SortFair, SortRelevance, SortWeighted:
		c = number(scores[i], scores[j])
	default:
		c = number(a.Ratings[q.sort-SortBeer], b.Ratings[q.sort-SortBeer])
	}
	return cmp.Or(c, strings.Compare(fold(a.Name), fold(b.Name)), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
}

func (m *model) find(q modelQuery, keep func(int) bool, a *modelAnswer) []int {
	if strings.TrimSpace(q.text) == "*" {
		return m.filter(func(i int) bool { return keep(i) })
	}
	words := dropped(strings.Fields(fold(q.text)), "the and")
	if len(words) == 0 {
		return nil
	}
	try := func(step Step, how string, words []string) []int {
		hits := m.filter(func(i int) bool { return keep(i) && m.matches(i, how, words) })
		if len(hits) > 0 && (step != Partial || len(hits) <= 50) {
			if a.step = step; step != NotRelaxed {
				a.words = strings.Join(words, " ")
			}
			return hits
		}
		return nil
	}
	if hits := try(NotRelaxed, "strict", words); hits != nil || q.strict || len(words) > 8 {
		return hits
	}
	core := dropped(words, "inn pub ph public house hotel tavern bar club ale restaurant ltd ye olde")
	queries := [][]string{words}
	if len(core) < len(words) {
		queries = append(queries, core)
	}
	if hits := try(Joined, "joined", words); hits != nil {
		return hits
	}
	for _, core := range queries[1:] {
		for _, how := range []string{"strict", "joined"} {
			if hits := try(Words, how, core); hits != nil {
				return hits
			}
		}
	}
	for _, step := range []Step{Infix, Typo} {
		for _, query := range queries {
			if hits := try(step, step.String(), query); hits != nil {
				return hits
			}
		}
	}
	for _, how := range []string{"strict", "typo"} {
		for _, left := range m.partials(words) {
			if hits := try(Partial, how, left); hits != nil {
				return hits
			}
		}
	}
	return nil
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

func (m *model) partials(words []string) (all [][]string) {
	for size := 1; size <= 2 && size < len(words); size++ {
		type choice struct {
			count int
			left  []string
		}
		var choices []choice
		for i := range words {
			for j := i; j < len(words); j++ {
				if (i == j) != (size == 1) {
					continue
				}
				var c choice
				var out []string
				meaningful := false
				for k, word := range words {
					if k == i || k == j {
						out = append(out, word)
						continue
					}
					c.left = append(c.left, word)
					generic := strings.Contains(" inn pub ph public house hotel tavern bar club ale restaurant ltd ye olde ", " "+word+" ")
					meaningful = meaningful || utf8.RuneCountInString(word) >= 3 && !generic
				}
				if meaningful {
					c.count = len(m.filter(func(i int) bool { return m.matches(i, "strict", out) }))
					choices = append(choices, c)
				}
			}
		}
		slices.SortStableFunc(choices, func(a, b choice) int { return b.count - a.count })
		for _, c := range choices {
			all = append(all, c.left)
		}
	}
	return all
}

// matches tells whether a pub matches all words in some manner.
func (m *model) matches(i int, how string, words []string) bool {
	if how == "joined" {
		variants := [][]string{words}
		for size := 2; size <= 3; size++ {
			for at := 0; at+size <= len(words); at++ {
				variants = append(variants, slices.Concat(words[:at], []string{strings.Join(words[at:at+size], "")}, words[at+size:]))
			}
		}
		return slices.ContainsFunc(variants, func(words []string) bool { return m.matchesAll(i, how, words) })
	}
	return m.matchesAll(i, how, words)
}

func (m *model) matchesAll(i int, how string, words []string) bool {
	for at, word := range words {
		last := at == len(words)-1
		if !slices.ContainsFunc([]string{m.pubs[i].Name, m.pubs[i].Location}, func(field string) bool {
			return matchesField(word, strings.Fields(fold(field)), how, last)
		}) {
			return false
		}
	}
	return true
}

func matchesField(word string, field []string, how string, last bool) bool {
	numbers := strings.Fields("one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12")
	names := slices.Clone(field)
	for i, other := range field {
		if other == "saint" {
			names = append(names, "st")
		}
		if other == "st" && i < len(field)-1 {
			names = append(names, "saint")
		}
		if at := slices.Index(numbers, other); at >= 0 {
			names = append(names, numbers[at^1])
		}
	}
	characters := utf8.RuneCountInString(word)
	for _, name := range names {
		if name == word || last && strings.HasPrefix(name, word) {
			return true
		}
		if how == "infix" && characters >= 3 && strings.Contains(name, word) {
			return true
		}
		if how == "typo" && isTypo([]rune(word), []rune(name), last) {
			return true
		}
	}
	if how == "joined" {
		for size := 2; size <= 3; size++ {
			for at := 0; at+size <= len(field); at++ {
				name := strings.Join(field[at:at+size], "")
				if name == word || last && characters >= 4 && strings.HasPrefix(name, word) {
					return true
				}
			}
		}
	}
	return false
}

func isTypo(word, name []rune, last bool) bool {
	edits := 1
	if len(word) >= 8 {
		edits = 2
	}
	if len(word) < 4 || word[0] != name[0] || strings.ContainsAny(string(word), "0123456789") {
		return false
	}
	if !last {
		return alignment(word, name) <= edits
	}
	for end := 1; end <= len(name); end++ {
		if alignment(word, name[:end]) <= edits {
			return true
		}
	}
	return false
}

// alignment is the optimal string alignment distance, by its definition.
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
