package index

import (
	"maps"
	"slices"
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
	names  *names
	texts  [][]byte
	starts []uint32 // text i is that of the pubs pubs[starts[i-n]:starts[i-n+1]], with n names
	pubs   []uint32
	// bounds[i] is the end of the texts of field i.
	bounds [fieldCount]uint32
}

// The fields in the order of their texts.
const (
	fieldName = iota
	fieldAltName
	fieldLocation
	fieldArea
	fieldPart // tight parts of addresses
	fieldAddress
	fieldCategory
	fieldPostcode
	fieldCount
)

// newFieldTexts returns the texts of the fields of pubs.
func newFieldTexts(pubs *Rows, n *names, collected *places.Collected) *fieldTexts {
	f := &fieldTexts{names: n, starts: []uint32{0}}
	for i := range uint32(n.folded.Len()) {
		f.texts = append(f.texts, n.folded.At(i))
	}
	f.bounds[fieldName] = uint32(len(f.texts))
	f.addShared(pubs, fieldAltName, eachAltName)
	f.addShared(pubs, fieldLocation, func(pub *Pub, do func(string)) { do(pub.Location) })
	f.addShared(pubs, fieldArea, func(pub *Pub, do func(string)) { do(pub.Area) })
	for i, part := range collected.Parts {
		f.add(part, collected.PartPubs[i])
	}
	f.bounds[fieldPart] = uint32(len(f.texts))
	f.addOwn(pubs, fieldAddress, func(pub *Pub) string { return pub.Address })
	f.addShared(pubs, fieldCategory, func(pub *Pub, do func(string)) { do(pub.Category) })
	f.addOwn(pubs, fieldPostcode, func(pub *Pub) string { return pub.Postcode })
	return f
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
	f.texts = append(f.texts, text)
	f.pubs = append(f.pubs, pubs...)
	f.starts = append(f.starts, uint32(len(f.pubs)))
}

// addShared adds the texts of a field in ascending order.
func (f *fieldTexts) addShared(pubs *Rows, field int, each func(pub *Pub, do func(string))) {
	folded := map[string]string{} // by text
	ordinals := map[string][]uint32{}
	var pub Pub
	for i := range pubs.Len() {
		each(pubs.Get(i, &pub), func(value string) {
			if value == "" {
				return
			}
			text, known := folded[value]
			if !known {
				text = string(AppendFolded(nil, []byte(value)))
				folded[value] = text
			}
			ordinals[text] = append(ordinals[text], uint32(i))
		})
	}
	for _, text := range slices.Sorted(maps.Keys(ordinals)) {
		f.add([]byte(text), ordinals[text])
	}
	f.bounds[field] = uint32(len(f.texts))
}

// addOwn adds the texts of a field in the order of the pubs.
func (f *fieldTexts) addOwn(pubs *Rows, field int, read func(pub *Pub) string) {
	count, size := 0, 0
	var pub Pub
	for i := range pubs.Len() {
		if value := read(pubs.Get(i, &pub)); value != "" {
			count, size = count+1, size+len(value)
		}
	}
	f.texts, f.pubs, f.starts = slices.Grow(f.texts, count), slices.Grow(f.pubs, count), slices.Grow(f.starts, count)
	arena := make([]byte, 0, size) // few texts become longer when folded
	for i := range pubs.Len() {
		value := read(pubs.Get(i, &pub))
		if value == "" {
			continue
		}
		start := len(arena)
		arena = AppendFolded(arena, []byte(value))
		f.texts = append(f.texts, arena[start:len(arena):len(arena)])
		f.pubs = append(f.pubs, uint32(i))
		f.starts = append(f.starts, uint32(len(f.pubs)))
	}
	f.bounds[field] = uint32(len(f.texts))
}

// pubsOf returns the pubs that have a text other than a name.
func (f *fieldTexts) pubsOf(text uint32) []uint32 {
	text -= f.bounds[fieldName]
	return f.pubs[f.starts[text]:f.starts[text+1]]
}

// appendPubs appends the pubs that have one of the texts.
func (f *fieldTexts) appendPubs(dst, texts []uint32) []uint32 {
	for _, text := range texts {
		if text >= f.bounds[fieldName] {
			dst = append(dst, f.pubsOf(text)...)
			continue
		}
		for ordinal := f.names.starts[text]; ordinal < f.names.starts[text+1]; ordinal++ {
			dst = append(dst, ordinal)
		}
	}
	return dst
}

// codes inverts the codes of postcodes.
func (f *fieldTexts) codes() text.Inversion {
	codes := map[string][]uint32{}
	low, high := f.between(fieldPostcode, fieldPostcode)
	for number := low; number < high; number++ {
		places.EachCode(f.texts[number], func(code []byte, _ bool) {
			texts := codes[string(code)]
			if len(texts) == 0 || texts[len(texts)-1] != number {
				codes[string(code)] = append(texts, number)
			}
		})
	}
	return text.NewInversion(codes)
}

