package index

import (
	"iter"
	"strings"

	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/relax"
	"pubd/index/spool"
	"pubd/index/strict"
	"pubd/index/text"
)

// fieldTexts are the folded texts of all fields that are searched, with the pubs that have each. Those of names come
// first. Most texts are listed once; addresses and postcodes are listed once per pub, because few are shared.
type fieldTexts struct {
	space  *spool.Space
	names  *names
	texts  text.Texts
	starts *spool.Array[uint32] // text i is that of the pubs pubs[starts[i-n]:starts[i-n+1]], with n names
	pubs   *spool.Array[uint32]
	// bounds[i] is the end of the texts of field i.
	bounds [fieldCount]uint32
}

// The fields in the order of their texts. Those of each set of strict matches follow each other.
const (
	fieldName = iota
	fieldAltName
	fieldLocation
	fieldArea
	fieldPart // tight parts of addresses
	fieldCode // postcodes, of which the terms are their codes
	fieldAddress
	fieldCategory
	fieldPostcode
	fieldCount
)

// newFieldTexts returns the texts of the fields of pubs.
func newFieldTexts(pubs *Rows, n *names, collected *places.Collected) *fieldTexts {
	f := &fieldTexts{space: pubs.space, names: n, texts: text.NewTexts(pubs.space), starts: spool.New[uint32](pubs.space), pubs: spool.New[uint32](pubs.space)}
	f.starts.Append(0)
	for i := range uint32(n.folded.Len()) {
		f.texts.Add(n.folded.At(i))
	}
	f.end(fieldName)
	f.addShared(pubs, fieldAltName, eachAltName)
	f.addShared(pubs, fieldLocation, func(pub *Pub, do func(string)) { do(pub.Location) })
	f.addShared(pubs, fieldArea, func(pub *Pub, do func(string)) { do(pub.Area) })
	for i, part := range collected.Parts {
		f.add(part, collected.PartPubs[i])
	}
	f.end(fieldPart)
	postcode := func(pub *Pub) string { return pub.Postcode }
	f.addOwn(pubs, fieldCode, postcode)
	f.addOwn(pubs, fieldAddress, func(pub *Pub) string { return pub.Address })
	f.addShared(pubs, fieldCategory, func(pub *Pub, do func(string)) { do(pub.Category) })
	f.addOwn(pubs, fieldPostcode, postcode)
	return f
}

// end ends the texts of a field.
func (f *fieldTexts) end(field int) { f.bounds[field] = spool.Uint32(f.texts.Len()) }

// release frees the memory.
func (f *fieldTexts) release() {
	f.texts.Release()
	f.starts.Release()
	f.pubs.Release()
}

// eachAltName calls do with each alternative name of a pub.
func eachAltName(pub *Pub, do func(name string)) {
	for name := range strings.SplitSeq(pub.AltNames, ";") {
		if strings.TrimSpace(name) != "" {
			do(name)
		}
	}
}

// between returns the numbers of the texts of fields: low <= number < high.
func (f *fieldTexts) between(first, last int) (low, high uint32) {
	if first > 0 {
		low = f.bounds[first-1]
	}
	return low, f.bounds[last]
}

func (f *fieldTexts) add(text []byte, pubs []uint32) {
	f.texts.Add(text)
	f.pubs.Append(pubs...)
	f.starts.Append(spool.Uint32(f.pubs.Len()))
}

// addShared adds the texts of a field in ascending order.
func (f *fieldTexts) addShared(pubs *Rows, field int, each func(pub *Pub, do func(string))) {
	folded := map[string][]byte{} // by text
	having := text.NewInverter(f.space)
	var pub Pub
	for i := range pubs.Len() {
		each(pubs.Get(i, &pub), func(value string) {
			if value == "" {
				return
			}
			text, known := folded[value]
			if !known {
				text = AppendFolded(nil, []byte(value))
				folded[value] = text
			}
			having.Add(text, uint32(i))
		})
	}
	inverted := having.Inversion()
	defer inverted.Release()
	for text, ordinals := range inverted.All() {
		f.add(text, ordinals)
	}
	f.end(field)
}

