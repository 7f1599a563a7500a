package main

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/blevesearch/bleve/v2"

	"pubd/geo"
	"pubd/index"
)

type plainService struct {
	index bleve.Index
	pubs  map[string]*plainPub
	all   []*plainPub
}

// plainPub is a pub as it is answered.
type plainPub struct {
	UID         string   `json:"uid"`
	Name        string   `json:"name"`
	Location    string   `json:"location,omitempty"`
	Trading     string   `json:"trading,omitempty"`
	Latitude    *float64 `json:"latitude"`
	Longitude   *float64 `json:"longitude"`
	Category    string   `json:"common_category,omitempty"`
	Beer        *float64 `json:"beer"`
	Atmos       *float64 `json:"atmos"`
	Fengshui    *float64 `json:"fengshui"`
	Service     *float64 `json:"service"`
	Toilets     *float64 `json:"toilets"`
	Total       *float64 `json:"total"`
	ReviewCount int64    `json:"review_count"`
	Distance    *float64 `json:"distance,omitempty"`
	rated       bool
}

type plainAnswer struct {
	Results      []plainPub `json:"results"`
	TotalResults int        `json:"total_results"`
	TotalPubs    int        `json:"total_pubs"`
}

func newPlainService(directory *index.Directory, dir string) (*plainService, error) {
	built, err := plainIndex(directory, dir)
	if err != nil {
		return nil, err
	}
	s := &plainService{index: built, pubs: map[string]*plainPub{}}
	for i := range directory.Pubs {
		pub := &directory.Pubs[i]
		known := func(value float64) *float64 {
			if math.IsNaN(value) {
				return nil
			}
			return &value
		}
		p := &plainPub{UID: pub.UID, Name: pub.Name, Location: pub.Location, Trading: pub.Trading, Latitude: known(pub.Latitude),
			Longitude: known(pub.Longitude), Category: pub.Category, ReviewCount: pub.ReviewCount, rated: directory.IsRated(pub)}
		for metric, field := range []**float64{&p.Beer, &p.Atmos, &p.Fengshui, &p.Service, &p.Toilets, &p.Total} {
			*field = known(pub.Ratings[metric])
		}
		s.pubs[pub.UID] = p
		s.all = append(s.all, p)
	}
	return s, nil
}

func (s *plainService) serve(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	answer, status := plainAnswer{TotalPubs: len(s.all)}, http.StatusOK
	var err error
	switch {
	case query.Has("pubid"):
		pub, ok := s.pubs[query.Get("pubid")]
		if !ok {
			status = http.StatusNotFound
			break
		}
		answer.Results, answer.TotalResults = []plainPub{*pub}, 1
	case query.Has("lat"):
		err = s.within(query, &answer)
	default:
		size := integerOr(query.Get("amount"), 20)
		var uids []string
		uids, answer.TotalResults, err = s.search(query.Get("search"), query.Get("rated") == "true",
			cmp.Or(query.Get("sort"), "name"), query.Get("order"), (integerOr(query.Get("page"), 1)-1)*size, size)
		for _, uid := range uids {
			answer.Results = append(answer.Results, *s.pubs[uid])
		}
	}
	if err != nil {
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// within looks at the distance of every pub, or of every pub with the words, nearest first.
func (s *plainService) within(query url.Values, answer *plainAnswer) error {
	candidates := s.all
	if text := query.Get("search"); text != "*" {
		uids, _, err := s.search(text, false, "", "", 0, len(s.all))
		if err != nil {
			return err
		}
		candidates = nil
		for _, uid := range uids {
			candidates = append(candidates, s.pubs[uid])
		}
	}
	var center geo.Point
	var radius float64
	for name, value := range map[string]*float64{"lat": &center.Lat, "lng": &center.Lng, "distance": &radius} {
		var err error
		if *value, err = strconv.ParseFloat(query.Get(name), 64); err != nil {
			return err
		}
	}
	for _, pub := range candidates {
		if pub.Latitude == nil {
			continue
		}
		if distance := haversine(center, geo.Point{Lat: *pub.Latitude, Lng: *pub.Longitude}); distance <= radius {
			near := *pub
			near.Distance = &distance
			answer.Results = append(answer.Results, near)
		}
	}
	slices.SortFunc(answer.Results, func(a, b plainPub) int {
		return cmp.Or(cmp.Compare(*a.Distance, *b.Distance), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	answer.TotalResults = len(answer.Results)
	answer.Results = answer.Results[:min(len(answer.Results), integerOr(query.Get("amount"), 1000))]
	return nil
}

// haversine is the distance of two points in kilometres.
func haversine(a, b geo.Point) float64 {
	const degree = math.Pi / 180
	lat, lng := math.Sin((b.Lat-a.Lat)*degree/2), math.Sin((b.Lng-a.Lng)*degree/2)
	return 2 * float64(geo.EarthRadius) * math.Asin(math.Sqrt(lat*lat+math.Cos(a.Lat*degree)*math.Cos(b.Lat*degree)*lng*lng))
}
