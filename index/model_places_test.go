package index

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// modelPoint is a latitude and a longitude.
type modelPoint [2]float64

// to returns a distance in kilometres, by the haversine formula; NaN if a point is unknown.
func (p modelPoint) to(other modelPoint) float64 {
	const degree = math.Pi / 180
	x, y := math.Sin((p[0]-other[0])*degree/2), math.Sin((p[1]-other[1])*degree/2)
	h := x*x + math.Cos(p[0]*degree)*math.Cos(other[0]*degree)*y*y
	return 2 * 6371.0088 * math.Atan2(math.Sqrt(h), math.Sqrt(max(0, 1-h)))
}

// modelPlace is a phrase with the pubs that are in it.
type modelPlace struct {
	words   []string
	having  modelSet // the pubs that have the phrase
	in      modelSet
	centres []modelPoint
}

// phrase returns folded words without "the" and "and"; "" if they are no phrase.
func phrase(words ...string) string {
	words = dropped(words, modelStops)
	if len(words) == 0 || hasOneOf([]string{words[0], words[len(words)-1]}, modelFiller) || len(words) == 1 && hasOneOf(words, modelGeneric) {
		return ""
	}
	return strings.Join(words, " ")
}

// addressParts returns the parts of an address that are phrases.
func addressParts(address string) (parts []string) {
	for i, piece := range strings.Split(strings.ReplaceAll(address, ";", ","), ",") {
		words := strings.Fields(fold(piece))
		part := words
		for len(part) > 0 && hasDigit(part[0]) {
			part = part[1:]
		}
		isPart := !slices.ContainsFunc(part, hasDigit) && (i > 0 || len(part) < len(words))
		if phrase := phrase(part...); isPart && phrase != "" && !slices.Contains(parts, phrase) {
			parts = append(parts, phrase)
		}
	}
	return parts
}

// outwardCodes returns the outward codes of the words of a postcode.
func outwardCodes(words []string) []string {
	if len(words) != 2 {
		return nil
	}
	code := []rune(words[0])
	if n := len(code); n > 1 && unicode.IsLetter(code[n-1]) && unicode.IsDigit(code[n-2]) {
		return []string{words[0], string(code[:n-1])}
	}
	return words[:1]
}

// findPlaces prepares the places of pubs and of a gazetteer, and the phrases, place words and codes of the pubs.
func (m *model) findPlaces(gazetteer []GazetteerPlace) {
	withPart := map[string]int{} // pubs with coordinates, by part
	for _, pub := range m.pubs {
		for _, part := range addressParts(pub.Address) {
			if pub.hasPoint() {
				withPart[part]++
			}
		}
	}
	for i := range m.pubs {
		pub := &m.pubs[i]
		postcode := strings.Fields(fold(pub.Postcode))
		pub.codes = append(append(slices.Clone(postcode), strings.Join(postcode, "")), outwardCodes(postcode)...)
		pub.phrases = []string{phrase(postcode...), phrase(strings.Join(postcode, ""))}
		for _, code := range outwardCodes(postcode) {
			pub.phrases = append(pub.phrases, phrase(code))
		}
		for _, piece := range slices.Concat(strings.Split(pub.Location, ","), strings.Split(pub.Area, ","), []string{pub.Location, pub.Area}) {
			pub.phrases = append(pub.phrases, phrase(strings.Fields(fold(piece))...))
		}
		for _, part := range addressParts(pub.Address) {
			if withPart[part] >= 3 {
				pub.phrases = append(pub.phrases, part)
			}
		}
		for _, phrase := range pub.phrases {
			m.places[phrase] = &modelPlace{words: strings.Fields(phrase)}
		}
	}
	delete(m.places, "")
	for phrase, place := range m.places {
		having := m.whether(func(pub *modelPub) bool { return slices.Contains(pub.phrases, phrase) })
		place.having, place.in, place.centres = having, having.or(m.insideAll(place.words)), m.centre(having)
	}
	for i := range m.pubs {
		pub := &m.pubs[i]
		pub.placeWords = slices.Clone(pub.location.words)
		for _, part := range addressParts(pub.Address) {
			if withPart[part] >= 3 && m.places[part].centres != nil {
				pub.placeWords = append(pub.placeWords, allSpellings(m.places[part].words)...)
			}
		}
	}
	m.addGazetteer(gazetteer)
}

func containsAll(words, all []string) bool {
	return !slices.ContainsFunc(all, func(word string) bool { return !slices.Contains(words, word) })
}