// gazetteer is the places that are given besides those of the pubs, with what is needed to place them.
type gazetteer struct {
	rows   []GazetteerPlace
	points []geo.Point
	flat   func() geo.Flat
}

// putWords builds the places, the text index and the labels, and puts one part after the other to be written; few
// parts keep memory of another. Each distinct folded text is analysed once, and its terms belong to the pubs that have
// it. The pubs, which take the most memory, are released once their texts are extracted; their space is also for what
// is large here.
func putWords(pubs *Rows, release func(), n *names, g gazetteer, workers int, put func(write func(file *indexfile.Writer))) (err error) {
	defer spool.Catch(&err)
	titles, labels := newTitles(pubs, n), newLabels(pubs, n)
	count := pubs.Len()
	var pub Pub
	found := places.Collect(count, func(ordinal uint32) places.Texts {
		pubs.Get(int(ordinal), &pub)
		return places.Texts{Location: pub.Location, Area: pub.Area, Postcode: pub.Postcode, Address: pub.Address}
	}, g.points, pubs.space)
	f := newFieldTexts(pubs, n, &found)
	found.Parts, found.PartPubs = nil, nil
	release()
	inverted, err := text.Invert(f.texts, workers)
	if err != nil {
		return err
	}
	putVocabulary := func(name string, inversion text.Inversion, options text.VocabularyOptions) text.Vocabulary {
		options.Pubs = count
		v := text.NewVocabulary(inversion, options, f.appendPubs)
		put(func(file *indexfile.Writer) { v.Write(file, name) })
		return v
	}
	named := putVocabulary("named", inverted.Between(f.between(fieldName, fieldAltName)), text.VocabularyOptions{Rare: true, Hashed: true})
	local := putVocabulary("local", inverted.Between(f.between(fieldLocation, fieldArea)), text.VocabularyOptions{Rare: true, Hashed: true})
	terms := f.putStrict(inverted, count, putVocabulary, put)
	names := newNameWords(f, &named.Terms)
	put(names.write)
	if len(g.rows) > 0 {
		points, err := geo.Open(g.flat())
		if err != nil {
			return err
		}
		x := strict.Index{Named: named}
		var w strict.Workspace
		var pool postings.Pool
		found.AddGazetteer(g.rows, func(words text.Phrase) int {
			pool.Reset(count)
			return x.Called(words, &w, &pool).Len()
		}, &local, points)
	}
	named, local = text.Vocabulary{}, text.Vocabulary{}
	put(func(file *indexfile.Writer) {
		found.Index.Write(file)
		found.Release()
	})
	putVocabulary(relax.RestWords, inverted.Between(f.between(fieldAddress, fieldPostcode)), text.VocabularyOptions{Rare: true, Hashed: true})
	inverted = text.Inversion{}
	for _, joined := range [...]struct {
		name        string
		first, last int
	}{{relax.JoinedNames, fieldName, fieldAltName}, {relax.JoinedLocal, fieldLocation, fieldArea}, {relax.JoinedCodes, fieldPostcode, fieldPostcode}} {
		low, high := f.between(joined.first, joined.last)
		putVocabulary(joined.name, text.InvertJoined(f.texts[low:high], low), text.VocabularyOptions{Rare: true, MinPrefix: relax.MinJoinedPrefix})
	}
	put(func(file *indexfile.Writer) {
		relax.WriteTerms(file, &terms)
		titles.write(file)
		labels.write(file)
	})
	return nil
}

// putStrict puts the sets for strict matches, and returns the terms of all fields.
func (f *fieldTexts) putStrict(inverted text.Inversion, count int, putVocabulary func(string, text.Inversion, text.VocabularyOptions) text.Vocabulary,
	put func(write func(file *indexfile.Writer))) text.Dictionary {
	codes := f.codes()
	_, areas := f.between(fieldName, fieldArea)
	whole := inverted.Between(f.between(fieldName, fieldPart)).With(codes)
	begun := putVocabulary("words", inverted.Among(inverted.With(codes), 0, areas), text.VocabularyOptions{Hashed: true}).Terms
	options := text.VocabularyOptions{Pubs: count, Rare: true}
	sets := strict.Sets{
		Placed: inverted.Between(f.between(fieldLocation, fieldPart)).With(codes).Sets(&begun, options, f.appendPubs),
		Codes:  codes.Sets(&begun, options, f.appendPubs),
		Whole:  whole.Beyond(areas).Sets(&begun, text.VocabularyOptions{Pubs: count}, f.appendPubs),
	}
	put(sets.Write)
	return begun
}
