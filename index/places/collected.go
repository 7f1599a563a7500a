package places

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/spool"
	"pubd/index/text"
)

// collected sorts the phrases and measures where they are.
func (c *collector) collected() (all Collected) {
	sorted := c.sortCodes()
	more := c.dropCodes(&sorted)
	c.local.Release()
	starts, pubs := c.sortOccurrences(more)
	more.Release()
	c.found.Release()
	c.ends.Release()
	having := func(phrase uint32) []uint32 {
		return pubs.Values()[starts.Values()[phrase]:starts.Values()[phrase+1]]
	}
	order := make([]uint32, 0, c.phrases.Len())
	for phrase := range uint32(c.phrases.Len()) {
		if len(having(phrase)) > 0 {
			order = append(order, phrase)
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(c.phrases.At(a), c.phrases.At(b)) })
	terms := make([][]byte, len(order))
	for number, phrase := range order {
		terms[number] = c.phrases.At(phrase)
		all.longest = max(all.longest, bytes.Count(terms[number], []byte(" "))+1)
	}
	all.phrases = text.NewDictionary(terms, true)
	all.parts, all.localities = postings.NewBitmap(len(order)), postings.NewBitmap(len(order))
	// Sets of places are intersected with few others: they have bitmaps only where these are shorter.
	lists := postings.NewBuilder(len(c.points), postings.ListCost)
	var ids []uint32
	var values []topk.Item
	for number, phrase := range order {
		found := having(phrase)
		ids = appendPubs(ids[:0], found)
		lists.Append(ids)
		c.measure(&all, uint32(number), c.noted.Values()[phrase], terms[number], ids, found, &values)
	}
	all.pubs = lists.Lists()
	starts.Release()
	pubs.Release()
	c.putCodes(&all, &sorted, order)
	c.phrases.Release()
	c.noted.Release()
	c.spelled.Release()
	all.setNames(nil)
	return all
}

// appendPubs appends the pubs of occurrences in ascending order, each once.
func appendPubs(ids, found []uint32) []uint32 {
	for _, pub := range found {
		ids = append(ids, pub/2)
	}
	if !slices.IsSorted(ids) {
		slices.Sort(ids)
	}
	return slices.Compact(ids)
}

// measure adds what is known of a phrase: its text to show, whether it is a locality or a part of addresses, and its
// centre, if its pubs are close together. The pubs of such a part are kept.
func (c *collector) measure(all *Collected, number uint32, n notes, term []byte, pubs, found []uint32, values *[]topk.Item) {
	all.shown = append(all.shown, inTitleCase(string(c.spelled.Values()[n.start:][:n.length])))
	if n.rank >= rankArea {
		all.localities.Add(number)
	}
	isPart := n.located >= minPart && len(pubs) > 1
	if isPart || isSector(term) {
		all.parts.Add(number)
	}
	if len(pubs) == 1 {
		return
	}
	centre, tight := centreOf(pubs, func(pub uint32) geo.Point { return c.points[pub] }, values)
	if !tight {
		return
	}
	all.centred, all.centres = append(all.centred, number), append(all.centres, centre)
	if isPart {
		parts := slices.DeleteFunc(slices.Clone(found), func(pub uint32) bool { return pub%2 == 0 })
		for i := range parts {
			parts[i] /= 2
		}
		all.Parts, all.PartPubs = append(all.Parts, bytes.Clone(term)), append(all.PartPubs, parts)
	}
}

// isSector reports whether a phrase is one word and a digit.
func isSector(phrase []byte) bool {
	_, digit, apart := bytes.Cut(phrase, []byte(" "))
	return apart && utf8.RuneCount(digit) == 1 && text.HasDigit(digit)
}

// sortOccurrences returns the pubs of each phrase, those of phrase i from starts[i] to before starts[i+1], without
// parts of addresses that too few have: each pub times 2, plus 1 if it has the phrase as such a part. more are
// occurrences besides those found.
func (c *collector) sortOccurrences(more *spool.Array[[2]uint32]) (starts, pubs *spool.Array[uint32]) {
	count := c.phrases.Len()
	noted := c.noted.Values()
	starts, pubs = spool.New[uint32](c.space), spool.New[uint32](c.space)
	next := starts.Extend(count + 2)[1:] // next[i+1] counts phrase i and is then where it begins; at last, where it ends
	for _, o := range c.found.Values() {
		if !o.isPart() || noted[o.phrase()].located >= minPart {
			next[o.phrase()+1]++
		}
	}
	for _, o := range more.Values() {
		next[o[0]+1]++
	}
	for i := range count {
		next[i+1] += next[i]
	}
	spool.Uint32(c.found.Len() + more.Len())
	sorted := pubs.Extend(int(next[count]))
	begin := uint32(0)
	for pub, end := range c.ends.Values() {
		for _, o := range c.found.Values()[begin:end] {
			if !o.isPart() || noted[o.phrase()].located >= minPart {
				sorted[next[o.phrase()]] = 2*uint32(pub) + uint32(o%2)
				next[o.phrase()]++
			}
		}
		begin = end
	}
	for _, o := range more.Values() {
		sorted[next[o[0]]] = 2 * o[1]
		next[o[0]]++
	}
	return starts, pubs
}

// sortedCodes are postcodes in ascending order.
type sortedCodes struct {
	codes   []postcode
	dropped postings.Bitmap // by index
}

// from returns the index of the first code that is not before another one.
func (s *sortedCodes) from(code postcode) int {
	at, _ := slices.BinarySearchFunc(s.codes, code, postcode.compare)
	return at
}

