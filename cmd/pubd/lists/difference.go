package lists

import (
	"cmp"
	"math"
	"slices"

	"pubd/geo"
	"pubd/index"
)

// A Difference is how a new directory differs from an old one, as pubd diff --json writes it. Lists are in the order
// of the old directory, except that moves are ordered by length, longest first, and additions are in the order of the
// new one.
type Difference struct {
	Counts differenceCounts `json:"counts"`
	// ReviewCounts says which of the directories has review counts, if only one does.
	ReviewCounts *reviewCounts `json:"review_counts,omitempty"`
	Added        []pubRef      `json:"added"`
	Removed      []pubRef      `json:"removed"`
	Moved        []move        `json:"moved"`
	Renamed      []change      `json:"renamed"`
	Ratings      []change      `json:"ratings"`
	Other        []change      `json:"other"`
}

type reviewCounts struct {
	Old bool `json:"old"`
	New bool `json:"new"`
}

type differenceCounts struct {
	Old     int `json:"old"`
	New     int `json:"new"`
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Moved   int `json:"moved"`
	// Nudged pubs moved by at most a metre, which does not count as a difference.
	Nudged  int            `json:"nudged"`
	Renamed int            `json:"renamed"`
	Ratings map[string]int `json:"ratings"` // by metric
	Other   map[string]int `json:"other"`   // by member
}

// pubRef identifies a pub to people.
type pubRef struct {
	UID      string `json:"UID"`
	Name     string `json:"name"`
	Location string `json:"location,omitempty"`
}

type move struct {
	pubRef
	Metres float64    `json:"metres"`
	Old    [2]float64 `json:"old"` // latitude and longitude
	New    [2]float64 `json:"new"`
}

// change is a member of a pub with its values; nil means missing.
type change struct {
	pubRef
	Member string `json:"member"`
	Old    any    `json:"old"`
	New    any    `json:"new"`
}

// moveTolerance is how many metres the coordinates may change without counting as a move.
const moveTolerance = 1

// compare returns the differences between two directories, whose pubs are matched by UID.
func compare(before, after *index.Directory) *Difference {
	d := &Difference{
		Counts: differenceCounts{Old: len(before.Pubs), New: len(after.Pubs), Ratings: map[string]int{}, Other: map[string]int{}},
		Added:  []pubRef{}, Removed: []pubRef{}, Moved: []move{}, Renamed: []change{}, Ratings: []change{}, Other: []change{},
	}
	if before.CountsReviews != after.CountsReviews {
		d.ReviewCounts = &reviewCounts{before.CountsReviews, after.CountsReviews}
	}
	later := make(map[string]*index.Pub, len(after.Pubs))
	for i := range after.Pubs {
		later[after.Pubs[i].UID] = &after.Pubs[i]
	}
	for i := range before.Pubs {
		was := &before.Pubs[i]
		is, stays := later[was.UID]
		if !stays {
			d.Removed = append(d.Removed, pubRefOf(was))
			continue
		}
		d.compare(was, is)
		delete(later, was.UID)
	}
	for i := range after.Pubs {
		if is := &after.Pubs[i]; later[is.UID] != nil {
			d.Added = append(d.Added, pubRefOf(is))
		}
	}
	slices.SortStableFunc(d.Moved, func(a, b move) int { return cmp.Compare(b.Metres, a.Metres) })
	d.Counts.Added, d.Counts.Removed, d.Counts.Moved, d.Counts.Renamed = len(d.Added), len(d.Removed), len(d.Moved), len(d.Renamed)
	return d
}

// compare adds the differences between two versions of a pub.
func (d *Difference) compare(was, is *index.Pub) {
	pub := pubRefOf(is)
	if was.Name != is.Name {
		d.Renamed = append(d.Renamed, change{pub, "name", was.Name, is.Name})
	}
	from, to := geo.Point{Lat: was.Latitude, Lng: was.Longitude}, geo.Point{Lat: is.Latitude, Lng: is.Longitude}
	switch metres := 1000 * float64(geo.Distance(from.Vector(), to.Vector())); {
	case metres > moveTolerance:
		d.Moved = append(d.Moved, move{pub, math.Round(metres*10) / 10, [2]float64{from.Lat, from.Lng}, [2]float64{to.Lat, to.Lng}})
	case math.IsNaN(metres):
		if math.IsNaN(from.Lat) != math.IsNaN(to.Lat) {
			d.other(pub, "coordinates", coordinates(from), coordinates(to))
		}
	case from != to:
		d.Counts.Nudged++
	}
	for metric := range index.Metric(index.MetricCount) {
		c := &index.Columns[metric.Column()]
		if before, after := c.Value(was), c.Value(is); before != after {
			d.Ratings = append(d.Ratings, change{pub, c.Name, before, after})
			d.Counts.Ratings[c.Name]++
		}
	}
	for i := index.ColumnLocation; i < index.ColumnCount; i++ {
		if c := &index.Columns[i]; c.Kind != index.Decimal {
			d.other(pub, c.Name, c.Value(was), c.Value(is))
		}
	}
}

func (d *Difference) other(pub pubRef, member string, before, after any) {
	if before != after {
		d.Other = append(d.Other, change{pub, member, before, after})
		d.Counts.Other[member]++
	}
}

// IsEmpty reports whether the directories are equal.
func (d *Difference) IsEmpty() bool {
	return len(d.Added)+len(d.Removed)+len(d.Moved)+len(d.Renamed)+len(d.Ratings)+len(d.Other) == 0 && d.ReviewCounts == nil
}

func pubRefOf(pub *index.Pub) pubRef { return pubRef{pub.UID, pub.Name, pub.Location} }

// coordinates returns latitude and longitude, or nil if they are missing.
func coordinates(p geo.Point) any {
	if math.IsNaN(p.Lat) {
		return nil
	}
	return [2]float64{p.Lat, p.Lng}
}
