package places

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/text"
)

// Texts are the texts of a pub that name places; empty ones are missing.
type Texts struct{ Location, Area, Postcode, Address string }

// Collected is the places of pubs and, with the pubs that have each, the tight parts of addresses.
type Collected struct {
	Index
	Parts    [][]byte
	PartPubs [][]uint32
	shown    []string // how each phrase is written
	named    []namedPlace
}

// namedPlace is how a name of the gazetteer is written, and how many pubs are in the place.
type namedPlace struct {
	shown string
	pubs  uint32
}

// Collect finds the places of pubs, whose texts and points are given by ordinal.
func Collect(pubs int, textsOf func(ordinal uint32) Texts, points []geo.Point) Collected {
	c := collector{numbers: map[string]uint32{}, shared: map[string][]uint32{}}
	for ordinal := range uint32(pubs) {
		texts := textsOf(ordinal)
		for i, value := range [...]string{texts.Area, texts.Location} {
			for _, number := range c.ofValue(value, rankArea+i) {
				c.add(number, ordinal, false)
			}
		}
		c.addPostcode(texts.Postcode, ordinal)
		c.addAddress(texts.Address, ordinal)
	}
	return c.collected(points)
}

// collector collects the phrases of pubs.
type collector struct {
	numbers map[string]uint32 // of phrases
	texts   []string
	found   []occurrence        // by pub, possibly repeated
	shared  map[string][]uint32 // phrases by location or area
	shown   []spelling          // of phrases
	folded  []byte
	words   text.Phrase
	key     []byte
	spans   [][2]int
}

// spelling is how a phrase is written in one of its fields, the best of which has the highest rank.
type spelling struct {
	text string
	rank int
}

// The ranks of fields.
const (
	rankPart = iota + 1
	rankArea
	rankLocation
)

// show notes how a phrase is written.
func (c *collector) show(phrase uint32, written []byte, rank int) {
	for int(phrase) >= len(c.shown) {
		c.shown = append(c.shown, spelling{})
	}
	if c.shown[phrase].rank < rank {
		c.shown[phrase] = spelling{inTitleCase(string(bytes.TrimSpace(written))), rank}
	}
}

// inTitleCase returns a text in capitals with only the first letter of each word in capitals; any other text stays as
// it is.
func inTitleCase(written string) string {
	if strings.ContainsFunc(written, unicode.IsLower) {
		return written
	}
	begins := true
	return strings.Map(func(r rune) rune {
		first := begins
		begins = !unicode.IsLetter(r) && r != '\'' && r != '\u2019'
		if first {
			return r
		}
		return unicode.ToLower(r)
	}, written)
}

type occurrence struct {
	phrase, pub uint32
	part        bool
}

func (c *collector) add(phrase, pub uint32, part bool) {
	c.found = append(c.found, occurrence{phrase, pub, part})
}

// number returns the number of the phrase of words; ok is false if they are none. It changes the words.
func (c *collector) number(words text.Phrase) (number uint32, ok bool) {
	words = phraseOf(words)
	if len(words) == 0 {
		return 0, false
	}
	c.key = words.AppendTo(c.key[:0])
	number, ok = c.numbers[string(c.key)]
	if !ok {
		number = uint32(len(c.texts))
		phrase := string(c.key)
		c.texts = append(c.texts, phrase)
		c.numbers[phrase] = number
	}
	return number, true
}

// phraseOf returns words without "the" and "and", in place; none if they may not be a phrase.
func phraseOf(words text.Phrase) text.Phrase {
	words = words.WithoutFiller()
	if len(words) == 0 || text.IsFiller(words[0]) || text.IsFiller(words[len(words)-1]) || len(words) == 1 && text.IsGeneric(words[0]) {
		return nil
	}
	return words
}

// fold returns the folded words of a text, which are valid until the next call.
func (c *collector) fold(written []byte) text.Phrase {
	c.folded = text.AppendFolded(c.folded[:0], written)
	c.words = c.words[:0].AppendWords(c.folded)
	return c.words
}

// ofValue returns the phrases of a location or an area.
func (c *collector) ofValue(value string, rank int) []uint32 {
	if value == "" {
		return nil
	}
	numbers, known := c.shared[value]
	if known {
		return numbers
	}
	add := func(piece []byte) {
		if number, ok := c.number(c.fold(piece)); ok {
			numbers = append(numbers, number)
			c.show(number, piece, rank)
		}
	}
	whole := []byte(value)
	add(whole)
	if bytes.IndexByte(whole, ',') >= 0 {
		for piece := range bytes.SplitSeq(whole, []byte(",")) {
			add(piece)
		}
	}
	c.shared[value] = numbers
	return numbers
}

