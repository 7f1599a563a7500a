// Command relevance measures how often pubd finds the pub that a person means. It asks an index questions whose right
// answer is known, and prints tables as Markdown; the same snapshot and program give the same report.
//
// A question is the name of a pub, corrupted as people do it (spoil.go), by random numbers that depend only on the pub
// and the kind of mistake. It is asked within 500 m and 5 km, together with the place, and near a point; the pub should
// be among the first ten results, or first. Made-up names should find nothing. With -people, the questions are those
// that people type, each with the answers that they would accept. A share is rounded down, so that 1.00 means all.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pubd/data"
	"pubd/geo"
	"pubd/index"
	"pubd/loader"
)

// first is how many results count.
const first = 10

func main() {
	file := flag.String("data", "", "the snapshot to search; the embedded sample if empty")
	places := flag.String("places", "", "a gazetteer to search with")
	questions := flag.String("people", "", "a JSON file of questions as people type them, and what they would accept")
	count := flag.Int("count", 500, "the number of questions of each kind")
	flag.Parse()
	r, err := measure(*file, *places, *questions, *count)
	if err != nil {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		os.Exit(1)
	}
	r.write(os.Stdout)
}

// A target is the pub that a person means, and where they say it is.
type target struct {
	*index.Pub
	at geo.Point
}

// A question is the corrupted name of a target.
type question struct {
	target
	text     string
	hasPlace bool // the text includes the location
}

// A way is a way to search for a pub.
type way struct {
	name   string
	radius float64 // kilometres around the point of the target; 0 for no circle
	near   float64 // kilometres between near and that point; 0 for no near
	place  bool    // the location is added to the text
}

var ways = []way{
	{name: "within 500 m", radius: 0.5}, {name: "within 5 km", radius: 5},
	{name: "name and place", place: true}, {name: "near, 1.5 km off", near: 1.5},
}

// A share counts questions: those asked, those with any result, those with the target among the first results, and
// those with the target first.
type share struct{ asked, answered, found, first int }

// A report is what was measured.
type report struct {
	snapshot string
	pubs     int
	shares   map[string][]share // by class, in the order of the ways
	madeUp   share              // made-up names within 5 km
	people   *people            // nil without questions of people
}

// measure asks all questions. A file that is empty is the embedded sample.
func measure(file, places, people string, count int) (r *report, err error) {
	content := data.Sample()
	if file != "" {
		if content, err = loader.ReadFile(file); err != nil {
			return nil, err
		}
	}
	file = cmp.Or(file, "sample.csv")
	gazetteer, err := loader.ReadPlaces(places, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	loaded, err := loader.Load(file, content, loader.Options{Places: gazetteer})
	if err != nil {
		return nil, err
	}
	targets := targetsOf(slices.Clone(loaded.Directory.Pubs)) // the index takes the pubs themselves
	if len(targets) == 0 {
		return nil, fmt.Errorf("%s: no pub has coordinates and a location", file)
	}
	r = &report{snapshot: filepath.Base(file), pubs: len(loaded.Directory.Pubs), shares: map[string][]share{}}
	s, err := newSearcher(loaded.Directory)
	if err != nil {
		return nil, err
	}
	for _, class := range classes {
		questions := class.questionsAbout(targets, count)
		for _, w := range ways {
			r.shares[class.name] = append(r.shares[class.name], s.find(w, questions))
		}
	}
	r.madeUp = s.find(ways[1], class{name: "made up", spoil: madeUp}.questionsAbout(targets, count))
	if people != "" {
		r.people, err = s.measurePeople(people)
	}
	return r, err
}

// targetsOf returns the pubs that have coordinates and a location, in an order that depends only on them, and points
// 0.2 km away from them.
func targetsOf(pubs []index.Pub) (all []target) {
	for i := range pubs {
		if pub := &pubs[i]; pub.Location != "" && !math.IsNaN(pub.Latitude) {
			all = append(all, target{pub, aside(geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}, pub.UID, 0.2)})
		}
	}
	dice("order").Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// aside returns a point some kilometres away from another, in a direction that depends on a UID.
func aside(at geo.Point, uid string, kilometres float64) geo.Point {
	const kilometresPerDegree = math.Pi * float64(geo.EarthRadius) / 180
	sin, cos := math.Sincos(2 * math.Pi * dice(uid, "aside").Float64())
	degrees := kilometres / kilometresPerDegree
	return geo.Point{Lat: max(-90, min(90, at.Lat+degrees*cos)),
		Lng: math.Remainder(at.Lng+degrees*sin/max(0.01, math.Cos(at.Lat*math.Pi/180)), 360)}
}

// A searcher asks a snapshot.
type searcher struct {
	*index.Snapshot
	work index.Workspace
}

// newSearcher takes ownership of a directory.
func newSearcher(directory index.Directory) (*searcher, error) {
	snapshot, err := index.InMemory(directory, index.BuildOptions{})
	return &searcher{Snapshot: snapshot}, err
}

// near returns a circle that is only a point to be near to.
func near(at geo.Point) *geo.Circle { return new(geo.NewCircle(at, math.Pi*geo.EarthRadius)) }

// find asks questions in a way.
func (s *searcher) find(w way, questions []question) share {
	found := share{asked: len(questions)}
	for _, q := range questions {
		query := index.Query{Text: []byte(q.text), Sort: index.SortRelevance, Amount: first}
		if w.place && !q.hasPlace {
			query.Text = []byte(q.text + " " + q.Location)
		}
		switch {
		case w.near > 0:
			query.Circle, query.Near = near(aside(q.at, q.UID, w.near)), true
		case w.radius > 0:
			query.Circle = new(geo.NewCircle(q.at, geo.Kilometres(w.radius)))
			if w.radius < 1 {
				query.Sort = index.SortDistance
			}
		}
		results := s.Search(&query, &s.work).Pubs
		if len(results) > 0 {
			found.answered++
		}
		place := slices.IndexFunc(results, func(ordinal uint32) bool { return s.Pub(ordinal).UID == q.UID })
		if place >= 0 {
			found.found++
		}
		if place == 0 {
			found.first++
		}
	}
	return found
}

// write writes the report as tables.
func (r *report) write(out io.Writer) {
	fmt.Fprintf(out, `# Relevance

`+"`go run ./bench/relevance`"+`: %s, %d pubs, whose names are asked 0.2 km from them. Each cell is the share of questions
that have the pub among the first %d results, and first. Within 500 m the nearest come first, otherwise the best match
(`+"`sort=relevance`"+`). The same snapshot always gives the same questions.

| name | questions |`, r.snapshot, r.pubs, first)
	for _, w := range ways {
		fmt.Fprintf(out, " %s |", w.name)
	}
	fmt.Fprintf(out, "\n|---|--:|%s\n", strings.Repeat(":-:|", len(ways)))
	for _, class := range classes {
		row := r.shares[class.name]
		fmt.Fprintf(out, "| %s | %d |", class.name, row[0].asked)
		for _, s := range row {
			fmt.Fprintf(out, " %s / %s |", part(s.found, s.asked), part(s.first, s.asked))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "\nOf %d made-up names within 5 km, a share of %s has any result.\n",
		r.madeUp.asked, part(r.madeUp.answered, r.madeUp.asked))
	if r.people != nil {
		r.people.write(out)
	}
}

// part formats a share, rounded down.
func part(some, all int) string {
	if some == all {
		return "1.00"
	}
	return fmt.Sprintf(".%03d", 1000*some/all)
}
