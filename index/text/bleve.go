package text

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	bleve "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"
)

// field is the only field of the documents. Its terms are the words of a text and their synonyms.
const field = "text"

// The maximum number of texts of a segment, and of their bytes (unless it is a single text), to bound the memory of
// the analysis.
const (
	textsPerSegment = 8192
	bytesPerSegment = 1 << 18
)

// Invert analyses folded texts with bleve and inverts them, with a number of workers. Each batch becomes one segment,
// in the given order, because an index that receives documents one by one keeps many segments and numbers the
// documents at random.
func Invert(texts [][]byte, workers int) (Inversion, error) {
	words := map[string][]uint32{}
	var err error
	first := uint32(0)
	for made := range segments(texts, workers) {
		if err = cmp.Or(err, made.err); err == nil {
			err = addSegment(words, made.segment, first)
		}
		first += uint32(made.texts)
	}
	if err != nil {
		return Inversion{}, fmt.Errorf("text index: %w", err)
	}
	return NewInversion(words), nil
}

// batches returns the texts of each segment.
func batches(texts [][]byte) iter.Seq[[][]byte] {
	return func(yield func([][]byte) bool) {
		start, size := 0, 0
		for i, text := range texts {
			if i > start && (i-start == textsPerSegment || size+len(text) > bytesPerSegment) {
				if !yield(texts[start:i]) {
					return
				}
				start, size = i, 0
			}
			size += len(text)
		}
		if start < len(texts) {
			yield(texts[start:])
		}
	}
}

// segments yields the segments of texts in order. The loop must not end early. A single worker runs on the caller's
// goroutine.
func segments(texts [][]byte, workers int) iter.Seq[inverted] {
	return func(yield func(inverted) bool) {
		if workers == 1 {
			for batch := range batches(texts) {
				yield(newSegment(batch))
			}
			return
		}
		batches := slices.Collect(batches(texts))
		made := make([]chan inverted, len(batches))
		free := make(chan struct{}, workers) // also bounds the number of segments in memory
		for i := range made {
			made[i] = make(chan inverted, 1)
		}
		go func() {
			for i, batch := range batches {
				free <- struct{}{}
				go func() { made[i] <- newSegment(batch) }()
			}
		}()
		for i := range made {
			yield(<-made[i])
			<-free
		}
	}
}

// inverted is a segment of a number of texts, or an error.
type inverted struct {
	segment segment.Segment
	texts   int
	err     error
}

func newSegment(texts [][]byte) inverted {
	analyser := &analysis.DefaultAnalyzer{Tokenizer: splitter{}, TokenFilters: []analysis.TokenFilter{spellings{}}}
	const options = bleve.IndexField | bleve.SkipFreqNorm
	id := document.NewTextFieldCustom("_id", nil, nil, bleve.StoreField, nil) // required, but never read
	documents := make([]bleve.Document, len(texts))
	for i, text := range texts {
		analysed := document.NewTextFieldCustom(field, nil, text, options, analyser)
		analysed.Analyze()
		fields := document.NewDocument("")
		fields.AddField(analysed)
		fields.AddField(id)
		documents[i] = fields
	}
	segment, _, err := new(zap.ZapPlugin).New(documents)
	return inverted{segment, len(texts), err}
}

// addSegment adds the terms of a segment, whose texts are numbered from first.
func addSegment(words map[string][]uint32, inverted segment.Segment, first uint32) error {
	dictionary, err := inverted.Dictionary(field)
	if err != nil {
		return err
	}
	var postings segment.PostingsList
	found := roaring.New()
	terms := dictionary.AutomatonIterator(nil, nil, nil)
	for {
		entry, err := terms.Next()
		if err != nil || entry == nil {
			return err
		}
		if postings, err = dictionary.PostingsList([]byte(entry.Term), nil, postings); err != nil {
			return fmt.Errorf("term %q: %w", entry.Term, err)
		}
		found.Clear()
		postings.(interface{ OrInto(*roaring.Bitmap) }).OrInto(found)
		list := words[entry.Term]
		found.Iterate(func(number uint32) bool {
			list = append(list, first+number)
			return true
		})
		words[entry.Term] = list
	}
}

// splitter splits a folded text at its spaces. The tokenizers of bleve allocate room for 1,024 tokens per text, which
// would be two thirds of all allocations of a build.
type splitter struct{}

// Tokenize implements analysis.Tokenizer.
func (splitter) Tokenize(text []byte) analysis.TokenStream {
	tokens := make([]analysis.Token, 0, bytes.Count(text, space)+1)
	stream := make(analysis.TokenStream, 0, cap(tokens))
	start := 0
	for word := range bytes.SplitSeq(text, space) {
		if len(word) > 0 {
			tokens = append(tokens, analysis.Token{Term: word, Start: start, End: start + len(word), Position: len(tokens) + 1})
			stream = append(stream, &tokens[len(tokens)-1])
		}
		start += len(word) + len(space)
	}
	return stream
}

var space = []byte(" ")

// spellings adds the other spellings of the words of a text.
type spellings struct{}

// Filter implements analysis.TokenFilter.
func (spellings) Filter(words analysis.TokenStream) analysis.TokenStream {
	tokens := words
	for i, word := range words {
		for synonym := range Synonyms(word.Term, i == len(words)-1) {
			tokens = append(tokens, &analysis.Token{Term: []byte(synonym), Position: word.Position})
		}
	}
	return tokens
}