// insideAll and namedAll return the pubs that have all words in location and area, and in their names.
func (m *model) insideAll(words []string) modelSet {
	return m.whether(func(pub *modelPub) bool { return containsAll(pub.location.words, words) })
}

func (m *model) namedAll(words []string) modelSet {
	return m.whether(func(pub *modelPub) bool { return containsAll(pub.name.words, words) })
}

// within returns the pubs within a distance in kilometres of one of some points.
func (m *model) within(kilometres float64, points ...modelPoint) modelSet {
	return m.whether(func(pub *modelPub) bool {
		return slices.ContainsFunc(points, func(point modelPoint) bool { return pub.point().to(point) <= kilometres })
	})
}

// centre returns the centre of pubs that are tight; none of others.
func (m *model) centre(set modelSet) []modelPoint {
	var centre modelPoint
	located := set.and(m.whether((*modelPub).hasPoint))
	n := located.count()
	if n == 0 {
		return nil
	}
	for axis := range centre {
		var values []float64
		for i := range m.pubs {
			if located[i] {
				values = append(values, m.pubs[i].point()[axis])
			}
		}
		slices.Sort(values)
		centre[axis] = (values[(n-1)/2] + values[n/2]) / 2
	}
	if m.within(50, centre).and(located).count() < (n+1)/2 {
		return nil
	}
	return []modelPoint{centre}
}

// addGazetteer adds the points of a gazetteer, and the pubs near them.
func (m *model) addGazetteer(gazetteer []GazetteerPlace) {
	largest := map[string][]GazetteerPlace{}
	for _, row := range gazetteer {
		phrase := phrase(strings.Fields(fold(row.Name))...)
		switch others := largest[phrase]; {
		case len(others) == 0 || row.Population > others[0].Population:
			largest[phrase] = []GazetteerPlace{row}
		case row.Population == others[0].Population:
			largest[phrase] = append(others, row)
		}
	}
	delete(largest, "")
	for phrase, rows := range largest {
		words := strings.Fields(phrase)
		place := modelPlace{words: words, in: m.insideAll(words)}
		if old := m.places[phrase]; old != nil {
			place = *old
		}
		before := place.in
		for _, row := range rows {
			point := modelPoint{row.At.Lat, row.At.Lng}
			place.centres = append(slices.Clone(place.centres), point)
			if m.within(5, point).and(before).count() == 0 {
				place.in = place.in.or(m.within(1, point))
			}
		}
		if m.namedAll(words).count() <= place.in.count() {
			m.places[phrase] = &place
		}
	}
}

// A namedPlace is a place at the end or the beginning of a query, and what is left of the query.
type namedPlace struct {
	*modelPlace
	rest []modelWord
}

// placesOf returns the places of a query in the order in which they are looked at.
func (m *model) placesOf(query []string) (all []namedPlace) {
	trimmed := query
	for len(trimmed) > 0 && slices.Contains(modelUsual, trimmed[len(trimmed)-1]) {
		trimmed = trimmed[:len(trimmed)-1]
	}
	for _, words := range [][]string{query, trimmed} {
		words = m.withoutInward(words)
		for at := range words {
			if place := m.places[strings.Join(words[at:], " ")]; place != nil && len(all) == 0 {
				all = append(all, namedPlace{modelPlace: place})
				for _, word := range without(words[:at], modelUsual) {
					all[0].rest = append(all[0].rest, modelWord{text: word})
				}
			}
		}
	}
	for at := len(query) - 1; at > 0; at-- {
		if place := m.places[strings.Join(query[:at], " ")]; place != nil {
			if len(all) == 0 || place != all[0].modelPlace {
				all = append(all, namedPlace{place, lastOf(without(query[at:], modelUsual))})
			}
			break
		}
	}
	slices.SortStableFunc(all, func(a, b namedPlace) int { return len(b.words) - len(a.words) })
	return all
}

// withoutInward returns the words of a query without the inward code at its end, if no pub has the postcode and what
// is before it is a phrase with a digit.
func (m *model) withoutInward(words []string) []string {
	text := strings.Join(words, " ")
	code := []rune(text)
	cut := len(code) - 3
	if cut < 1 || !unicode.IsDigit(code[cut]) || !unicode.IsLetter(code[cut+1]) || !unicode.IsLetter(code[cut+2]) {
		return words
	}
	before := strings.Fields(string(code[:cut]))
	outward := before[len(before)-1]
	postcode := strings.TrimPrefix(text[len(strings.Join(before[:len(before)-1], " ")):], " ")
	if m.places[postcode] != nil || m.places[outward] == nil || !hasDigit(outward) {
		return words
	}
	return before
}
