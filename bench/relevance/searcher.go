package main

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"pubd/bench/stage"
	"pubd/geo"
	"pubd/httpapi/client"
)

// How many results and how many suggestions count.
const first, suggested = 10, 5

// A way is a way to search for a pub.
type way struct {
	name   string
	radius float64 // kilometres; 0 for no circle
	near   float64 // kilometres between near and the target; 0 for no near
	sorted client.Sort
	place  bool // the location is added to the name
}

var (
	within500m   = way{name: "within 500 m", radius: 0.5, sorted: client.SortDistance}
	within5km    = way{name: "within 5 km", radius: 5, sorted: client.SortRelevance}
	nameAndPlace = way{name: "name and place", sorted: client.SortRelevance, place: true}
	near         = way{name: "near, 1.5 km off", near: 1.5, sorted: client.SortRelevance}
	ways         = []way{within500m, within5km, nameAndPlace, near}
)

// text returns the search text of a question.
func (w way) text(q question) string {
	if w.place && !q.hasPlace {
		return q.text + " " + q.place
	}
	return q.text
}

func pointOf(at geo.Point) *client.Point { return &client.Point{Lat: at.Lat, Lng: at.Lng} }

// shares counts questions: those asked, those with any result, those with the target among the first results, and
// those with the target first.
type shares struct{ total, answered, found, first int }

// sharesOf counts answers, each of which is a list of UIDs.
func sharesOf(questions []question, answers [][]string) shares {
	s := shares{total: len(questions)}
	for i, q := range questions {
		if len(answers[i]) > 0 {
			s.answered++
		}
		place := slices.Index(answers[i], q.pub.UID)
		if place >= 0 {
			s.found++
		}
		if place == 0 {
			s.first++
		}
	}
	return s
}

// A searcher answers questions.
type searcher interface {
	find(ctx context.Context, w way, questions []question) (shares, error)
}

// pubd is the server under test.
type pubd struct {
	*stage.Server
	*client.Client
}

func startPubd(ctx context.Context, program, data, places string) (s pubd, err error) {
	if s.Server, err = stage.NewServer(data); err != nil {
		return s, err
	}
	flags := []string{"--access-log", "off"}
	if places != "" {
		flags = append(flags, "--places", places)
	}
	if err = s.Start(ctx, nil, program, flags...); err != nil {
		return s, err
	}
	s.Client, err = client.New("http://"+s.API, "demo")
	return s, err
}

// each calls do for all questions, four at a time, and returns the first error.
func each(questions []question, do func(i int, q question) error) error {
	var all errgroup.Group
	all.SetLimit(4)
	for i, q := range questions {
		all.Go(func() error { return do(i, q) })
	}
	return all.Wait()
}

// find implements searcher.
func (s pubd) find(ctx context.Context, w way, questions []question) (shares, error) {
	answers := make([][]string, len(questions))
	err := each(questions, func(i int, q question) error {
		query := client.Query{Search: w.text(q), Sort: w.sorted, Fields: []client.Member{client.MemberUID}, Amount: first}
		if w.radius > 0 {
			query.Center, query.Distance = pointOf(q.at), new(client.Kilometres(w.radius))
		}
		if w.near > 0 {
			query.Near = pointOf(aside(q.target, w.near))
		}
		answer, err := s.Search(ctx, query)
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

// typeNames types names letter by letter. It returns how many keystrokes each takes until the pub is suggested, in
// ascending order. A name whose pub is never suggested counts as one more than its length.
func (s pubd) typeNames(ctx context.Context, questions []question) ([]int, error) {
	keys := make([]int, len(questions))
	err := each(questions, func(i int, q question) error {
		letters := []rune(q.text)
		isMeant := func(s client.Suggestion) bool {
			return s.UID == q.pub.UID || s.Type == "pub" && strings.EqualFold(s.Name, q.pub.Name) && s.Location == q.pub.Location ||
				s.Type == "name" && s.Pubs == 1 && s.Text == q.pub.Name
		}
		for keys[i] = 1; keys[i] <= len(letters); keys[i]++ {
			answer, err := s.Suggest(ctx, client.Query{Search: string(letters[:keys[i]]), Amount: suggested, Near: pointOf(aside(q.target, near.near))})
			if err != nil || slices.ContainsFunc(answer.Suggestions, isMeant) {
				return err
			}
		}
		return nil
	})
	slices.Sort(keys)
	return keys, err
}