// has reports whether a pub has a code.
func (s *sortedCodes) has(outward, inward uint32) bool {
	code := postcode{outward, inward, 0}
	at := s.from(code)
	return at < len(s.codes) && s.codes[at].isSame(code)
}

func (c *collector) sortCodes() sortedCodes {
	slices.SortFunc(c.codes.Values(), postcode.compare)
	return sortedCodes{c.codes.Values(), postings.NewBitmap(c.codes.Len())}
}

// dropCodes drops those codes that may not be among codes, makes phrases of them, and returns the occurrences of these:
// the phrase and the pub.
func (c *collector) dropCodes(s *sortedCodes) (more *spool.Array[[2]uint32]) {
	more = spool.New[[2]uint32](c.space)
	for low, end := 0, 0; low < len(s.codes); low = end {
		code := s.codes[low]
		for end = low + 1; end < len(s.codes) && code.isSame(s.codes[end]); end++ {
		}
		if end-low <= maxCodePubs && c.isUnique(s, code.outward, code.inward) {
			continue
		}
		apart, together := c.intern(c.writeCode(code.outward, code.inward, " ")), c.intern(c.writeCode(code.outward, code.inward, ""))
		for i, code := range s.codes[low:end] {
			s.dropped.Add(uint32(low + i))
			more.Append([2]uint32{apart, code.pub}, [2]uint32{together, code.pub})
		}
	}
	return more
}

// writeCode returns the text of a code, valid until the next call.
func (c *collector) writeCode(outward, inward uint32, between string) []byte {
	c.key = append(append(c.key[:0], c.phrases.At(outward)...), between...)
	c.key = appendInward(c.key, inward)
	return c.key
}

// isUnique reports whether neither text of a code is another phrase or in a location or area, and none is that of a
// suggestion in its place.
func (c *collector) isUnique(s *sortedCodes, outward, inward uint32) bool {
	if c.isLocal(c.phrases.At(outward)) && c.isLocal(appendInward(c.key[:0], inward)) {
		return false
	}
	if _, other := c.phrases.Find(c.writeCode(outward, inward, " ")); other {
		return false
	}
	together := c.writeCode(outward, inward, "")
	if _, other := c.phrases.Find(together); other || c.isLocal(together) {
		return false
	}
	return !c.isDividedElsewhere(s, together, len(together)-len(c.phrases.At(outward)))
}

// isDividedElsewhere reports whether the text of a code in one word, whose inward part has some bytes, is that of another
// code or phrase if it is divided elsewhere.
func (c *collector) isDividedElsewhere(s *sortedCodes, together []byte, own int) bool {
	for size := minInward; size <= maxInward && size < len(together); size++ {
		cut := len(together) - size
		if size == own || !isOutward(together[:cut]) {
			continue
		}
		if other, ok := c.phrases.Find(together[:cut]); ok && s.has(other, inwardOf(together[cut:])) {
			return true
		}
	}
	if cut := len(together) - writtenApart; own != writtenApart && cut > 0 {
		var room [maxCode]byte
		two := append(append(append(room[:0], together[:cut]...), ' '), together[cut:]...)
		_, other := c.phrases.Find(two)
		return other
	}
	return false
}

// isLocal reports whether a word is one of a location or an area.
func (c *collector) isLocal(word []byte) bool {
	_, ok := c.local.Find(word)
	return ok
}

// maxCode is the maximum length of a code in two words.
const maxCode = maxOutward + 1 + maxInward

// putCodes puts the codes that are not dropped; order has the phrases by their numbers.
func (c *collector) putCodes(all *Collected, s *sortedCodes, order []uint32) {
	inwards, pubs, joined := spool.New[uint32](c.space), spool.New[uint32](c.space), spool.New[spelledCode](c.space)
	all.codes.starts = []uint32{0}
	for number, phrase := range order {
		for i := s.from(postcode{outward: phrase}); i < len(s.codes) && s.codes[i].outward == phrase; i++ {
			if s.dropped.Has(uint32(i)) {
				continue
			}
			code, inward := uint32(pubs.Len()), s.codes[i].inward
			isNew := code == all.codes.starts[len(all.codes.starts)-1] || inward != inwards.Values()[code-1]
			inwards.Append(inward)
			pubs.Append(s.codes[i].pub)
			if isNew && !isWrittenApart(inward) {
				joined.Append(spelledOf(c.writeCode(phrase, inward, ""), code))
			}
		}
		if end := uint32(pubs.Len()); end > all.codes.starts[len(all.codes.starts)-1] {
			all.codes.outwards, all.codes.starts = append(all.codes.outwards, uint32(number)), append(all.codes.starts, end)
		}
	}
	c.codes.Release()
	slices.SortFunc(joined.Values(), func(a, b spelledCode) int { return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(a.tail, b.tail)) })
	for _, spelled := range joined.Values() {
		all.codes.joined = append(all.codes.joined, spelled.code)
	}
	joined.Release()
	all.codes.inwards, all.codes.pubs = inwards.Values(), pubs.Values()
	all.release = append(all.release, inwards.Release, pubs.Release)
	if pubs.Len() > 0 {
		all.longest = max(all.longest, 2)
	}
}

// spelledCode is a code with its text in one word, as numbers in the order of the texts.
type spelledCode struct {
	head       uint64
	tail, code uint32
}

func spelledOf(together []byte, code uint32) spelledCode {
	var padded [maxOutward + maxInward]byte
	copy(padded[:], together)
	return spelledCode{binary.BigEndian.Uint64(padded[:8]), binary.BigEndian.Uint32(padded[8:]), code}
}