func (c *collector) addPostcode(postcode string, pub uint32) {
	if postcode == "" {
		return
	}
	folded := string(text.AppendFolded(nil, []byte(postcode)))
	EachCode([]byte(folded), func(code []byte, alone bool) {
		if !alone {
			return
		}
		if number, ok := c.number(text.Phrase{code}); ok {
			c.add(number, pub, false)
		}
	})
	if number, ok := c.number(text.Phrase(nil).AppendWords([]byte(folded))); ok {
		c.add(number, pub, false)
	}
}

// EachCode calls do with each code of a folded postcode: its words, all of them written together, and its outward
// codes, which are the first of two words and, if that ends in a letter after a digit, the word without the letter. A
// code may be repeated; alone is set unless it is only a word of the postcode. The codes are valid until the next
// call.
func EachCode(folded []byte, do func(code []byte, alone bool)) {
	words := text.Phrase(nil).AppendWords(folded)
	if len(words) == 0 {
		return
	}
	for _, word := range words {
		do(word, false)
	}
	do(bytes.Join(words, nil), true)
	if len(words) != 2 {
		return
	}
	outward := words[0]
	do(outward, true)
	last, size := utf8.DecodeLastRune(outward)
	rest := outward[:len(outward)-size]
	if before, _ := utf8.DecodeLastRune(rest); !unicode.Is(unicode.Nd, last) && len(rest) > 0 && unicode.Is(unicode.Nd, before) {
		do(rest, true)
	}
}

// addAddress adds the parts of an address: its pieces without the words with a digit that they begin with. A piece
// with another such word is none, and the first piece only if it begins with one.
func (c *collector) addAddress(address string, pub uint32) {
	rest := []byte(address)
	for first := true; len(rest) > 0; first = false {
		piece := rest
		if end := bytes.IndexAny(rest, ",;"); end >= 0 {
			piece, rest = rest[:end], rest[end+1:]
		} else {
			rest = nil
		}
		c.folded, c.spans = text.AppendFoldedSpans(c.folded[:0], piece, c.spans[:0])
		c.words = c.words[:0].AppendWords(c.folded)
		words := c.words
		numbered := 0
		for numbered < len(words) && text.HasDigit(words[numbered]) {
			numbered++
		}
		words = words[numbered:]
		if first && numbered == 0 || slices.ContainsFunc(words, text.HasDigit) {
			continue
		}
		if number, ok := c.number(words); ok {
			c.add(number, pub, true)
			if int(number) >= len(c.shown) || c.shown[number].rank < rankPart {
				c.show(number, from(piece, c.spans[numbered][0]), rankPart)
			}
		}
	}
}

// from returns a text from a character on.
func from(written []byte, character int) []byte {
	for ; character > 0; character-- {
		_, size := utf8.DecodeRune(written)
		written = written[size:]
	}
	return written
}

// collected sorts the phrases and measures where they are.
func (c *collector) collected(points []geo.Point) (all Collected) {
	isLocated := func(pub uint32) bool { return points[pub].Lat == points[pub].Lat }
	located, last := make([]uint32, len(c.texts)), make([]uint32, len(c.texts)) // of parts; the last pub plus 1
	for _, o := range c.found {
		if o.part && last[o.phrase] != o.pub+1 {
			last[o.phrase] = o.pub + 1
			if isLocated(o.pub) {
				located[o.phrase]++
			}
		}
	}
	starts := make([]uint32, len(c.texts)+1)
	kept := func(o occurrence) bool { return !o.part || located[o.phrase] >= minPart }
	for _, o := range c.found {
		if kept(o) {
			starts[o.phrase+1]++
		}
	}
	for i := range c.texts {
		starts[i+1] += starts[i]
	}
	pubs, parts := make([]uint32, starts[len(c.texts)]), make([]bool, starts[len(c.texts)])
	next := slices.Clone(starts)
	for _, o := range c.found {
		if kept(o) {
			pubs[next[o.phrase]], parts[next[o.phrase]] = o.pub, o.part
			next[o.phrase]++
		}
	}
	c.found, c.numbers, c.shared = nil, nil, nil // releases their memory
	order := make([]uint32, 0, len(c.texts))
	for i := range uint32(len(c.texts)) {
		if starts[i] < starts[i+1] {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		if c.texts[a] < c.texts[b] {
			return -1
		}
		return 1
	})
	terms, lists := make([][]byte, len(order)), postings.NewBuilder(len(points), 0)
	all.parts = postings.NewBitmap(len(order))
	m := measurer{points: points}
	var ids []uint32
	for number, phrase := range order {
		terms[number] = []byte(c.texts[phrase])
		all.longest = max(all.longest, bytes.Count(terms[number], []byte(" "))+1)
		low, high := starts[phrase], starts[phrase+1]
		ids = slices.Compact(append(ids[:0], pubs[low:high]...))
		lists.Append(ids)
		if int(phrase) < len(c.shown) {
			all.shown = append(all.shown, c.shown[phrase].text)
		} else {
			all.shown = append(all.shown, "")
		}
		centre, tight := m.centreOf(ids)
		if tight && len(ids) > 1 {
			all.tight, all.centres = append(all.tight, uint32(number)), append(all.centres, centre)
		}
		if located[phrase] < minPart {
			continue
		}
		all.parts.Add(uint32(number))
		if tight {
			var having []uint32
			for i := low; i < high; i++ {
				if parts[i] {
					having = append(having, pubs[i])
				}
			}
			all.Parts, all.PartPubs = append(all.Parts, terms[number]), append(all.PartPubs, slices.Compact(having))
		}
	}
	all.phrases, all.pubs = text.NewDictionary(terms, true), lists.Lists()
	all.names, all.starts = text.NewDictionary(nil, true), []uint32{0}
	all.suggest()
	return all
}

