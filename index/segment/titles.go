package segment

import (
	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/text"
)

// Titles are the distinct folded names without the words "the" and "and".
type Titles struct {
	text.Completions
	ByPub []uint32 // by pub, its title
	Shown []uint32 // by title, a pub with its most frequent name
}

// NewTitles returns the titles of names of pubs.
func NewTitles(pubs *corpus.Rows, n *Names) Titles {
	inverter := text.NewInverter(pubs.Space)
	var words text.Phrase
	var title []byte
	for name := range uint32(n.Folded.Len()) {
		words = words[:0].AppendWords(n.Folded.At(name)).WithoutFiller()
		title = words.AppendTo(title[:0])
		inverter.Add(title, name)
	}
	inverted := inverter.Inversion()
	defer inverted.Release()
	t := Titles{ByPub: make([]uint32, pubs.Len())}
	var terms [][]byte
	var having []uint32 // the pubs of a title, ascending
	var counts []uint32
	for title, names := range inverted.All() {
		having = having[:0]
		for _, name := range names {
			for pub := n.Starts[name]; pub < n.Starts[name+1]; pub++ {
				having = append(having, pub)
				t.ByPub[pub] = uint32(len(terms))
			}
		}
		terms, counts = append(terms, title), append(counts, uint32(len(having)))
		t.Shown = append(t.Shown, mostFrequentName(pubs, having))
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

// Code writes or reads the titles of a number of pubs.
func (t *Titles) Code(f indexfile.Codec, size int) {
	t.Terms.Code(f, "titles")
	t.Completions.Code(f, "titles.completions")
	indexfile.ArrayN(f, "titles.of", &t.ByPub, size)
	indexfile.ArrayN(f, "titles.shown", &t.Shown, t.Terms.Len())
	indexfile.CheckBelow(f.Reader, "titles.shown", t.Shown, size)
}