// addOwn adds the texts of a field in the order of the pubs.
func (f *fieldTexts) addOwn(pubs *Rows, field int, read func(pub *Pub) string) {
	var pub Pub
	var folded []byte
	for i := range pubs.Len() {
		if value := read(pubs.Get(i, &pub)); value != "" {
			folded = AppendFolded(folded[:0], indexfile.BytesOf(value))
			f.add(folded, []uint32{uint32(i)})
		}
	}
	f.end(field)
}

// appendPubs appends the pubs that have one of the texts.
func (f *fieldTexts) appendPubs(dst, texts []uint32) []uint32 {
	names, starts, pubs := f.bounds[fieldName], f.starts.Values(), f.pubs.Values()
	for _, text := range texts {
		if text >= names {
			dst = append(dst, pubs[starts[text-names]:starts[text-names+1]]...)
			continue
		}
		for ordinal := f.names.starts[text]; ordinal < f.names.starts[text+1]; ordinal++ {
			dst = append(dst, ordinal)
		}
	}
	return dst
}

// invert inverts the texts. bleve has those with many words; postcodes are divided into their words and codes.
func (f *fieldTexts) invert(workers int) (*text.Inversion, error) {
	all := text.NewInverter(f.space)
	bleve := func(first, last int) error {
		low, high := f.between(first, last)
		return all.Invert(&f.texts, low, high, workers)
	}
	if err := bleve(fieldName, fieldPart); err != nil {
		return nil, err
	}
	for number, postcode := range f.texts.Between(f.between(fieldCode, fieldCode)) {
		places.EachCode(postcode, func(code []byte, _ bool) { all.Add(code, number) })
	}
	if err := bleve(fieldAddress, fieldCategory); err != nil {
		return nil, err
	}
	for number, postcode := range f.texts.Between(f.between(fieldPostcode, fieldPostcode)) {
		all.AddWords(postcode, number)
	}
	return all.Inversion(), nil
}

// invertJoined inverts the neighbouring words of some fields, written together.
func (f *fieldTexts) invertJoined(first, last int) *text.Inversion {
	all := text.NewInverter(f.space)
	for number, words := range f.texts.Between(f.between(first, last)) {
		all.AddJoined(words, number)
	}
	return all.Inversion()
}

// gazetteer is the places that are given besides those of the pubs, with what is needed to place them.
type gazetteer struct {
	rows   []GazetteerPlace
	points []geo.Point
	flat   geo.Flat
}

