package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"

	"pubd/bench/stage"
	"pubd/geo"
)

// first is how many pubs of an answer count.
const first = 10

// A way is one to ask for a pub. Within a radius the nearest come first, otherwise the best match.
type way struct {
	name   string
	radius float64 // kilometres; 0 for none
	near   float64 // kilometres off; 0 for none
	sorted string
	place  bool // is added to the name
}

var ways = []way{
	{name: "within 500 m", radius: 0.5, sorted: "distance"},
	{name: "within 5 km", radius: 5, sorted: "relevance"},
	{name: "name and place", sorted: "relevance", place: true},
	{name: "near, 1.5 km off", near: 1.5, sorted: "relevance"},
}

// The ways in which PostgreSQL is asked, too, and in which strangers are.
const near500m, within5km, byPlace = 0, 1, 2

// text is what is asked for.
func (w way) text(q question) string {
	if w.place && !q.hasPlace {
		return q.text + " " + q.place
	}
	return q.text
}

func (w way) query(q question) url.Values {
	values := url.Values{"search": {w.text(q)}, "sort": {w.sorted}, "fields": {"UID"}, "amount": {fmt.Sprint(first)}}
	if w.radius > 0 {
		values["lat"], values["lng"], values["distance"] = []string{fmt.Sprint(q.at.Lat)}, []string{fmt.Sprint(q.at.Lng)}, []string{fmt.Sprint(w.radius)}
	}
	if w.near > 0 {
		values["near"] = []string{nearValue(aside(q.pair, w.near))}
	}
	return values
}

func nearValue(at geo.Point) string { return fmt.Sprintf("%.6f,%.6f", at.Lat, at.Lng) }

// shares are how many of some questions were asked, answered at all, and answered with the pub that is meant among the first ten and first.
type shares struct{ asked, answered, found, first int }

func (s *shares) count(uids []string, meant string) {
	s.asked++
	s.answered += one(len(uids) > 0)
	place := slices.Index(uids, meant)
	s.found += one(place >= 0 && place < first)
	s.first += one(place == 0)
}

func one(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// pubd is the server that is measured.
type pubd struct {
	*stage.Process
	address string
}

func startPubd(ctx context.Context, dir, program, data string) (*pubd, error) {
	var err error
	if program == "" {
		if program, err = stage.BuildPubd(ctx, dir); err != nil {
			return nil, err
		}
	}
	address, err1 := stage.FreeAddress()
	admin, err2 := stage.FreeAddress()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	p, err := stage.Start(ctx, stage.Command(ctx, nil, program, "serve", "--data", data, "--listen", address, "--admin", admin,
		"--access-log", "off", "--drain-delay", "0s"), syscall.SIGTERM, stage.Answering("http://"+admin+"/readyz"))
	return &pubd{p, address}, err
}

// get asks for JSON.
func (s *pubd) get(ctx context.Context, path string, values url.Values, body any) error {
	target := "http://" + s.address + path + "?" + values.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	request.Header.Set("x-api-key", "demo")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: status %d: %s", target, response.StatusCode, content)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(content, body)
}

// each calls do for all questions, some at a time, and returns the first error.
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
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A finder is asked for pubs.
type finder interface {
	find(ctx context.Context, w way, questions []question) (shares, error)
}

// find asks all questions one way.
func (s *pubd) find(ctx context.Context, w way, questions []question) (sum shares, err error) {
	found := make([][]string, len(questions))
	err = each(questions, func(i int, q question) error {
		var answer struct{ Results []struct{ UID string } }
		err := s.get(ctx, "/api/v1/pubs/", w.query(q), &answer)
		for _, pub := range answer.Results {
			found[i] = append(found[i], pub.UID)
		}
		return err
	})
	for i, q := range questions {
		sum.count(found[i], q.uid)
	}
	return sum, err
}

// suggested is how many suggestions are looked at.
const suggested = 5

// typeNames types names letter by letter, and is how many keys each takes until the pub is among what is suggested; one more than it has
// where it never is.
func (s *pubd) typeNames(ctx context.Context, questions []question) ([]int, error) {
	keys := make([]int, len(questions))
	err := each(questions, func(i int, q question) error {
		letters := []rune(q.text)
		for keys[i] = 1; keys[i] <= len(letters); keys[i]++ {
			var answer struct {
				Suggestions []struct {
					Name, Location, Type, Text string
					Pubs                       int
				}
			}
			if err := s.get(ctx, "/api/v1/suggest", url.Values{"search": {string(letters[:keys[i]])}, "amount": {fmt.Sprint(suggested)},
				"near": {nearValue(aside(q.pair, 1.5))}}, &answer); err != nil {
				return err
			}
			for _, one := range answer.Suggestions {
				if one.Type == "pub" && strings.EqualFold(one.Name, q.pub.Name) && one.Location == q.pub.Location ||
					one.Type == "name" && one.Pubs == 1 && strings.EqualFold(one.Text, q.pub.Name) {
					return nil
				}
			}
		}
		return nil
	})
	slices.Sort(keys)
	return keys, err
}
