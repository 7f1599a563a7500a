package places

import (
	"bytes"

	"pubd/index/spool"
	"pubd/index/text"
)

// interner numbers distinct texts in the order in which they first come.
type interner struct {
	texts text.Texts
	known *spool.Table // finds texts
}

func newInterner(space *spool.Space) interner {
	return interner{text.NewTexts(space), spool.NewTable(space)}
}

// count returns the number of texts.
func (t *interner) count() int { return t.texts.Len() }

// at returns a text by its number, valid until release.
func (t *interner) at(number uint32) []byte { return t.texts.At(number) }

// find returns the number of a text.
func (t *interner) find(written []byte) (number uint32, ok bool) {
	return t.known.Find(uint32(text.Hash(written)), func(number uint32) bool { return bytes.Equal(t.at(number), written) })
}

// add returns the number of a text, which it gives it if it has none.
func (t *interner) add(written []byte) (number uint32, isNew bool) {
	added := spool.Uint32(2*t.count()+1) / 2 // an occurrence doubles it
	number, isNew = t.known.FindOrAdd(uint32(text.Hash(written)), added, func(number uint32) bool { return bytes.Equal(t.at(number), written) })
	if isNew {
		t.texts.Add(written)
	}
	return number, isNew
}

func (t *interner) release() {
	t.texts.Release()
	t.known.Release()
}
