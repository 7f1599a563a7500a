package places

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/spool"
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
	release  []func()
}

// namedPlace is a name of the gazetteer with its points, how it is written, and how many pubs are in the place.
type namedPlace struct {
	name, shown string
	population  float64
	at          []geo.Point
	radii       []geo.Kilometres
	own         []string // the names of which it is another
	pubs        uint32
}

// Collect finds the places of pubs, whose texts and points are given by ordinal. It keeps some memory of the space
// until Release, and takes some 50 bytes a pub of it meanwhile.
func Collect(pubs int, textsOf func(ordinal uint32) Texts, points []geo.Point, space *spool.Space) Collected {
	c := newCollector(points, space)
	for ordinal := range uint32(pubs) {
		texts := textsOf(ordinal)
		c.addValue(texts.Area, rankArea)
		c.addValue(texts.Location, rankLocation)
		c.addPostcode(texts.Postcode, ordinal)
		c.addAddress(texts.Address, ordinal)
		c.ends.Append(spool.Uint32(c.found.Len()))
	}
	return c.collected()
}

// Release gives the memory of the space back: the places must not be used any more.
func (c *Collected) Release() {
	for _, release := range c.release {
		release()
	}
	c.release = nil
}

// collector collects the phrases of pubs. Its arrays are in a space, as there may be several values for each pub.
type collector struct {
	space   *spool.Space
	points  []geo.Point
	phrases *text.Interner
	noted   *spool.Array[notes] // by phrase
	spelled *spool.Array[byte]
	found   *spool.Array[occurrence]
	ends    *spool.Array[uint32] // by pub: the end of its occurrences
	codes   *spool.Array[postcode]
	local   *text.Interner // the words of locations and areas

	folded []byte
	words  text.Phrase
	key    []byte
	spans  [][2]int
}

func newCollector(points []geo.Point, space *spool.Space) *collector {
	return &collector{
		space: space, points: points,
		phrases: text.NewInterner(space), local: text.NewInterner(space),
		noted: spool.New[notes](space), spelled: spool.New[byte](space), found: spool.New[occurrence](space), ends: spool.New[uint32](space),
		codes: spool.New[postcode](space),
	}
}

// notes are what is noted of a phrase: where in spelled it is written as in the field of the highest rank, and how many
// pubs with coordinates have it as a part of their addresses.
type notes struct {
	start            uint64
	length, rank     uint32
	located, lastPub uint32 // lastPub is the last pub that has it so, plus 1
}

// The ranks of fields.
const (
	rankPart = iota + 1
	rankArea
	rankLocation
)

// occurrence is a phrase of a pub, times 2, plus 1 if it is a part of its address.
type occurrence uint32

func (o occurrence) phrase() uint32 { return uint32(o / 2) }
func (o occurrence) isPart() bool   { return o%2 == 1 }

// postcode is the postcode of a pub that may be one of codes; outward is a phrase.
type postcode struct{ outward, inward, pub uint32 }

func (p postcode) compare(other postcode) int {
	return cmp.Or(cmp.Compare(p.outward, other.outward), cmp.Compare(p.inward, other.inward), cmp.Compare(p.pub, other.pub))
}

// isSame reports whether two pubs have the same code.
func (p postcode) isSame(other postcode) bool {
	return p.outward == other.outward && p.inward == other.inward
}

