package index

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/schema"
	"pubd/index/segment"
	"pubd/index/text"
)

// readFeatures reads what a pub offers, and what the directory tells of.
func (m *model) readFeatures(pub *modelPub) {
	for _, feature := range strings.Split(pub.Features, ";") {
		name, isDenied := strings.CutPrefix(strings.TrimSpace(feature), "-")
		if name == "" {
			continue
		}
		if known, ok := features.BuiltIn().Named(name); ok {
			name = known
		}
		pub.offers[name] = pub.offers[name] || !isDenied
		m.tells[name] = true
	}
	if _, err := hours.Parse(pub.OpeningHours); err == nil && pub.OpeningHours != "" && pub.Trading != "Closed" {
		m.tells[features.OpenNow], m.tells[features.OpenLate], m.tells[features.OpenAt] = true, true, true
	}
}

// values returns the folded values of a facet.
func (pub *modelPub) values(facet schema.Facet) (values []string) {
	switch {
	case facet == schema.Postcode:
		values = append(values, fold(outwardOf(pub.Postcode)))
	case facet >= schema.ExtraFacet:
		if i := int(facet - schema.ExtraFacet); i < len(pub.Extra) {
			values = append(values, fold(pub.Extra[i]))
		}
	case facet != schema.Features:
		values = append(values, fold(facet.Value(&pub.Pub)))
	default:
		for name, has := range pub.offers {
			if has {
				values = append(values, fold(name))
			}
		}
	}
	return slices.DeleteFunc(values, func(value string) bool { return value == "" })
}

var compactPostcode = regexp.MustCompile(`^([A-Za-z].{1,3})[0-9][A-Za-z]{2}$`)

// outwardOf returns the outward code of a postcode.
func outwardOf(postcode string) string {
	if parts := compactPostcode.FindStringSubmatch(postcode); parts != nil && !strings.Contains(postcode, " ") {
		return parts[1]
	}
	first, _, _ := strings.Cut(postcode, " ")
	return first
}

// offersAny reports whether a pub has, or is known not to have, one of some features.
func (pub *modelPub) offersAny(alternatives string) bool {
	for alternative := range strings.SplitSeq(alternatives, "|") {
		wanted, lacks := strings.CutPrefix(alternative, "-")
		for name, has := range pub.offers {
			if fold(name) == fold(wanted) && has != lacks {
				return true
			}
		}
	}
	return false
}

// number returns a number of a pub; NaN if it has none.
func (pub *modelPub) number(n schema.Number) float64 {
	switch {
	case n < schema.NumberReviews:
		return pub.Ratings[n]
	case n == schema.NumberReviews:
		return float64(pub.ReviewCount)
	case int(n-schema.ExtraNumber) >= len(pub.Extra):
		return math.NaN()
	}
	number, err := strconv.ParseFloat(pub.Extra[n-schema.ExtraNumber], 64)
	if err != nil {
		return math.NaN()
	}
	return number
}

// openAt returns the state of a pub, by its trading status and its rules: of a moment that lasts, open if it is at any
// half hour or the first minute of it; always, what it is at all of a year, at worst.
func (pub *modelPub) openAt(when *hours.Moment) hours.State {
	if pub.Trading == "Closed" {
		return hours.Closed
	}
	schedule, err := hours.Parse(pub.OpeningHours)
	if err != nil || pub.OpeningHours == "" {
		return hours.Unknown
	}
	at := when.Wall
	if !when.IsWall {
		zone, err := time.LoadLocation(cmp.Or(pub.TimeZone, when.Zone.String()))
		if err != nil {
			panic(err)
		}
		at = hours.LocalOf(when.Instant.In(zone))
	}
	if when.Always {
		return pub.alwaysOpen(schedule)
	}
	states := map[hours.State]bool{hours.Calendar(schedule.Kind).State(at): true}
	for minute := at + 1; minute < at+hours.Local(when.Minutes); minute++ {
		if minute%30 == 0 {
			states[hours.Calendar(schedule.Kind).State(minute)] = true
		}
	}
	switch {
	case states[hours.Open]:
		return hours.Open
	case states[hours.Unknown]:
		return hours.Unknown
	}
	return hours.Closed
}

// alwaysOpen returns the state of a pub of which every half hour of some years counts.
func (pub *modelPub) alwaysOpen(schedule hours.Schedule) hours.State {
	if always, known := alwaysByHours[pub.OpeningHours]; known {
		return always
	}
	always := hours.Open
	for at := hours.Local(0); at < 2*366*24*60; at += 30 {
		switch state := hours.Calendar(schedule.Kind).State(at); {
		case state == hours.Closed:
			always = state
		case state == hours.Unknown && always == hours.Open:
			always = state
		}
	}
	alwaysByHours[pub.OpeningHours] = always
	return always
}

var alwaysByHours = map[string]hours.State{}

// lack returns 0 if a pub is known to be as a query wishes, 2 if it is known not to be, and 1 if that is not known.
func (pub *modelPub) lack(feature string, when hours.Moment, query []string) float64 {
	switch feature {
	case features.OpenLate:
		when = when.Late()
	case features.OpenAt:
		when = segment.MomentOf(timeOf(query, when))
	}
	if strings.HasPrefix(feature, "open_") {
		return [...]float64{hours.Unknown: 1, hours.Closed: 2, hours.Open: 0}[pub.openAt(&when)]
	}
	has, isTold := pub.offers[feature]
	switch {
	case has:
		return 0
	case isTold:
		return 2
	}
	return 1
}

// timeOf returns the time at which the words of a query ask pubs to be open.
func timeOf(query []string, when hours.Moment) features.Time {
	return features.FindTime(phraseOf(query), when.In(nil))
}

func phraseOf(query []string) (words text.Phrase) {
	for _, word := range query {
		words = append(words, []byte(word))
	}
	return words
}

// modelWishes are features that a query wishes, and the positions of their words.
type modelWishes struct {
	features  []string
	positions []int
}

func (w modelWishes) covers(position int) bool { return slices.Contains(w.positions, position) }

// wishesOf returns the features that the words of a query wish, unless some of the words are used for something else.
func (m *model) wishesOf(query []string, isUsed func(word string) bool) (w modelWishes) {
	words, timed := phraseOf(query), features.Time{}
	if m.tells[features.OpenAt] {
		timed = timeOf(query, hours.Moment{})
	}
	says := func(i int) bool { return i < 64 && timed.Words>>i&1 == 1 }
	for i := 0; i < len(query); i++ {
		feature, n := features.BuiltIn().Find(words[i:])
		for j := range n {
			if says(i + j) {
				n = 0
			}
		}
		for says(i) && says(i+n) {
			feature, n = features.OpenAt, n+1
		}
		if n == 0 || n == 1 && is(query[i], text.Kind) || !m.tells[feature] {
			continue
		}
		if !slices.ContainsFunc(query[i:i+n], isUsed) {
			if !slices.Contains(w.features, feature) {
				w.features = append(w.features, feature)
			}
			for j := range n {
				w.positions = append(w.positions, i+j)
			}
		}
		i += n - 1
	}
	return w
}

// wishedIn returns the features that a query wishes besides what a try has used.
func (m *model) wishedIn(t *modelTry, query []string) modelWishes {
	if t == nil || t.step == "" {
		return modelWishes{}
	}
	used := textsOf(t.words)
	for _, place := range []*modelPlace{t.place, t.larger} {
		if place != nil {
			used = append(used, place.words...)
		}
	}
	used = append(used, strings.Fields(t.direction)...)
	return m.wishesOf(query, func(word string) bool { return slices.Contains(used, word) })
}