// writeWords writes the places, the text index and the labels, one part after the other; few parts keep memory of
// another. Each distinct folded text is analysed once, and its terms belong to the pubs that have it. The pubs, which
// take the most memory, are released once their texts are extracted; their space is also for what is large here.
func writeWords(file *indexfile.Writer, pubs *Rows, n *names, g gazetteer, workers int) error {
	titles, labels := newTitles(pubs, n), newLabels(pubs, n)
	count, coded := pubs.Len(), indexfile.Writing(file)
	var pub Pub
	found := places.Collect(count, func(ordinal uint32) places.Texts {
		pubs.Get(int(ordinal), &pub)
		return places.Texts{Location: pub.Location, Area: pub.Area, Postcode: pub.Postcode, Address: pub.Address}
	}, g.points, pubs.space)
	f := newFieldTexts(pubs, n, &found)
	found.Parts, found.PartPubs = nil, nil
	pubs.release()
	inverted, err := f.invert(workers)
	if err != nil {
		return err
	}
	write := func(name string, terms iter.Seq2[[]byte, []uint32], options text.VocabularyOptions) *text.Vocabulary {
		options.Pubs, options.Space = count, f.space
		v := text.NewVocabulary(terms, options, f.appendPubs)
		v.Code(coded, name, count)
		return v
	}
	named := write("named", inverted.Between(f.between(fieldName, fieldAltName)), text.VocabularyOptions{Rare: true, Hashed: true})
	local := write("local", inverted.Between(f.between(fieldLocation, fieldArea)), text.VocabularyOptions{Rare: true, Hashed: true})
	_, areas := f.between(fieldName, fieldArea)
	begun := write("words", inverted.Among(0, areas), text.VocabularyOptions{Hashed: true})
	f.writeStrict(coded, inverted, count)
	names := newNameWords(f, &named.Terms)
	names.code(coded, 0, 0, count)
	if len(g.rows) > 0 {
		points, err := geo.Open(g.flat)
		if err != nil {
			return err
		}
		x := strict.Index{Named: *named}
		var w strict.Workspace
		var pool postings.Pool
		found.AddGazetteer(g.rows, func(words text.Phrase) int {
			pool.Reset(count)
			return x.Called(words, &w, &pool).Len()
		}, local, points)
	}
	named.Release()
	local.Release()
	found.Index.Code(coded, count)
	found.Release()
	write(relax.RestWords, inverted.Between(f.between(fieldAddress, fieldPostcode)), text.VocabularyOptions{Rare: true, Hashed: true}).Release()
	joinedOptions := text.VocabularyOptions{Pubs: count, Rare: true, MinPrefix: relax.MinJoinedPrefix}
	joinedCodes := f.invertJoined(fieldCode, fieldCode)
	low, high := f.between(fieldCode, fieldCode)
	areCodes, isCode := joinedCodes.SameAs(inverted, low, high, joinedOptions)
	areCodes.Code(coded, relax.CodesJoined, inverted.Len())
	write(relax.JoinedCodes, joinedCodes.Without(isCode), joinedOptions).Release()
	joinedCodes.Release()
	inverted.Release()
	for _, joined := range [...]struct {
		name        string
		first, last int
	}{{relax.JoinedNames, fieldName, fieldAltName}, {relax.JoinedLocal, fieldLocation, fieldArea}} {
		inverted := f.invertJoined(joined.first, joined.last)
		write(joined.name, inverted.All(), joinedOptions).Release()
		inverted.Release()
	}
	f.release()
	relax.WriteTerms(coded, f.space, &begun.Terms)
	begun.Release()
	titles.code(coded, count)
	labels.code(coded, count)
	return nil
}

// writeStrict writes the sets for strict matches.
func (f *fieldTexts) writeStrict(file indexfile.Codec, inverted *text.Inversion, count int) {
	_, areas := f.between(fieldName, fieldArea)
	locations, parts := f.between(fieldLocation, fieldPart)
	codes, end := f.between(fieldCode, fieldCode)
	terms := inverted.Len()
	for _, kind := range [...]struct {
		name string
		low  uint32                    // where the fields of the set begin
		has  func(texts []uint32) bool // reports whether a term has a set
		rare bool
	}{
		{strict.Whole, 0, func(texts []uint32) bool {
			return len(text.Among(texts, 0, areas)) > 0 && len(text.Among(texts, areas, end)) > 0
		}, false},
		{strict.Placed, locations, func(texts []uint32) bool { return len(text.Among(texts, locations, parts)) > 0 }, true},
		{strict.Codes, codes, func(texts []uint32) bool { return len(text.Among(texts, codes, end)) > 0 }, true},
	} {
		sets := text.NewSets(func(yield func(term uint32, texts []uint32) bool) {
			term := uint32(0)
			for _, texts := range inverted.All() {
				if kind.has(texts) && !yield(term, text.Among(texts, kind.low, end)) {
					return
				}
				term++
			}
		}, text.VocabularyOptions{Space: f.space, Pubs: count, Rare: kind.rare}, f.appendPubs)
		all := sets.Sets(terms)
		all.Code(file, kind.name, terms, count)
		sets.Release()
	}
}
