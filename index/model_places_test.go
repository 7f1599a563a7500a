package index

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"pubd/index/corpus"
	"pubd/index/features"
	"pubd/index/text"
)

// modelPoint is a latitude and a longitude.
type modelPoint [2]float64

// to returns a distance in kilometres, by the haversine formula; NaN if a point is unknown.
func (p modelPoint) to(other modelPoint) float64 {
	const degree = math.Pi / 180
	x, y := math.Sin((p[0]*degree-other[0]*degree)/2), math.Sin((p[1]-other[1])*degree/2)
	h := x*x + math.Cos(p[0]*degree)*math.Cos(other[0]*degree)*y*y
	return 2 * 6371.0088 * math.Atan2(math.Sqrt(h), math.Sqrt(max(0, 1-h)))
}

// modelPlace is a phrase, a name of the gazetteer, or both.
type modelPlace struct {
	words    []string
	having   modelSet // the pubs that have the phrase
	in       modelSet
	centre   []modelPoint // one, or none
	points   []modelPoint // of the gazetteer
	isRegion bool         // is a phrase of a location or an area
}

// phrase returns folded words without "the" and "and"; "" if they are no phrase.
func phrase(words []string) string {
	if words = withoutStops(words); are(words, text.Usual) {
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
		if len(part) == 0 || !isPart || haveA([]string{part[0], part[len(part)-1]}, text.EnglishFiller) {
			continue
		}
		if phrase := phrase(part); phrase != "" && !slices.Contains(parts, phrase) {
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

// regionsOf returns the phrases of the location and the area of a pub.
func regionsOf(pub *modelPub) (phrases []string) {
	for _, piece := range slices.Concat(strings.Split(pub.Location, ","), strings.Split(pub.Area, ","), []string{pub.Location, pub.Area}) {
		phrases = append(phrases, phrase(strings.Fields(fold(piece))))
	}
	return phrases
}

// findPlaces prepares the places of pubs and of a gazetteer, and the phrases, place words and codes of the pubs.
func (m *model) findPlaces(gazetteer []corpus.GazetteerPlace) {
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
		pub.codes = slices.Concat(postcode, []string{strings.Join(postcode, "")}, outwardCodes(postcode))
		pub.phrases = append(regionsOf(pub), phrase(postcode))
		for _, code := range slices.Concat(outwardCodes(postcode), []string{strings.Join(postcode, "")}) {
			pub.phrases = append(pub.phrases, phrase([]string{code}))
		}
		if len(postcode) == 2 && isInward(postcode[1]) {
			pub.phrases = append(pub.phrases, phrase([]string{postcode[0], string([]rune(postcode[1])[:1])}))
		}
		for _, part := range addressParts(pub.Address) {
			if withPart[part] >= 3 {
				pub.phrases = append(pub.phrases, part)
			}
		}
		pub.phrases = slices.DeleteFunc(pub.phrases, func(phrase string) bool { return phrase == "" })
		for _, phrase := range pub.phrases {
			isRegion := m.places[phrase] != nil && m.places[phrase].isRegion || slices.Contains(regionsOf(pub), phrase)
			m.places[phrase] = &modelPlace{words: strings.Fields(phrase), isRegion: isRegion}
		}
	}
	for phrase, place := range m.places {
		place.having = m.whether(func(pub *modelPub) bool { return slices.Contains(pub.phrases, phrase) })
		place.in = m.saysSo(place.words)
		place.centre = m.centre(place.in)
	}
	for i := range m.pubs {
		pub := &m.pubs[i]
		pub.placeWords = slices.Clone(pub.location.words)
		for _, part := range addressParts(pub.Address) {
			if withPart[part] >= 3 && m.centre(m.places[part].having) != nil {
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

// saysSo returns the pubs that have a phrase, or all of its words in location and area.
func (m *model) saysSo(words []string) modelSet {
	inside := m.insideAll(words)
	if place := m.places[strings.Join(words, " ")]; place != nil {
		return inside.or(place.having)
	}
	return inside
}

// isRatherName reports whether more pubs are called like a place than are in it.
func (m *model) isRatherName(place *modelPlace) bool {
	return m.namedAll(place.words).count() > place.in.count()
}

// within returns the pubs within a distance in kilometres of one of some points.
func (m *model) within(kilometres float64, points ...modelPoint) modelSet {
	return m.whether(func(pub *modelPub) bool {
		return slices.ContainsFunc(points, func(point modelPoint) bool { return pub.point().to(point) <= kilometres })
	})
}

// around returns the pubs within a distance of the centre of a place or one of its points.
func (m *model) around(place *modelPlace, kilometres float64) modelSet {
	return m.within(kilometres, slices.Concat(place.centre, place.points)...)
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

// middle returns the point that parts of a place are told from; none if it has no centre and no point.
func (m *model) middle(place *modelPlace) []modelPoint {
	for _, point := range place.points {
		if len(place.centre) > 0 && point.to(place.centre[0]) <= 5 {
			return []modelPoint{point}
		}
	}
	return slices.Concat(place.centre, place.points)[:min(1, len(place.centre)+len(place.points))]
}

// addGazetteer adds the points of a gazetteer, and the pubs near them.
func (m *model) addGazetteer(gazetteer []corpus.GazetteerPlace) {
	rows := map[string][]corpus.GazetteerPlace{} // the largest of each name and alias
	for _, row := range gazetteer {
		for _, name := range append([]string{row.Name}, strings.Split(row.Aliases, ";")...) {
			phrase := phrase(strings.Fields(fold(name)))
			if others := rows[phrase]; len(others) == 0 || row.Population > others[0].Population {
				rows[phrase] = []corpus.GazetteerPlace{row}
			} else if row.Population == others[0].Population {
				rows[phrase] = append(others, row)
			}
		}
	}
	delete(rows, "")
	for name, rows := range rows {
		place := modelPlace{words: strings.Fields(name), having: make(modelSet, len(m.pubs))}
		if old := m.places[name]; old != nil {
			place = *old
		}
		saysSo := m.saysSo(place.words)
		for _, row := range rows {
			if own := phrase(strings.Fields(fold(row.Name))); own != "" {
				saysSo = saysSo.or(m.saysSo(strings.Fields(own)))
			}
		}
		place.in = saysSo
		for _, row := range rows {
			point := modelPoint{row.At.Lat, row.At.Lng}
			place.points = append(place.points, point)
			near := m.within(1, point)
			switch {
			case row.Radius > 0:
				place.in = place.in.or(m.within(float64(row.Radius), point))
			case m.within(5, point).and(saysSo).count() < min(3, near.count()):
				place.in = place.in.or(near)
			}
		}
		if !m.isRatherName(&place) {
			place.centre = m.centre(place.in)
			m.places[name] = &place
		}
	}
}

// modelDenied is what a query denies: words, the pubs that have it, and the feature that they say.
type modelDenied struct {
	words   []string
	pubs    modelSet
	feature string
}

// read returns a query without the numbers of distances and of best pubs and without what it denies, and that.
func (m *model) read(query []string) ([]string, modelDenied) {
	if haveA(query, text.Where|text.Kind) {
		isAt := func(at int, class text.Class) bool { return at >= 0 && at < len(query) && is(query[at], class) }
		isNumber := func(at int) bool {
			isDigits := at >= 0 && !strings.ContainsFunc(query[at], func(r rune) bool { return !unicode.IsDigit(r) })
			return isDigits && (isAt(at+1, text.Unit) || isAt(at-1, text.Best) || isAt(at+1, text.Best))
		}
		var left []string
		for i, word := range query {
			if !isNumber(i) && !(isNumber(i-1) && is(word, text.Unit)) {
				left = append(left, word)
			}
		}
		if len(left) > 0 {
			query = left
		}
	}
	for i, word := range query {
		if !is(word, text.Denial) || i == len(query)-1 || m.namedAll(query[i:i+2]).count() > 0 {
			continue
		}
		from := i + 1
		for from < len(query) && is(query[from], text.Filler) {
			from++
		}
		after := query[from:]
		if len(after) == 0 {
			continue
		}
		denied := modelDenied{words: after[:1]}
		for n := len(after); n > 0; n-- {
			if place := m.place(after[:n]); place != nil {
				if !m.isRatherName(place) {
					denied = modelDenied{after[:n], place.in, ""}
				}
				break
			}
		}
		if denied.pubs == nil {
			words := make([][]byte, len(after))
			for i := range after {
				words[i] = []byte(after[i])
			}
			feature, n := features.BuiltIn().Find(words)
			if n > 0 && m.tells[feature] && !(n == 1 && is(after[0], text.Kind)) {
				denied.words, denied.feature = after[:n], feature
			}
		}
		rest := slices.Concat(query[:i], after[len(denied.words):])
		first := modelWord{text: denied.words[0]}
		if len(rest) == 0 || is(first.text, text.Plain) || hasDigit(first.text) {
			continue
		}
		if denied.pubs == nil && denied.feature == "" && !is(first.text, text.Wish|text.Generic) && !m.isKnown(first) {
			continue
		}
		if denied.pubs == nil {
			denied.pubs = m.granting(denied.words...)
		}
		return rest, denied
	}
	return query, modelDenied{}
}

// granting returns the pubs that have all of some words, which say what pubs should be like, in names or category.
func (m *model) granting(words ...string) modelSet {
	return m.whether(func(pub *modelPub) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !pub.grants(word) })
	})
}

// grants reports whether a pub has a word, whole, in its names or category; a generic one also with an s more or less.
func (pub *modelPub) grants(word string) bool {
	forms := []string{word}
	if is(word, text.Generic) {
		forms = append(forms, word+"s", strings.TrimSuffix(word, "s"))
	}
	has := slices.Concat(pub.name.words, newModelTexts(pub.Category).words)
	return slices.ContainsFunc(forms, func(form string) bool { return slices.Contains(has, form) })
}

// place returns the place that words name; nil if they name none.
func (m *model) place(words []string) *modelPlace {
	if are(words, text.PlaceNoun) || len(words) == 1 && are(words, text.Wish) {
		return nil
	}
	return m.places[strings.Join(words, " ")]
}

// A namedPlace is a place at the end or the beginning of a query, and what is left of the query.
type namedPlace struct {
	*modelPlace
	rest  []string
	after bool // the rest stands after the place
}

// placesOf returns the places of a query in the order in which they are looked at.
func (m *model) placesOf(query []string) (all []namedPlace) {
	isSome := func(class text.Class) func(i int) bool {
		return func(i int) bool { return is(query[i], class) }
	}
	// ending returns the longest place that ends the query without some words at its end, and what is before it.
	ending := func(isLeft func(i int) bool) (place *modelPlace, before []string, end int) {
		for end = len(query); end > 0 && isLeft(end-1); {
			end--
		}
		words := m.withoutInward(query[:end])
		for at := range words {
			if place := m.place(words[at:]); place != nil {
				return place, words[:at], end
			}
		}
		return nil, nil, end
	}
	for _, left := range []text.Class{0, text.Usual, text.Usual | text.PlaceNoun} {
		if len(all) > 0 {
			break
		}
		// Place nouns are at the end of what is left without usual words: both together, in any order, are at the end.
		if place, rest, _ := ending(isSome(left)); place != nil {
			for len(rest) > 0 && is(rest[len(rest)-1], text.PlaceNoun) && rest[len(rest)-1] != "station" {
				rest = rest[:len(rest)-1]
			}
			all = append(all, namedPlace{place, without(rest, text.Usual), false})
		}
	}
	add := func(place *modelPlace, rest []string) {
		for len(rest) > 0 && is(rest[0], text.PlaceNoun) {
			rest = rest[1:]
		}
		all = append(all, namedPlace{place, without(rest, text.Usual), true})
	}
	atEnd := len(all)
	for _, left := range []text.Class{0, text.Usual} {
		words := slices.Clone(query)
		for len(words) > 0 && is(words[0], left) {
			words = words[1:]
		}
		for at := len(words) - 1; at > 0 && len(all) == atEnd; at-- {
			if place := m.place(words[:at]); place != nil {
				add(place, words[at:])
			}
		}
	}
	isSaint := func(word string) bool { return word == "saint" || word == "sankt" }
	if len(all) == 0 && slices.ContainsFunc(query, isSaint) {
		abbreviated := slices.Clone(query)
		for i, word := range query {
			if isSaint(word) {
				abbreviated[i] = "st"
			}
		}
		return m.placesOf(abbreviated)
	}
	if len(all) == 0 {
		wishes := m.wishesOf(query, func(string) bool { return false })
		isLeft := func(i int) bool { return is(query[i], text.Usual|text.PlaceNoun|text.Wish) || wishes.covers(i) }
		if place, before, end := ending(isLeft); place != nil {
			add(place, slices.Concat(before, query[end:]))
		}
	}
	for low := 1; low < len(query) && len(all) == 0; low++ {
		for high := len(query); high > low && len(all) == 0 && (is(query[low-1], text.Where) || query[low-1] == "of"); high-- {
			if place := m.place(query[low:high]); place != nil {
				add(place, slices.Concat(query[:low], query[high:]))
			}
		}
	}
	switch {
	case len(all) < 2:
	case all[0].modelPlace == all[1].modelPlace:
		all = all[:1]
	case len(all[1].words) > len(all[0].words):
		slices.Reverse(all)
	}
	return all
}

// isInward reports whether a word is a digit and two letters.
func isInward(word string) bool {
	code := []rune(word)
	return len(code) == 3 && unicode.IsDigit(code[0]) && unicode.IsLetter(code[1]) && unicode.IsLetter(code[2])
}

// withoutInward returns the words of a query without the inward code at its end, if no pub has the postcode and what
// is before it is a phrase with a digit.
func (m *model) withoutInward(words []string) []string {
	code := []rune(strings.Join(words, " "))
	cut := len(code) - 3
	if cut < 1 || !unicode.IsDigit(code[cut]) || !unicode.IsLetter(code[cut+1]) || !unicode.IsLetter(code[cut+2]) {
		return words
	}
	before := strings.Fields(string(code[:cut]))
	outward := before[len(before)-1]
	postcode := strings.Join(words[len(before)-1:], " ")
	isPostcode := func(pub modelPub) bool {
		folded := fold(pub.Postcode)
		return folded == postcode || strings.ReplaceAll(folded, " ", "") == postcode
	}
	isPhrase := m.places[outward] != nil && m.places[outward].having.count() > 0
	if !isPhrase || !hasDigit(outward) || slices.ContainsFunc(m.pubs, isPostcode) {
		return words
	}
	return before
}
