// Package reading reads what the words of a query say: which features they wish, what they deny, for what time they ask,
// which places they name, and what is left. It matches nothing: package match does, with a [Reading].
//
// An Index is immutable, a [Workspace] serves one goroutine.
package reading

import (
	"math/bits"
	"slices"

	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/terms"
	"pubd/index/text"
)

// MaxWords is the maximum number of words, except filler words, of a query that is read and relaxed.
const MaxWords = 8

// MinTelling is the minimum number of characters of a word that tells which pub is meant.
const MinTelling = 3

// Index has the words of a snapshot. It is immutable and safe for concurrent use.
type Index struct {
	Terms  *terms.Index
	Places *places.Index
	// HasBrands is set if any pub has a brand.
	HasBrands bool
	// Tells has the features of which the snapshot tells of any pub whether it has them.
	Tells map[string]bool
}

// Options says how to read words.
type Options struct {
	// Vocabulary knows which words wish for features, Now is when the query is asked.
	Vocabulary *features.Vocabulary
	Now        hours.Local
	// Strict is set if nothing is left out or denied, Places if places are read.
	Strict, Places bool
}

// Workspace is the working memory of reading. The zero value is ready to use.
type Workspace struct {
	Terms  terms.Workspace
	Places places.Workspace

	reading Reading
	part    Reading // of some of the words
	head    text.Phrase
	left    []int // positions
	denied  text.Phrase
}

// Reading is a parsed query. Positions are those of Texts. It is in the memory of a workspace, and valid
// until that is used again.
type Reading struct {
	Words   text.Phrase  // without "the", "and" and what is left out or denied
	Texts   text.Phrase  // Words, and "st" if places were found by it instead of a saint
	Classes []text.Class // by text
	Says    text.Class   // the classes of all words together
	IsHere  bool         // a word, also one that is left out, means the place where the person is
	IsLong  bool         // it has too many words to be read: positions are not valid
	Whole   terms.Part   // all words
	// Content are the words that are neither generic nor filler. Core is the same or, if there are none, all words; it ends
	// as a last word does if the query ends with it.
	Content  text.Phrase
	Core     terms.Part
	Features []Wish        // that the snapshot tells of
	Time     features.Time // at which pubs are to be open
	Denied   Denied

	index    *Index
	w        *Workspace
	places   []Named // once isPlaced is set
	isPlaced bool    // places have been read, or none are to be read
	// hasPlaces is set if places are to be read. saints are the words with st for each saint.
	hasPlaces bool
	saints    text.Phrase
}

// Wish is a feature that some words of a query wish, and their positions: Low to High-1.
type Wish struct {
	Feature   string
	Low, High uint8
}

// Read reads the words of a query, without "the" and "and".
func (x *Index) Read(words text.Phrase, o Options, w *Workspace) *Reading {
	r := &w.reading
	r.index, r.w = x, w
	r.Words, r.Classes, r.Says = append(r.Words[:0], words...), r.Classes[:0], 0
	for _, word := range words {
		class := text.ClassOf(word)
		r.Classes, r.Says = append(r.Classes, class), r.Says|class
	}
	r.IsHere, r.Denied, r.Time = r.Says.Is(text.Here), Denied{}, features.Time{}
	if !o.Strict {
		if x.HasBrands {
			r.nameChains(o.Vocabulary)
		}
		r.leaveOut(o.Vocabulary)
	}
	r.Texts, r.Features = r.Words, r.Features[:0]
	if len(x.Tells) > 0 {
		r.readFeatures(o.Vocabulary, o.Now)
	}
	r.divide()
	r.places, r.isPlaced, r.hasPlaces = r.places[:0], !o.Places, o.Places
	return r
}

// divide notes which words are the core.
func (r *Reading) divide() {
	r.Content, r.Whole.Positions, r.Core.Positions = r.Content[:0], r.Whole.Positions[:0], r.Core.Positions[:0]
	count := 0
	for i, word := range r.Words {
		if !r.Classes[i].Is(text.Filler) {
			count++
		}
		isContent := !r.Classes[i].Is(text.Usual)
		if isContent {
			r.Content = append(r.Content, word)
		}
		if i < terms.MaxPositions {
			r.Whole.Positions = append(r.Whole.Positions, uint8(i))
			if isContent {
				r.Core.Positions = append(r.Core.Positions, uint8(i))
			}
		}
	}
	r.IsLong = count > MaxWords || len(r.Words) > terms.MaxPositions
	if len(r.Core.Positions) == 0 {
		r.Core.Positions = append(r.Core.Positions, r.Whole.Positions...)
	}
	r.Whole.Ends, r.Core.Ends = true, int(r.Core.Positions[len(r.Core.Positions)-1]) == len(r.Words)-1
}

// CoreWords returns the words of the core.
func (r *Reading) CoreWords() text.Phrase {
	if len(r.Content) > 0 {
		return r.Content
	}
	return r.Words
}

// Asks reports whether a query asks for pubs somewhere: it has a word such as in or pubs.
func (r *Reading) Asks() bool { return r.Says.Is(text.Where | text.PluralKind) }

// IsOnly reports whether all words have one of some classes.
func (r *Reading) IsOnly(some text.Class) bool {
	return !slices.ContainsFunc(r.Classes[:len(r.Words)], func(class text.Class) bool { return !class.Is(some) })
}

// sumClasses notes the classes of all words together.
func (r *Reading) sumClasses() {
	r.Says = 0
	for _, class := range r.Classes {
		r.Says |= class
	}
}

// nameChains puts the name of a chain for each nickname that fewer pubs are called.
func (r *Reading) nameChains(v *features.Vocabulary) {
	called := func(word []byte) postings.Set { return r.index.Terms.Exact(&r.index.Terms.Named, word) }
	for i := 0; i < len(r.Words); i++ {
		chain := v.Chain(r.Words[i])
		if chain == nil {
			continue
		}
		name := text.Phrase{}.AppendWords(chain)
		if called(r.Words[i]).Len() < called(name[0]).Len() {
			r.Words = slices.Replace(r.Words, i, i+1, name...)
			r.Classes = slices.Replace(r.Classes, i, i+1, make([]text.Class, len(name))...)
			for _, word := range name {
				r.Classes[i] = text.ClassOf(word)
				i++
			}
			i--
			r.sumClasses()
		}
	}
}

// readFeatures finds the features that the query wishes and the snapshot tells of, and the time at which pubs are to be
// open, whose words are no others. Their words are wishes; a kind of pubs is not one.
func (r *Reading) readFeatures(v *features.Vocabulary, now hours.Local) {
	tells := r.index.Tells
	if r.Says.Is(text.Time) && tells[features.OpenAt] {
		r.Time = features.FindTime(r.Words, now)
	}
	for i := 0; i < min(len(r.Words), terms.MaxPositions); i++ {
		feature, n := v.Find(r.Words[i:])
		if run := bits.TrailingZeros64(^(r.Time.Words >> i)); run > 0 {
			feature, n = features.OpenAt, run
		} else if n > bits.TrailingZeros64(r.Time.Words>>i) {
			continue
		}
		if n == 0 || n == 1 && r.Classes[i].Is(text.Kind) || !tells[feature] {
			continue
		}
		r.Features = append(r.Features, Wish{feature, uint8(i), uint8(i + n)})
		for j := range n {
			r.Classes[i+j] |= text.Wish
		}
		r.Says |= text.Wish
		i += n - 1
	}
}
