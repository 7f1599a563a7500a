package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"pubd/geo"
	"pubd/index"
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
func (s *searcher) measurePeople(file string) (*people, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var questions []typed
	if err := json.Unmarshal(text, &questions); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := &people{counted: map[string]int{}, passed: map[string]int{}}
	for i := range questions {
		q := &questions[i]
		accept, err := regexp.Compile("(?i)" + q.Accept)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, isNear := range []bool{false, true} {
			kind := q.Means + ", as text"
			if isNear {
				kind = q.Means + ", near a point"
			}
			p.counted[kind]++
			if problem := s.measurePerson(q, accept, isNear); problem == "" {
				p.passed[kind]++
			} else {
				p.missed = append(p.missed, fmt.Sprintf("`%s` (%s): %s", q.Question, kind, problem))
			}
		}
	}
	return p, nil
}

// measurePerson asks a question and returns what is wrong with the answer, "" if nothing.
func (s *searcher) measurePerson(q *typed, accept *regexp.Regexp, isNear bool) (problem string) {
	query := index.Query{Text: []byte(q.Question), Sort: index.SortRelevance, Amount: shown, More: true}
	need := q.Need
	if isNear {
		query.Circle, query.Near, need = near(geo.Point{Lat: q.Near[0], Lng: q.Near[1]}), true, q.NeedNear
	}
	found := s.Search(&query, &s.work)
	good := 0
	for i, ordinal := range found.Pubs {
		pub := s.Pub(ordinal)
		text := strings.Join([]string{pub.Name, pub.Address, pub.Postcode, pub.Location, pub.Area}, " | ")
		isFar := isNear && q.Within > 0 && float64(found.Distances[i]) > q.Within
		if accept.MatchString(text) && !isFar {
			good++
		}
	}
	switch {
	case need > 0 && good < need:
		return fmt.Sprintf("%d of %d", good, need)
	case need == 0 && len(found.Pubs) > 0 && found.Step == index.NotRelaxed:
		return "found by a strict search"
	}
	return ""
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
