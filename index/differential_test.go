package index

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/index/text"
)

var pairs = flag.Int("pairs", 10_000, "number of pairs of a directory and a query for TestEngineAgreesWithModel")

// compare runs a query with the engine and the model, and returns how the results differ and the result of the engine.
func compare(s *Snapshot, m *model, q modelQuery, w *Workspace) (difference string, a Result) {
	query := Query{Text: []byte(q.text), All: q.text == "*", Rated: q.rated, Strict: q.strict, More: q.more, Sort: q.sort, Descending: q.desc,
		Page: int64(q.page), Amount: q.amount, Weights: q.weights,
		Open: q.open, OpenUnknown: q.openUnknown, At: q.when}
	for column, values := range q.values {
		for _, value := range values {
			if schema.Facet(column) != schema.Features { // which have signs besides
				value = fold(value)
			}
			query.Filter.Values[column] = append(query.Filter.Values[column], []byte(value))
		}
	}
	if q.page == 1 {
		for facet := range s.Facets() {
			query.Counts = append(query.Counts, facet)
		}
		for n := range schema.ExtraNumber + schema.Number(len(s.ExtraFacets())) {
			if n < schema.ExtraNumber || s.IsNumber(int(n-schema.ExtraNumber)) {
				query.Spreads = append(query.Spreads, n)
			}
		}
	}
	query.Filter.Ranges, query.Filter.Box = q.ranges, q.box
	for _, uid := range q.exclude {
		query.Filter.Exclude = append(query.Filter.Exclude, []byte(uid))
	}
	if q.inCircle {
		circle := geo.NewCircle(geo.Point{Lat: q.lat, Lng: q.lng}, geo.Kilometres(q.radius))
		query.Circle, query.Near = &circle, q.near
		if q.marker != "" {
			query.Marker = text.AppendFolded([]byte{}, []byte(q.marker))
		}
	}
	var withoutDistances []uint32
	if q.inCircle {
		query.NoDistances = true
		withoutDistances = slices.Clone(s.Search(&query, w).Pubs)
		query.NoDistances = false
	}
	a = s.Search(&query, w)
	if q.inCircle && !slices.Equal(withoutDistances, a.Pubs) {
		return fmt.Sprintf("got %v without distances, %v with them", withoutDistances, a.Pubs), a
	}
	want := m.answer(q)
	told := func(r Relaxed) modelTold {
		join := func(words [][]byte) string { return string(bytes.Join(words, []byte(" "))) }
		return modelTold{r.Step.String(), join(r.Words), join(r.Corrected), join(r.Place), join(r.Larger), join(r.Unused), strings.Join(r.Features, " "),
			join(r.Denied), r.Alone, r.Inside, r.Best, r.Here}
	}
	got := modelAnswer{total: a.Total, added: a.Added, unknown: a.Unknown, counts: want.counts, spreads: want.spreads}
	if got.relaxed = told(a.Relaxed); a.Step == NotRelaxed && len(a.Denied) == 0 {
		got.relaxed = modelTold{}
	}
	if a.Added > 0 {
		got.more = told(a.More)
	}
	for _, ordinal := range a.Pubs {
		pub := s.Pub(ordinal)
		got.uids = append(got.uids, pub.UID)
		found, kinds := fmt.Sprint(w.Highlights(s, &a, ordinal)), w.highlight.kinds
		for c := range w.highlight.kinds {
			w.highlight.kinds[c] = mayMatch
		}
		if all := fmt.Sprint(w.Highlights(s, &a, ordinal)); all != found {
			return fmt.Sprintf("%s: got highlights %s, %s without looking at first bytes", pub.UID, found, all), a
		}
		w.highlight.kinds = kinds
		for _, highlight := range w.Highlights(s, &a, ordinal) {
			if highlight.Field == "name" {
				got.highlighted = append(got.highlighted, string(bytes.Join(highlight.Words, []byte(" "))))
			}
			value := []rune(map[string]string{"name": pub.Name, "location": pub.Location, "address": pub.Address, "postcode": pub.Postcode,
				"area": pub.Area, "alt_names": pub.AltNames, "common_category": pub.Category, "brand": pub.Brand}[highlight.Field])
			for i, word := range highlight.Words {
				if written := string(value[highlight.Spans[i][0]:highlight.Spans[i][1]]); fold(written) != string(word) {
					return fmt.Sprintf("%s: %q is written as %q in %q", highlight.Field, word, written, string(value)), a
				}
			}
		}
	}
	if query.wantsCounts() {
		got.spreads = [schema.NumberCount]string{}
		for i, spread := range a.Spreads {
			if spread.Count > 0 {
				got.spreads[query.Spreads[i]] = fmt.Sprintf("%d %v %v %.6f", spread.Count, spread.Least, spread.Greatest, spread.Mean)
			}
		}
		got.counts = [schema.FacetCount]map[string]int{}
		for i, column := range query.Counts {
			for _, c := range a.Counts[i] {
				if got.counts[column] == nil {
					got.counts[column] = map[string]int{}
				}
				got.counts[column][fold(string(c.Value))] = c.Pubs
			}
		}
	}
	for i := range a.Distances {
		if i < len(want.distances) && math.Abs(float64(a.Distances[i])-want.distances[i]) > 1e-4 {
			return fmt.Sprintf("distance %d of %v: %v, the model says %v", i, got.uids, a.Distances[i], want.distances[i]), a
		}
	}
	if len(a.Distances) != len(want.distances) {
		return fmt.Sprintf("%d distances, the model says %d; got %v, the model says %v", len(a.Distances), len(want.distances), got, want), a
	}
	want.distances = nil
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Sprintf("got %v, the model says %v", got, want), a
	}
	return "", a
}

