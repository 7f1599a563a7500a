package index

import (
	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/text"
)

// titles are the distinct folded names without the words "the" and "and".
type titles struct {
	text.Completions
	byPub []uint32 // by pub, its title
	shown []uint32 // by title, a pub with its most frequent name
}

// newTitles returns the titles of names of pubs.
func newTitles(pubs *corpus.Rows, n *names) titles {
	inverter := text.NewInverter(pubs.Space)
	var words text.Phrase
	var title []byte
	for name := range uint32(n.folded.Len()) {
		words = words[:0].AppendWords(n.folded.At(name)).WithoutFiller()
		title = words.AppendTo(title[:0])
		inverter.Add(title, name)
	}
	inverted := inverter.Inversion()
	defer inverted.Release()
	t := titles{byPub: make([]uint32, pubs.Len())}
	var terms [][]byte
	var having []uint32 // the pubs of a title, ascending
	var counts []uint32
	for title, names := range inverted.All() {
		having = having[:0]
		for _, name := range names {
			for pub := n.starts[name]; pub < n.starts[name+1]; pub++ {
				having = append(having, pub)
				t.byPub[pub] = uint32(len(terms))
			}
		}
		terms, counts = append(terms, title), append(counts, uint32(len(having)))
		t.shown = append(t.shown, mostFrequentName(pubs, having))
	}
	t.Completions = text.NewCompletions(text.NewDictionary(terms, false), counts)
	return t
}

// mostFrequentName returns a pub with the most frequent name among some pubs, the first of equally frequent ones.
func mostFrequentName(pubs *corpus.Rows, among []uint32) (pub uint32) {
	most := 0
	name := func(i int) string { return pubs.Name(int(among[i])) }
	for i := 0; i < len(among); {
		end := i + 1
		for end < len(among) && name(end) == name(i) {
			end++
		}
		if end-i > most {
			most, pub = end-i, among[i]
		}
		i = end
	}
	return pub
}

// code writes or reads the titles of a number of pubs.
func (t *titles) code(f indexfile.Codec, size int) {
	t.Terms.Code(f, "titles")
	t.Completions.Code(f, "titles.completions")
	indexfile.ArrayN(f, "titles.of", &t.byPub, size)
	indexfile.ArrayN(f, "titles.shown", &t.shown, t.Terms.Len())
	indexfile.CheckBelow(f.Reader, "titles.shown", t.shown, size)
}
