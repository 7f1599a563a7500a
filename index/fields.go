package index

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/schema"
	"pubd/index/segment"
	"pubd/index/spool"
	"pubd/index/terms"
	"pubd/index/text"
)

// fieldTexts are the folded texts of all fields that are searched, with the pubs that have each. Those of names come
// first. Most texts are listed once; addresses and postcodes are listed once per pub, because few are shared.
type fieldTexts struct {
	space  *spool.Space
	names  *segment.Names
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
	fieldBrand
	fieldElidedName  // words of names that follow elided ones, and other forms of those of brands
	fieldElidedPlace // the same of locations and areas
	fieldLocation
	fieldArea
	fieldPart // tight parts of addresses
	fieldCode // postcodes, of which the terms are their codes
	fieldAddress
	fieldCategory
	fieldPostcode
	fieldElidedRest // the same of the fields from fieldAddress on
	fieldCount
)

// newFieldTexts returns the texts of the fields of pubs.
func newFieldTexts(pubs *corpus.Rows, n *segment.Names, collected *places.Collected) *fieldTexts {
	f := &fieldTexts{space: pubs.Space, names: n, texts: text.NewTexts(pubs.Space), starts: spool.New[uint32](pubs.Space), pubs: spool.New[uint32](pubs.Space)}
	f.starts.Append(0)
	for i := range uint32(n.Folded.Len()) {
		f.texts.Add(n.Folded.At(i))
	}
	f.end(fieldName)
	f.addShared(pubs, fieldAltName, eachAltName)
	f.addShared(pubs, fieldBrand, func(pub *schema.Pub, do func(string)) { do(pub.Brand) })
	names, local, rest := elidedWords(pubs)
	f.addInverted(fieldElidedName, names)
	f.addInverted(fieldElidedPlace, local)
	f.addShared(pubs, fieldLocation, func(pub *schema.Pub, do func(string)) { do(pub.Location) })
	f.addShared(pubs, fieldArea, func(pub *schema.Pub, do func(string)) { do(pub.Area) })
	for i, part := range collected.Parts {
		f.add(part, collected.PartPubs[i])
	}
	f.end(fieldPart)
	postcode := func(pub *schema.Pub) string { return pub.Postcode }
	f.addOwn(pubs, fieldCode, postcode)
	f.addOwn(pubs, fieldAddress, func(pub *schema.Pub) string { return pub.Address })
	f.addShared(pubs, fieldCategory, func(pub *schema.Pub, do func(string)) { do(pub.Category) })
	f.addOwn(pubs, fieldPostcode, postcode)
	f.addInverted(fieldElidedRest, rest)
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
func eachAltName(pub *schema.Pub, do func(name string)) {
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
func (f *fieldTexts) addShared(pubs *corpus.Rows, field int, each func(pub *schema.Pub, do func(string))) {
	folded := map[string][]byte{} // by text
	having := text.NewInverter(f.space)
	var pub schema.Pub
	for i := range pubs.Len() {
		each(pubs.Get(i, &pub), func(value string) {
			if value == "" {
				return
			}
			written, known := folded[value]
			if !known {
				written = text.AppendFolded(nil, []byte(value))
				folded[value] = written
			}
			having.Add(written, uint32(i))
		})
	}
	f.addInverted(field, having)
}

// addInverted adds the texts of a field, inverted by pub, in ascending order.
func (f *fieldTexts) addInverted(field int, having *text.Inverter) {
	inverted := having.Inversion()
	defer inverted.Release()
	for text, ordinals := range inverted.All() {
		f.add(text, ordinals)
	}
	f.end(field)
}

// eachForm calls do with a word of a brand as people also write it: with an s more, or without its own.
func eachForm(word []byte, do func(form []byte)) {
	const least = 4 // characters
	if utf8.RuneCount(word) < least || text.HasDigit(word) || text.ClassOf(word).Is(text.Usual) {
		return
	}
	if less, ok := bytes.CutSuffix(word, []byte("s")); ok {
		do(less)
		return
	}
	do(append(bytes.Clone(word), 's'))
}

// elidedWords inverts the words of pubs that follow elided ones, and the other forms of words of brands: those of names,
// of locations and areas, and of the rest.
func elidedWords(pubs *corpus.Rows) (names, local, rest *text.Inverter) {
	names, local, rest = text.NewInverter(pubs.Space), text.NewInverter(pubs.Space), text.NewInverter(pubs.Space)
	var pub schema.Pub
	var folded []byte
	var words text.Phrase
	for i := range pubs.Len() {
		add := func(into *text.Inverter, value string) {
			if folded = text.AppendElided(folded[:0], indexfile.BytesOf(value)); len(folded) > 0 {
				words = words[:0].AppendWords(folded)
				for _, word := range words {
					into.Add(word, uint32(i))
				}
			}
		}
		pubs.Get(i, &pub)
		add(names, pub.Name)
		eachAltName(&pub, func(name string) { add(names, name) })
		add(names, pub.Brand)
		folded = text.AppendFolded(folded[:0], indexfile.BytesOf(pub.Brand))
		words = words[:0].AppendWords(folded)
		for _, word := range words {
			eachForm(word, func(form []byte) { names.Add(form, uint32(i)) })
		}
		add(local, pub.Location)
		add(local, pub.Area)
		add(rest, pub.Address)
		add(rest, pub.Category)
		add(rest, pub.Postcode)
	}
	return names, local, rest
}

// addOwn adds the texts of a field in the order of the pubs.
func (f *fieldTexts) addOwn(pubs *corpus.Rows, field int, read func(pub *schema.Pub) string) {
	var pub schema.Pub
	var folded []byte
	for i := range pubs.Len() {
		if value := read(pubs.Get(i, &pub)); value != "" {
			folded = text.AppendFolded(folded[:0], indexfile.BytesOf(value))
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
		for ordinal := f.names.Starts[text]; ordinal < f.names.Starts[text+1]; ordinal++ {
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
	elided := func(first, last int) {
		for number, word := range f.texts.Between(f.between(first, last)) {
			all.Add(word, number)
		}
	}
	if err := bleve(fieldName, fieldBrand); err != nil {
		return nil, err
	}
	elided(fieldElidedName, fieldElidedPlace)
	if err := bleve(fieldLocation, fieldPart); err != nil {
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
	elided(fieldElidedRest, fieldElidedRest)
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

// joinedFields are the fields whose neighbouring words are inverted, written together.
var joinedFields = [...]struct {
	name        string
	first, last int
}{
	{terms.JoinedCodes, fieldCode, fieldCode},
	{terms.JoinedNames, fieldName, fieldBrand},
	{terms.JoinedLocal, fieldLocation, fieldArea},
}

// gazetteer is the places that are given besides those of the pubs, with what is needed to place them.
type gazetteer struct {
	rows   []corpus.GazetteerPlace
	points []geo.Point
	flat   *geo.Flat
}

// writeWords writes the places, the text index and the labels, one part after the other; few parts keep memory of
// another. Each distinct folded text is analysed once, and its terms belong to the pubs that have it. The pubs, which
// take the most memory, are released once their texts are extracted; their space is also for what is large here. It
// calls begin before it writes anything: who else reads the pubs must have ended then.
func writeWords(file *indexfile.Writer, pubs *corpus.Rows, n *segment.Names, g gazetteer, workers int, begin func()) error {
	titles, labels := segment.NewTitles(pubs, n), segment.NewLabels(pubs, n)
	count, coded := pubs.Len(), indexfile.Writing(file)
	var pub schema.Pub
	found := places.Collect(count, func(ordinal uint32) places.Texts {
		pubs.Get(int(ordinal), &pub)
		return places.Texts{Location: pub.Location, Area: pub.Area, Postcode: pub.Postcode, Address: pub.Address}
	}, g.points, pubs.Space)
	f := newFieldTexts(pubs, n, &found)
	found.Parts, found.PartPubs = nil, nil
	begin()
	pubs.Release()
	var joined [len(joinedFields)]*text.Vocabulary
	join := spool.Beside(workers, func() {
		for i, fields := range joinedFields {
			inverted := f.invertJoined(fields.first, fields.last)
			options := text.VocabularyOptions{Pubs: count, Space: f.space, Rare: true, MinPrefix: terms.MinJoinedPrefix}
			joined[i] = text.NewVocabulary(inverted.All(), options, f.appendPubs)
			inverted.Release()
		}
	})
	defer join()
	inverted, err := f.invert(workers)
	if err != nil {
		return err
	}
	_, areas := f.between(fieldName, fieldArea)
	words := text.NewVocabulary(inverted.Among(0, areas), text.VocabularyOptions{Pubs: count, Space: f.space}, f.appendPubs)
	defer words.Release()
	words.Terms.Hash()
	words.Terms.Code(coded, terms.AllWords+".terms")
	words.Layer.Code(coded, terms.AllWords, words.Terms.Len(), count)
	var fuzzy text.FuzzyIndex
	prepare := spool.Beside(workers, func() { fuzzy = text.NewFuzzyIndex(f.space, words.Terms) })
	defer prepare()
	layer := func(name string, first, last int) *text.Vocabulary {
		options := text.VocabularyOptions{Pubs: count, Space: f.space, Rare: true, Terms: words.Terms}
		v := text.NewVocabulary(inverted.Among(f.between(first, last)), options, f.appendPubs)
		v.Layer.Code(coded, name, words.Terms.Len(), count)
		return v
	}
	named, local := layer(terms.Named, fieldName, fieldElidedName), layer(terms.Local, fieldElidedPlace, fieldArea)
	f.writeStrict(coded, inverted, count)
	having := func(name uint32) []uint32 { return f.appendPubs(nil, []uint32{name}) }
	names := segment.NewNameWords(f.texts.Between(f.between(fieldName, fieldBrand)), f.bounds[fieldName], f.bounds[fieldAltName], having, words.Terms)
	names.Code(coded, 0, 0, count)
	points, err := geo.Open(*g.flat)
	if err != nil {
		return err
	}
	x := terms.Index{Words: *words, Named: named.Layer}
	var w terms.Workspace
	var pool postings.Pool
	found.Locate(g.rows, func(words text.Phrase) int {
		pool.Reset(count)
		return x.Called(words, &w, &pool).Len()
	}, local, points)
	named.Release()
	local.Release()
	found.Index.Code(coded, count)
	found.Release()
	layer(terms.Rest, fieldAddress, fieldElidedRest).Release()
	layer(terms.Category, fieldCategory, fieldCategory).Release()
	inverted.Release()
	join()
	for i, fields := range joinedFields {
		joined[i].Code(coded, fields.name, count)
		joined[i].Release()
	}
	f.release()
	prepare()
	fuzzy.Code(coded, terms.AllWords)
	titles.Code(coded, count)
	labels.Code(coded, count)
	return nil
}

// writeStrict writes the sets for strict matches.
func (f *fieldTexts) writeStrict(file indexfile.Codec, inverted *text.Inversion, count int) {
	_, areas := f.between(fieldName, fieldArea)
	locations, parts := f.between(fieldElidedPlace, fieldPart)
	codes, end := f.between(fieldCode, fieldCode)
	number := inverted.Len()
	for _, kind := range [...]struct {
		name string
		low  uint32                    // where the fields of the set begin
		has  func(texts []uint32) bool // reports whether a term has a set
		rare bool
	}{
		{terms.Whole, 0, func(texts []uint32) bool {
			return len(text.Among(texts, 0, areas)) > 0 && len(text.Among(texts, areas, end)) > 0
		}, false},
		{terms.Placed, locations, func(texts []uint32) bool { return len(text.Among(texts, locations, parts)) > 0 }, true},
		{terms.Codes, codes, func(texts []uint32) bool { return len(text.Among(texts, codes, end)) > 0 }, true},
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
		all := sets.Sets(number)
		all.Code(file, kind.name, number, count)
		sets.Release()
	}
}