const queriesPerDirectory = 20

// agree compares engine and model on drawn queries about a directory, and returns how many of them each step and each
// rule of the model answered, or added pubs to, and how many pubs have each column.
func agree(t *testing.T, w *Workspace, directory corpus.Directory, queries int, draw func(corpus.Directory) modelQuery) (answered map[string]int) {
	t.Helper()
	m := newModel(directory)
	s := testkit.Must(InMemory(directory, BuildOptions{Workers: 2}))(t)
	answered = m.answered
	for i := range directory.Pubs {
		for c := range schema.Columns {
			if schema.Columns[c].Has(&directory.Pubs[i]) {
				answered[schema.Columns[c].Name]++
			}
		}
	}
	for range queries {
		q := draw(directory)
		difference, a := compare(s, m, q, w)
		testkit.StopIf(t, difference != "", "%+v: %.2000s", q, difference)
		if answered[a.Step.String()]++; a.Added > 0 {
			answered["more "+a.More.Step.String()]++
		}
		for _, feature := range a.Features {
			answered[feature]++
		}
		if a.Unknown > 0 {
			answered["unknown"]++
		}
	}
	return answered
}

func TestEngineAgreesWithModel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 3))
	answered := map[string]int{}
	var w Workspace
	directories := *pairs / queriesPerDirectory / testkit.Pick(4, 1)
	for range directories {
		query := func(about corpus.Directory) modelQuery { return drawQuery(rng.IntN, about) }
		for by, count := range agree(t, &w, drawDirectory(rng.IntN), queriesPerDirectory, query) {
			answered[by] += count
		}
	}
	t.Logf("%d pairs; answers by step and rule: %v", directories*queriesPerDirectory, answered)
	for step := range Step(StepCount) {
		testkit.FailIf(t, answered[step.String()] == 0 || answered["more "+step.String()] == 0,
			"no query was answered, or got more pubs, by step %v", step)
	}
	for i := range schema.Columns {
		testkit.FailIf(t, answered[schema.Columns[i].Name] == 0, "draw_test.go draws no pub with a value of %s", schema.Columns[i].Name)
	}
	for _, rule := range []string{"any pub", "a place", "part of a place", "two places", "a place misspelt", "a place with wishes", "a long query", "garden", "dog", "open_now", "open_late", "open_at", "unknown"} {
		testkit.FailIf(t, answered[rule] == 0, "no query was answered by the rule of %s", rule)
	}
}

// With more pubs, some sets are bitmaps, and attempts to relax a query match too many pubs to test one by one.
func TestEngineAgreesWithModelOfManyPubs(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	var w Workspace
	directories, queries := max(1, *pairs/10_000), testkit.Pick(1, 3)*queriesPerDirectory
	for range directories {
		directory := drawDirectory(rng.IntN)
		for len(directory.Pubs) < 2000 {
			more := drawDirectory(rng.IntN)
			if more.CountsReviews != directory.CountsReviews || (more.Extra == nil) != (directory.Extra == nil) {
				continue
			}
			for _, pub := range more.Pubs {
				pub.UID = fmt.Sprint(len(directory.Pubs))
				pub.Name = pick(rng.IntN, "Red Lion", "Red Lion Inn", "Railway Hotel") + " " + pub.Name
				directory.Pubs = append(directory.Pubs, pub)
			}
		}
		agree(t, &w, directory, queries, func(about corpus.Directory) modelQuery {
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
		s := testkit.Must(InMemory(directory, BuildOptions{Workers: 2}))(t)
		q := drawQuery(d, directory)
		if difference, _ := compare(s, m, q, new(Workspace)); difference != "" {
			t.Fatalf("%+v\n%+v: %s", directory, q, difference)
		}
	})
}
