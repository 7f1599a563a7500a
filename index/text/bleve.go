package text

import (
	"bytes"
	"fmt"
	"iter"

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

// Invert analyses the folded texts with the numbers low <= n < high with bleve, with a number of workers, and adds
// their terms to an inverter. Each batch becomes one segment, in order, because an index that receives documents one by
// one keeps many segments and numbers the documents at random.
func (v *Inverter) Invert(texts *Texts, low, high uint32, workers int) error {
	first := low
	for made := range segments(texts.Between(low, high), workers) {
		if made.err != nil {
			return fmt.Errorf("text index: %w", made.err)
		}
		start := uint32(0)
		at := uint32(0)
		for i, end := range made.ends {
			count := made.counts[i]
			v.addRun(made.terms[start:end], made.texts[at:at+count], first)
			start, at = end, at+count
		}
		first += made.size
	}
	return nil
}

// batches returns the texts of each segment.
func batches(texts iter.Seq2[uint32, []byte]) iter.Seq[[][]byte] {
	return func(yield func([][]byte) bool) {
		var batch [][]byte
		size := 0
		for _, text := range texts {
			if len(batch) > 0 && (len(batch) == textsPerSegment || size+len(text) > bytesPerSegment) {
				if !yield(batch) {
					return
				}
				batch, size = make([][]byte, 0, len(batch)), 0
			}
			batch, size = append(batch, text), size+len(text)
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// segments yields the segments of texts in order. If the loop ends early, even by a panic, nothing reads the texts any
// more when it has ended.
func segments(texts iter.Seq2[uint32, []byte], workers int) iter.Seq[inverted] {
	return func(yield func(inverted) bool) {
		order := make(chan chan inverted, workers-1) // also bounds the number of segments in memory
		ended := make(chan struct{})
		defer func() {
			close(ended)
			for made := range order {
				<-made
			}
		}()
		go func() {
			defer close(order)
			for batch := range batches(texts) {
				made := make(chan inverted, 1)
				select {
				case order <- made:
					go func() { made <- newSegment(batch) }()
				case <-ended:
					return
				}
			}
		}()
		for made := range order {
			if !yield(<-made) {
				return
			}
		}
	}
}

// inverted is the postings of a segment, or an error.
type inverted struct {
	terms  []byte
	ends   []uint32 // of the terms
	counts []uint32 // of their texts
	texts  []uint32 // of one term after the other, counted from the first text of the segment
	size   uint32   // number of texts
	err    error
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
	made := inverted{size: uint32(len(texts)), err: err}
	if err == nil {
		made.err = made.read(segment)
	}
	return made
}

// read reads the terms of a segment.
func (v *inverted) read(made segment.Segment) error {
	dictionary, err := made.Dictionary(field)
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
		before := len(v.texts)
		found.Iterate(func(number uint32) bool {
			v.texts = append(v.texts, number)
			return true
		})
		v.terms = append(v.terms, entry.Term...)
		v.ends, v.counts = append(v.ends, uint32(len(v.terms))), append(v.counts, uint32(len(v.texts)-before))
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
		for _, synonym := range Synonyms(word.Term, i == len(words)-1) {
			tokens = append(tokens, &analysis.Token{Term: []byte(synonym), Position: word.Position})
		}
	}
	return tokens
}