// show notes how a phrase is written.
func (c *collector) show(phrase uint32, written []byte, rank uint32) {
	if n := &c.noted.Values()[phrase]; n.rank < rank {
		written = bytes.TrimSpace(written)
		n.rank, n.start, n.length = rank, uint64(c.spelled.Len()), uint32(len(written))
		c.spelled.Append(written...)
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

func (c *collector) add(phrase uint32) { c.found.Append(occurrence(2 * phrase)) }

// number returns the number of the phrase of words; ok is false if they are none. It changes the words.
func (c *collector) number(words text.Phrase) (number uint32, ok bool) {
	words = phraseOf(words)
	if len(words) == 0 {
		return 0, false
	}
	if len(words) == 1 {
		return c.intern(words[0]), true
	}
	c.key = words.AppendTo(c.key[:0])
	return c.intern(c.key), true
}

// intern returns the number of the phrase with a text.
func (c *collector) intern(phrase []byte) uint32 {
	number, isNew := c.phrases.Intern(phrase)
	if isNew {
		spool.Uint32(2*int(number) + 1) // an occurrence doubles it
		c.noted.Extend(1)
	}
	return number
}

// phraseOf returns words without "the" and "and", in place; none if they may not be a phrase: all are generic or filler.
func phraseOf(words text.Phrase) text.Phrase {
	words = words.WithoutFiller()
	if !slices.ContainsFunc(words, func(word []byte) bool { return !text.ClassOf(word).Is(text.Usual) }) {
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

// addValue adds the phrases of a location or an area.
func (c *collector) addValue(value string, rank uint32) {
	if value == "" {
		return
	}
	whole := indexfile.BytesOf(value)
	c.addLocal(whole)
	add := func(piece []byte) {
		if phrase, ok := c.number(c.fold(piece)); ok {
			c.add(phrase)
			c.show(phrase, piece, rank)
		}
	}
	add(whole)
	if bytes.IndexByte(whole, ',') >= 0 {
		for piece := range bytes.SplitSeq(whole, []byte(",")) {
			add(piece)
		}
	}
}

// addLocal notes the words of a location or an area.
func (c *collector) addLocal(value []byte) {
	words := c.fold(value)
	for i, word := range words {
		c.local.Intern(word)
		for _, synonym := range text.Synonyms(word, i == len(words)-1) {
			c.local.Intern([]byte(synonym))
		}
	}
	for _, word := range words[:0].AppendWords(text.AppendElided(c.folded[:0], value)) {
		c.local.Intern(word)
	}
}

func (c *collector) addPostcode(written string, pub uint32) {
	if written == "" {
		return
	}
	c.key = append(c.key[:0], written...)
	words := c.fold(c.key)
	if len(words) == 2 && InwardAt(words[1]) == 0 {
		_, digit := utf8.DecodeRune(words[1])
		sector := append(append(append([]byte(nil), words[0]...), ' '), words[1][:digit]...)
		c.add(c.intern(sector))
	}
	if isCode(words) {
		eachOutward(words[0], func(code []byte) { c.add(c.intern(code)) })
		outward, _ := c.phrases.Find(words[0])
		c.codes.Append(postcode{outward, inwardOf(words[1]), pub})
		return
	}
	EachCode(c.folded, func(code []byte, alone bool) {
		if !alone {
			return
		}
		if number, ok := c.number(text.Phrase{code}); ok {
			c.add(number)
		}
	})
	if number, ok := c.number(words); ok {
		c.add(number)
	}
}

// InwardAt returns where an inward code begins that ends a word, a digit and two letters; -1 if none does.
func InwardAt(word []byte) int {
	for _, isRight := range [...]func(r rune) bool{unicode.IsLetter, unicode.IsLetter, unicode.IsDigit} {
		r, size := utf8.DecodeLastRune(word)
		if !isRight(r) {
			return -1
		}
		word = word[:len(word)-size]
	}
	return len(word)
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
	if len(words) == 2 {
		eachOutward(words[0], func(code []byte) { do(code, true) })
	}
}

// eachOutward calls do with the outward codes of the first of two words.
func eachOutward(outward []byte, do func(code []byte)) {
	do(outward)
	last, size := utf8.DecodeLastRune(outward)
	rest := outward[:len(outward)-size]
	if before, _ := utf8.DecodeLastRune(rest); !unicode.Is(unicode.Nd, last) && len(rest) > 0 && unicode.Is(unicode.Nd, before) {
		do(rest)
	}
}

// addAddress adds the parts of an address: its pieces without the words with a digit that they begin with. A piece with
// another such word is not a phrase, nor is one that then begins or ends with a filler word; and the first piece is one
// only if it begins with a word with a digit.
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
		if first && numbered == 0 || len(words) == 0 || slices.ContainsFunc(words, text.HasDigit) ||
			isFiller(words[0]) || isFiller(words[len(words)-1]) {
			continue
		}
		if number, ok := c.number(words); ok {
			c.addPart(number, pub)
			if c.noted.Values()[number].rank < rankPart {
				c.show(number, from(piece, c.spans[numbered][0]), rankPart)
			}
		}
	}
}

// isFiller reports whether a word is no beginning or end of a part of an address.
func isFiller(word []byte) bool { return text.ClassOf(word).Is(text.EnglishFiller) }

// from returns a text from a character on.
func from(written []byte, character int) []byte {
	for ; character > 0; character-- {
		_, size := utf8.DecodeRune(written)
		written = written[size:]
	}
	return written
}

// addPart adds a part of the address of a pub, once.
func (c *collector) addPart(phrase, pub uint32) {
	n := &c.noted.Values()[phrase]
	if n.lastPub == pub+1 {
		return
	}
	n.lastPub = pub + 1
	if isKnown(c.points[pub]) {
		n.located++
	}
	c.found.Append(occurrence(2*phrase + 1))
}
