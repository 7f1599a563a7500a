package text

import (
	"iter"

	"pubd/index/spool"
)

// Texts are many numbered texts in one array.
type Texts struct {
	bytes  *spool.Array[byte]
	starts *spool.Array[uint64] // text i is bytes[starts[i]:starts[i+1]]
}

// NewTexts returns no texts, whose memory is in a space.
func NewTexts(space *spool.Space) Texts {
	t := Texts{spool.New[byte](space), spool.New[uint64](space)}
	t.starts.Append(0)
	return t
}

// Release frees the memory.
func (t *Texts) Release() {
	t.bytes.Release()
	t.starts.Release()
}

// Add adds a copy of a text.
func (t *Texts) Add(text []byte) {
	t.bytes.Append(text...)
	t.starts.Append(uint64(t.bytes.Len()))
}

// Len returns the number of texts.
func (t *Texts) Len() int { return t.starts.Len() - 1 }

// At returns a text by its number.
func (t *Texts) At(number uint32) []byte {
	starts := t.starts.Values()
	return t.bytes.Values()[starts[number]:starts[number+1]]
}

// Between yields the numbers low <= n < high with their texts.
func (t *Texts) Between(low, high uint32) iter.Seq2[uint32, []byte] {
	return func(yield func(number uint32, text []byte) bool) {
		for number := low; number < high; number++ {
			if !yield(number, t.At(number)) {
				return
			}
		}
	}
}