// measurer finds the centres of pubs.
type measurer struct {
	points     []geo.Point
	lats, lngs []float64
}

// centreOf returns the median point of pubs, if half of them (of an odd number, the larger half) lie near it.
func (m *measurer) centreOf(pubs []uint32) (centre geo.Point, tight bool) {
	m.lats, m.lngs = m.lats[:0], m.lngs[:0]
	for _, pub := range pubs {
		if at := m.points[pub]; at.Lat == at.Lat {
			m.lats, m.lngs = append(m.lats, at.Lat), append(m.lngs, at.Lng)
		}
	}
	n := len(m.lats)
	if n == 0 {
		return centre, false
	}
	centre = geo.Point{Lat: median(m.lats), Lng: median(m.lngs)}
	circle, near := geo.NewCircle(centre, tightRadius), 0
	for _, pub := range pubs {
		if at := m.points[pub]; at.Lat == at.Lat && circle.Contains(at.Vector()) {
			near++
		}
	}
	return centre, near >= (n+1)/2
}

// median sorts values and returns the middle one, or the mean of the middle two.
func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}

// Row is a row of a gazetteer.
type Row struct {
	Name       string
	At         geo.Point
	Population float64 // 0 if unknown
}

// AddGazetteer adds names with points: of the rows of a name, those with the largest population. named returns the
// number of pubs that have all words in their names.
func (c *Collected) AddGazetteer(rows []Row, named func(words text.Phrase) int, local *text.Vocabulary, points *geo.Index) {
	type entry struct {
		population float64
		shown      string
		at         []geo.Point
	}
	entries := map[string]entry{}
	for _, row := range rows {
		words := phraseOf(text.Phrase(nil).AppendWords(text.AppendFolded(nil, []byte(row.Name))))
		if len(words) == 0 {
			continue
		}
		name := string(words.AppendTo(nil))
		e, known := entries[name]
		switch {
		case !known || row.Population > e.population:
			e = entry{row.Population, row.Name, []geo.Point{row.At}}
		case row.Population == e.population:
			e.at = append(e.at, row.At)
		}
		entries[name] = e
	}
	all := Index{phrases: c.phrases, pubs: c.pubs, longest: c.longest, local: local, points: points, starts: []uint32{0}}
	var terms [][]byte
	add := func(name string, at []geo.Point) {
		terms = append(terms, []byte(name))
		all.at = append(all.at, at...)
		all.starts = append(all.starts, uint32(len(all.at)))
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		add(name, entries[name].at)
	}
	all.names = text.NewDictionary(terms, true)
	names := all.names
	terms, c.starts, c.at = nil, []uint32{0}, nil
	var w Workspace
	var pool postings.Pool
	for number := range uint32(names.Len()) {
		pool.Reset(points.Len())
		words := text.Phrase(nil).AppendWords(names.At(number))
		p, _ := all.find(words, &w)
		inside := all.Inside(&p, &w, &pool).Len()
		if named(words) > inside {
			continue // rather a name of pubs than of a place
		}
		c.named = append(c.named, namedPlace{entries[string(names.At(number))].shown, uint32(inside)})
		terms = append(terms, names.At(number))
		c.at = append(c.at, all.at[all.starts[number]:all.starts[number+1]]...)
		c.starts = append(c.starts, uint32(len(c.at)))
	}
	c.names = text.NewDictionary(terms, true)
	c.suggest()
}
