package index

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/data/lane"
	"pubd/geo"
)

var pairs = flag.Int("pairs", 10_000, "number of pairs of a directory and a query for TestEngineAgreesWithModel")

// A draw returns a number from 0 to n-1.
type draw func(n int) int

func pick[T any](d draw, from ...T) T { return from[d(len(from))] }

var (
	drawnWords = strings.Fields(`red lion the and & n inn inns st saint anchor anchorage bell blue bluebell king's kings head
		heads railway rail way white hart wheatsheaf one 1 three 3 twelve 12 arms pub hotel house theatre café zoë ye olde
		on green greenman man o'brien's ål Łódź ΟΔΟΣ 居酒屋 居酒 ! x 1940s chor rly gt great theanchor of in Leeds soho road`)
	drawnAddresses = []string{"1 High St", "2 Red Lion Rd, Leeds", "The Green & White House, Great Anchor Road", "12 St Saint St", "Soho Square", "Railway Arches"}
	drawnPostcodes = []string{"LS1 1AA", "LS1 2BB", "CO7 6LW", "2"}
	drawnAreas     = []string{"Leeds", "Greater London", "Soho & the West", "Wheatsheaf", "St Albans"}
	drawnPlaces    = []string{"", "", "Soho", "soho", "Söho", "New Town", "Newtown", "St Albans", "High St", "Green Man's Head", "Red Lion"}
	drawnRatings   = []float64{math.NaN(), math.NaN(), 0, 3.5, 7, 7.25, 10}
	drawnPoints    = [][2]float64{{math.NaN(), math.NaN()}, {51.5, -0.1}, {51.5, -0.1}, {51.51, -0.12}, {51.6, -0.1}, {52.5, -1.9},
		{-16.8, 179.99}, {-16.8, -179.99}, {90, 0}, {89.99, 180}, {-90, 45}, {-51.4, 179.8}}
)

