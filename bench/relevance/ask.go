package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"pubd/bench/stage"
	"pubd/geo"
	"pubd/httpapi/client"
)

// first is how many pubs of an answer count, suggested how many suggestions.
const first, suggested = 10, 5

// A way is one to ask for a pub. Within a radius the nearest come first, otherwise the best match.
type way struct {
	name   string
	radius float64 // kilometres; 0 for none
	near   float64 // kilometres off; 0 for none
	sorted client.Sort
	place  bool // is added to the name
}

var ways = []way{
	{name: "within 500 m", radius: 0.5, sorted: client.SortDistance},
	{name: "within 5 km", radius: 5, sorted: client.SortRelevance},
	{name: "name and place", sorted: client.SortRelevance, place: true},
	{name: "near, 1.5 km off", near: 1.5, sorted: client.SortRelevance},
}

// The ways in which PostgreSQL is asked, too, and in which pubs that do not exist are asked for.
const near500m, within5km, byPlace = 0, 1, 2

// text returns the text of a question.
func (w way) text(q question) string {
	if w.place && !q.hasPlace {
		return q.text + " " + q.place
	}
	return q.text
}

func pointOf(at geo.Point) *client.Point { return &client.Point{Lat: at.Lat, Lng: at.Lng} }

// shares are how many of some questions were asked, answered at all, and answered with the pub that is meant among the first ten and first.
type shares struct{ asked, answered, found, first int }

// sharesOf counts answers, which are UIDs.
func sharesOf(questions []question, answers [][]string) (s shares) {
	for i, q := range questions {
		place := slices.Index(answers[i], q.uid)
		s = shares{s.asked + 1, s.answered + one(len(answers[i]) > 0), s.found + one(place >= 0), s.first + one(place == 0)}
	}
	return s
}

func one(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// A searcher answers questions for pubs.
type searcher interface {
	find(ctx context.Context, w way, questions []question) (shares, error)
}

// pubd is the server that is measured.
type pubd struct {
	*stage.Server
	*client.Client
}

func startPubd(ctx context.Context, program, data string) (s pubd, err error) {
	if s.Server, err = stage.NewServer(data); err != nil {
		return s, err
	}
	if err = s.Start(ctx, nil, program, "--access-log", "off"); err != nil {
		return s, err
	}
	s.Client, err = client.New("http://"+s.API, "demo")
	return s, err
}

// each calls do for all questions, some at a time, until one fails.
func each(questions []question, do func(i int, q question) error) error {
	const workers = 4
	var all sync.WaitGroup
	var errs [workers]error
	for worker := range workers {
		all.Go(func() {
			for i := worker; i < len(questions) && errs[worker] == nil; i += workers {
				errs[worker] = do(i, questions[i])
			}
		})
	}
	all.Wait()
	return errors.Join(errs[:]...)
}

// find asks all questions one way.
func (s pubd) find(ctx context.Context, w way, questions []question) (shares, error) {
	answers := make([][]string, len(questions))
	err := each(questions, func(i int, q question) error {
		asked := client.Query{Search: w.text(q), Sort: w.sorted, Fields: []client.Member{client.MemberUID}, Amount: first}
		if w.radius > 0 {
			asked.Center, asked.Distance = pointOf(q.at), new(client.Kilometres(w.radius))
		}
		if w.near > 0 {
			asked.Near = pointOf(aside(q.pair, w.near))
		}
		answer, err := s.Search(ctx, asked)
		if err != nil {
			return err
		}
		for _, pub := range answer.Results {
			answers[i] = append(answers[i], pub.UID)
		}
		return nil
	})
	return sharesOf(questions, answers), err
}

// typeNames types names letter by letter, and returns, sorted, how many keys each takes until the pub is among what is suggested; one more
// than it has where it never is.
func (s pubd) typeNames(ctx context.Context, questions []question) ([]int, error) {
	keys := make([]int, len(questions))
	err := each(questions, func(i int, q question) error {
		letters := []rune(q.text)
		isMeant := func(s client.Suggestion) bool {
			return s.UID == q.uid || s.Type == "pub" && strings.EqualFold(s.Name, q.pub.Name) && s.Location == q.pub.Location ||
				s.Type == "name" && s.Pubs == 1 && s.Text == q.pub.Name
		}
		for keys[i] = 1; keys[i] <= len(letters); keys[i]++ {
			answer, err := s.Suggest(ctx, client.Query{Search: string(letters[:keys[i]]), Amount: suggested, Near: pointOf(aside(q.pair, 1.5))})
			if err != nil || slices.ContainsFunc(answer.Suggestions, isMeant) {
				return err
			}
		}
		return nil
	})
	slices.Sort(keys)
	return keys, err
}
