package index

import (
	"bytes"
	"slices"

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
func newTitles(pubs *Rows, n *names) titles {
	type titled struct {
		title []byte
		name  uint32
	}
	all := make([]titled, n.folded.Len())
	var words text.Phrase
	var arena []byte
	for name := range uint32(len(all)) {
		words = words[:0].AppendWords(n.folded.At(name)).WithoutFiller()
		start := len(arena)
		arena = words.AppendTo(arena)
		all[name] = titled{arena[start:len(arena):len(arena)], name}
	}
	slices.SortFunc(all, func(a, b titled) int {
		if order := bytes.Compare(a.title, b.title); order != 0 {
			return order
		}
		return int(int64(a.name) - int64(b.name))
	})
	t := titles{byPub: make([]uint32, pubs.Len())}
	var terms [][]byte
	var having []uint32 // the pubs of the last title, ascending
	var counts []uint32
	for i, one := range all {
		if i == 0 || !bytes.Equal(one.title, all[i-1].title) {
			terms, having = append(terms, one.title), having[:0]
		}
		for pub := n.starts[one.name]; pub < n.starts[one.name+1]; pub++ {
			having = append(having, pub)
			t.byPub[pub] = uint32(len(terms) - 1)
		}
		if i == len(all)-1 || !bytes.Equal(one.title, all[i+1].title) {
			counts = append(counts, uint32(len(having)))
			t.shown = append(t.shown, mostFrequentName(pubs, having))
		}
	}
	t.Completions = text.NewCompletions(text.NewDictionary(terms, false), counts)
	return t
}

// mostFrequentName returns a pub with the most frequent name among some pubs, the first of equally frequent ones.
func mostFrequentName(pubs *Rows, among []uint32) (pub uint32) {
	most := 0
	name := func(i int) string { return pubs.text(int(among[i]), textName) }
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

func (t *titles) write(w *indexfile.Writer) {
	t.Terms.Write(w, "titles")
	t.Completions.Write(w, "titles.completions")
	indexfile.Put(w, "titles.of", t.byPub)
	indexfile.Put(w, "titles.shown", t.shown)
}

func readTitles(r *indexfile.Reader, size int) titles {
	t := titles{Completions: text.ReadCompletions(r, "titles.completions", text.ReadDictionary(r, "titles"))}
	t.byPub = indexfile.TakeN[uint32](r, "titles.of", size)
	t.shown = indexfile.TakeN[uint32](r, "titles.shown", t.Terms.Len())
	indexfile.CheckBelow(r, "titles.shown", t.shown, size)
	return t
}
