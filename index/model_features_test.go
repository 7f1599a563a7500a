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
		m.tells[features.OpenNow], m.tells[features.OpenLate] = true, true
	}
}

// values returns the folded values of a facet.
func (pub *modelPub) values(facet Facet) (values []string) {
	switch {
	case facet == Postcode:
		values = append(values, fold(outwardOf(pub.Postcode)))
	case facet >= ExtraFacet:
		if i := int(facet - ExtraFacet); i < len(pub.Extra) {
			values = append(values, fold(pub.Extra[i]))
		}
	case facet != Features:
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
func (pub *modelPub) number(n Number) float64 {
	switch {
	case n < NumberReviews:
		return pub.Ratings[n]
	case n == NumberReviews:
		return float64(pub.ReviewCount)
	case int(n-ExtraNumber) >= len(pub.Extra):
		return math.NaN()
	}
	number, err := strconv.ParseFloat(pub.Extra[n-ExtraNumber], 64)
	if err != nil {
		return math.NaN()
	}
	return number
}

// openAt returns the state of a pub, by its trading status and its rules.
func (pub *modelPub) openAt(when *Moment) hours.State {
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
	return hours.Calendar(schedule.Kind).State(at)
}

// lack returns 0 if a pub is known to be as a query wishes, 2 if it is known not to be, and 1 if that is not known.
func (pub *modelPub) lack(feature string, when Moment) float64 {
	if feature == features.OpenLate {
		when = when.Late()
	}
	if feature == features.OpenNow || feature == features.OpenLate {
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

// modelWishes are features that a query wishes, and the positions of their words.
type modelWishes struct {
	features  []string
	positions []int
}

func (w modelWishes) covers(position int) bool { return slices.Contains(w.positions, position) }

// wishesOf returns the features that the words of a query wish, unless some of the words are used for something else.
func (m *model) wishesOf(query []string, isUsed func(word string) bool) (w modelWishes) {
	words := make([][]byte, len(query))
	for i, word := range query {
		words[i] = []byte(word)
	}
	for i := 0; i < len(query); i++ {
		feature, n := features.BuiltIn().Find(words[i:])
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