func drawDirectory(d draw) Directory {
	directory := Directory{CountsReviews: d(6) > 0}
	wide := d(3) > 0                                                               // has fields besides name and location
	places := pick(d, drawnPoints, drawnPoints, drawnPoints[:6], drawnPoints[1:6]) // anywhere on the Earth, or in a country
	for i := range 1 + d(60) {
		words := make([]string, 1+d(4))
		for j := range words {
			words[j] = pick(d, drawnWords...)
		}
		at := pick(d, places...)
		pub := Pub{UID: fmt.Sprintf("%c%d", "aAzé"[d(3)], i*7919%101), Name: strings.Join(words, " "), Location: pick(d, drawnPlaces...),
			Latitude: at[0], Longitude: at[1], ReviewCount: int64(pick(d, 0, 0, 1, 2, 30)),
			Trading: pick(d, "", "Open", "open", "Closed"), Category: pick(d, "", "Local", "Gastro Pub", "gastro pub")}
		if wide && d(3) > 0 {
			pub.Address, pub.Postcode, pub.Area = pick(d, append(drawnAddresses, "")...), pick(d, append(drawnPostcodes, "")...), pick(d, append(drawnAreas, "")...)
		}
		for metric := range pub.Ratings {
			pub.Ratings[metric] = math.NaN()
			if pub.ReviewCount > 0 || !directory.CountsReviews {
				pub.Ratings[metric] = pick(d, drawnRatings...)
			}
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	return directory
}

func drawQuery(d draw, directory Directory) modelQuery {
	q := modelQuery{text: "*", rated: d(4) == 0, desc: d(2) == 0, strict: d(6) == 0, page: 1 + d(3), amount: pick(d, 1, 2, 7, 20, 100),
		sort: Sort(d(sortCount))}
	if d(6) > 0 {
		q.text = drawText(d, directory)
	}
	drawFilters(d, directory, &q)
	if d(2) == 0 {
		q.inCircle = true
		at := pick(d, drawnPoints[1:]...)
		q.lat, q.lng = at[0]+pick(d, 0, 0, 0.003, -0.0437)*math.Copysign(1, -at[0]), at[1]
		q.radius = pick(d, 0.00071, 1.317, 2.93, 11.37, 33.3, 400.1, 5000.3, 9000.7, 19999.7, 30000)
		if d(3) == 0 {
			q.marker = directory.Pubs[d(len(directory.Pubs))].Name
		}
		if d(2) == 0 {
			q.sort = SortDistance
		}
		if d(3) == 0 {
			q.page, q.amount = 1, 0
		}
		if d(3) == 0 {
			q.near, q.radius = true, math.MaxFloat64
		}
	}
	return q
}

// drawFilters adds filters and other sort keys to half of the queries.
func drawFilters(d draw, directory Directory, q *modelQuery) {
	if d(3) == 0 {
		q.sort = pick(d, SortFair, SortRelevance, SortWeighted)
		for metric := range q.weights {
			q.weights[metric] = float64(pick(d, 0, 0, 1, 3))
		}
		q.weights[d(MetricCount)] = 2
	}
	if d(2) == 0 {
		return
	}
	for column := range q.values {
		if d(3) == 0 {
			for range 1 + d(2) {
				q.values[column] = append(q.values[column], strings.ToUpper(Column(column).of(&directory.Pubs[d(len(directory.Pubs))])))
			}
		}
	}
	if d(3) == 0 {
		key := pick(d, SortReviewCount, SortBeer, SortTotal)
		q.minimums = append(q.minimums, Minimum{key, pick(d, 0, 1, 2, 3.5, 7, 10)})
	}
	if d(3) == 0 {
		q.box = &geo.Box{West: pick(d, -180, -179, -1.9, -0.12, 0, 179.8), South: pick(d, -90, -89, 51.5), East: pick(d, 180, 179, 0, -0.1, -179.9),
			North: pick(d, 90, 89, 51.6)}
	}
	for range d(3) {
		q.exclude = append(q.exclude, pick(d, directory.Pubs...).UID)
	}
}

// drawText returns words of a pub, often changed in ways that relaxing corrects, and sometimes other words.
func drawText(d draw, directory Directory) string {
	pub := directory.Pubs[d(len(directory.Pubs))]
	words := strings.Fields(pub.Name + " " + pub.Location)
	if more := strings.Fields(pick(d, "", pub.Address, pub.Postcode, pub.Area, pub.Address+" "+pub.Area)); len(more) > 0 {
		words = append(words[:1+d(len(words))], more[d(len(more)):]...)
	}
	low := d(len(words))
	words = words[low : low+1+d(len(words)-low)]
	for range d(3) {
		at := d(len(words))
		word := []rune(words[at])
		cut := d(len(word) + 1)
		switch d(7) {
		case 0:
			words[at] = string(word[:cut])
		case 1:
			words[at] = string(word[cut:])
		case 2:
			words[at] = string(word[:cut]) + pick(d, "a", "e", "x", " ") + string(word[cut:])
		case 3:
			words[at] = string(word[:cut]) + string(word[min(cut+1, len(word)):])
		case 4:
			if cut > 0 && cut < len(word) {
				word[cut-1], word[cut] = word[cut], word[cut-1]
				words[at] = string(word)
			}
		case 5:
			words = append(words, pick(d, drawnWords...))
		case 6:
			words[at], words[0] = words[0], words[at]
		}
	}
	return strings.Join(words, pick(d, " ", " ", " ", ""))
}

// compare runs a query with the engine and the model, and returns how the results differ and the step that answered the query.
func compare(s *Snapshot, m *model, q modelQuery, w *Workspace) (difference string, step Step) {
	query := Query{Text: []byte(q.text), All: q.text == "*", Rated: q.rated, Strict: q.strict, Sort: q.sort, Descending: q.desc,
		Page: int64(q.page), Amount: q.amount, Weights: q.weights, Counts: [ColumnCount]bool{q.page == 1, q.page == 1, q.page == 1}}
	for column, values := range q.values {
		for _, value := range values {
			query.Filter.Values[column] = append(query.Filter.Values[column], []byte(fold(value)))
		}
	}
	query.Filter.Minimums, query.Filter.Box = q.minimums, q.box
	for _, uid := range q.exclude {
		query.Filter.Exclude = append(query.Filter.Exclude, []byte(uid))
	}
	if q.inCircle {
		circle := geo.NewCircle(geo.Point{Lat: q.lat, Lng: q.lng}, geo.Kilometres(q.radius))
		query.Circle, query.Near = &circle, q.near
		if q.marker != "" {
			query.Marker = AppendFolded([]byte{}, []byte(q.marker))
		}
	}
	var withoutDistances []uint32
	if q.inCircle {
		query.NoDistances = true
		withoutDistances = slices.Clone(s.Search(&query, w).Pubs)
		query.NoDistances = false
	}
	a := s.Search(&query, w)
	if q.inCircle && !slices.Equal(withoutDistances, a.Pubs) {
		return fmt.Sprintf("got %v without distances, %v with them", withoutDistances, a.Pubs), a.Step
	}
	want := m.answer(q)
	var words []string
	for _, word := range a.Words {
		words = append(words, string(word))
	}
	var corrected []string
	for _, word := range a.Corrected {
		corrected = append(corrected, string(word))
	}
	var uids, matched []string
	for _, pub := range a.Pubs {
		uids = append(uids, s.Pub(pub).UID)
		name, _ := s.Texts(pub)
		var words []string
		w.EachMatch(&a, name, func(word []byte) { words = append(words, string(word)) })
		matched = append(matched, strings.Join(words, " "))
	}
	counts := want.counts
	if query.asksForCounts() {
		counts = [ColumnCount]map[string]int{}
		for column := range counts {
			for _, c := range a.Counts[column] {
				if counts[column] == nil {
					counts[column] = map[string]int{}
				}
				counts[column][fold(string(c.Value))] = c.Pubs
			}
		}
	}
	got := modelAnswer{counts: counts, uids: uids, total: a.Total, step: a.Step, words: strings.Join(words, " "),
		corrected: strings.Join(corrected, " "), matched: matched}
	for i := range a.Distances {
		if i < len(want.distances) && math.Abs(float64(a.Distances[i])-want.distances[i]) > 1e-4 {
			return fmt.Sprintf("distance %d of %v: %v, the model says %v", i, uids, a.Distances[i], want.distances[i]), a.Step
		}
	}
	if len(a.Distances) != len(want.distances) {
		return fmt.Sprintf("%d distances, the model says %d", len(a.Distances), len(want.distances)), a.Step
	}
	want.distances = nil
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Sprintf("got %v, the model says %v", got, want), a.Step
	}
	return "", a.Step
}

const queriesPerDirectory = 20

// agree compares engine and model on drawn queries about a directory, and returns how many of them each step answered.
func agree(t *testing.T, w *Workspace, directory Directory, queries int, draw func(Directory) modelQuery) (steps map[Step]int) {
	t.Helper()
	m := newModel(directory)
	s, err := InMemory(directory, BuildOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	steps = map[Step]int{}
	for range queries {
		q := draw(Directory{Pubs: m.pubs})
		difference, step := compare(s, m, q, w)
		if difference != "" {
			t.Fatalf("%+v: %.2000s", q, difference)
		}
		steps[step]++
	}
	return steps
}

func TestEngineAgreesWithModel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	steps := map[Step]int{}
	var w Workspace
	directories := *pairs / queriesPerDirectory / lane.Pick(4, 1)
	for range directories {
		query := func(about Directory) modelQuery { return drawQuery(rng.IntN, about) }
		for step, count := range agree(t, &w, drawDirectory(rng.IntN), queriesPerDirectory, query) {
			steps[step] += count
		}
	}
	t.Logf("%d pairs; answers by step: %v", directories*queriesPerDirectory, steps)
	for step := range Partial + 1 {
		if steps[step] == 0 {
			t.Errorf("no query was answered by step %v", step)
		}
	}
}

// With more pubs, some sets are bitmaps, and attempts to relax a query match too many pubs to test one by one.
func TestEngineAgreesWithModelOfManyPubs(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	var w Workspace
	directories, queries := lane.Pick(1, max(3, *pairs/5000)), lane.Pick(1, 4)*queriesPerDirectory
	for range directories {
		directory := drawDirectory(rng.IntN)
		for len(directory.Pubs) < 2000 {
			more := drawDirectory(rng.IntN)
			if more.CountsReviews != directory.CountsReviews {
				continue
			}
			for _, pub := range more.Pubs {
				pub.UID = fmt.Sprint(len(directory.Pubs))
				pub.Name = pick(rng.IntN, "Red Lion", "Red Lion Inn", "Railway Hotel") + " " + pub.Name
				directory.Pubs = append(directory.Pubs, pub)
			}
		}
		agree(t, &w, directory, queries, func(about Directory) modelQuery {
			q := drawQuery(rng.IntN, about)
			if rng.IntN(3) == 0 {
				q.text = pick(rng.IntN, "lionn red", "railwya hotel", "liion red inn", "hotle railway")
			}
			return q
		})
	}
}

func TestEngineAgreesWithModelShrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
		directory := drawDirectory(d)
		m := newModel(directory)
		s, err := InMemory(directory, BuildOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		q := drawQuery(d, Directory{Pubs: m.pubs})
		if difference, _ := compare(s, m, q, new(Workspace)); difference != "" {
			t.Fatalf("%+v\n%+v: %s", m.pubs, q, difference)
		}
	})
}

func fold(text string) string { return string(AppendFolded(nil, []byte(text))) }
