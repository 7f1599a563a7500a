package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"pubd/geo"
	"pubd/httpapi/client"
)

// A typed is a question as people type it into a directory, with what a person would accept.
type typed struct {
	Question string
	// Means is "one" if a certain pub is meant, "list" for any of several, "none" if there is nothing such.
	Means string
	// Accept is a regular expression on "name | address | postcode | location | area".
	Accept string
	// Near is where the person is; then the pubs must be Within kilometres, unless that is 0.
	Near   [2]float64
	Within float64 `json:"within_km"`
	// Need and NeedNear are how many of the first shown pubs must be acceptable. If 0, an answer must be empty or
	// relaxed.
	Need     int
	NeedNear int `json:"need_near"`
}

// shown is how many pubs a person looks at.
const shown = 5

// people are the results of questions: by kind how many were asked and how many passed, and the ones that did not.
type people struct {
	counted, passed map[string]int
	missed          []string
}

// measurePeople asks the questions of a JSON file, as text and near their points.
func (s pubd) measurePeople(ctx context.Context, file string) (*people, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var questions []typed
	if err := json.Unmarshal(text, &questions); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	problems := make([]string, 2*len(questions))
	err = each(len(problems), func(i int) (err error) {
		problems[i], err = s.measurePerson(ctx, &questions[i/2], i%2 == 1)
		return err
	})
	if err != nil {
		return nil, err
	}
	p := &people{counted: map[string]int{}, passed: map[string]int{}}
	for i, problem := range problems {
		kind := questions[i/2].Means + []string{", as text", ", near a point"}[i%2]
		p.counted[kind]++
		if problem == "" {
			p.passed[kind]++
		} else {
			p.missed = append(p.missed, fmt.Sprintf("`%s` (%s): %s", questions[i/2].Question, kind, problem))
		}
	}
	return p, nil
}

// measurePerson asks a question and returns what is wrong with the answer, "" if nothing.
func (s pubd) measurePerson(ctx context.Context, q *typed, near bool) (problem string, err error) {
	accept, err := regexp.Compile("(?i)" + q.Accept)
	if err != nil {
		return "", err
	}
	query := client.Query{Search: q.Question, Sort: client.SortRelevance, Amount: shown, More: true, Include: []client.Member{client.MemberAddress}}
	need := q.Need
	if near {
		query.Near, need = pointOf(geo.Point{Lat: q.Near[0], Lng: q.Near[1]}), q.NeedNear
	}
	answer, err := s.Search(ctx, query)
	if err != nil {
		return "", err
	}
	good := 0
	for _, pub := range answer.Results {
		fields := []string{pub.Name}
		for _, field := range []*string{pub.Address, pub.Postcode, pub.Location, pub.Area} {
			fields = append(fields, *cmp.Or(field, new("")))
		}
		isFar := near && q.Within > 0 && float64(*pub.Distance) > q.Within
		if accept.MatchString(strings.Join(fields, " | ")) && !isFar {
			good++
		}
	}
	switch {
	case need > 0 && good < need:
		return fmt.Sprintf("%d of %d", good, need), nil
	case need == 0 && len(answer.Results) > 0 && answer.Relaxed == nil:
		return "found by a strict search", nil
	}
	return "", nil
}

// write writes the results as a table and a list.
func (p *people) write(out io.Writer) {
	fmt.Fprintf(out, "\n## Questions of people\n\nQuestions as people type them. A person looks at the first %d pubs.\n\n"+
		"| kind | questions | content |\n|---|--:|--:|\n", shown)
	total, passed := 0, 0
	for _, kind := range slices.Backward(slices.Sorted(maps.Keys(p.counted))) {
		total, passed = total+p.counted[kind], passed+p.passed[kind]
		fmt.Fprintf(out, "| %s | %d | %d |\n", kind, p.counted[kind], p.passed[kind])
	}
	fmt.Fprintf(out, "| all | %d | %d |\n\nMissed:\n\n", total, passed)
	for _, missed := range p.missed {
		fmt.Fprintf(out, "- %s\n", missed)
	}
}
