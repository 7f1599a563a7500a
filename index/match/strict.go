package match

import (
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// strictMemory is the working memory of strict matches.
type strictMemory struct {
	operands []postings.Set
	pending  []postings.Set
	spans    []span
	ways     []postings.Set
	local    []postings.Set
	words    text.Phrase
	terms    []uint32 // of words
	reached  []bool
}

// span is a phrase at the words from begin to end-1 of a query.
type span struct {
	begin, end int
	phrase     uint32
}

// Strict returns the pubs that words match as they stand, regardless of any filter; ends says whether the last word is
// matched as a last word. A pub is found if each word is one of its name words, place words or codes (the last word also
// as the beginning of a word of its name, location or area), and at least one is in its name, or all are in its
// location, area and codes; or if the words can be divided into phrases all of which it has. Place words are those of
// location, area and tight parts of the address; codes are those of the postcode. The set is in the memory of a pool.
//
// The sets of the words are prepared and intersected. A pub found by parts of its address alone is the exception: the
// few candidates, which have every word in their places, are looked at one by one. Phrases add pubs only through parts
// of addresses, so that divisions without any cost only lookups.
func (x *Index) Strict(words text.Phrase, ends bool, w *Workspace, pool *postings.Pool) postings.Set {
	found := x.byWords(words, ends, w, pool)
	return pool.Either(found, x.byPhrases(words, w, pool))
}

// leastWhole is the number of pubs that have a last word whole from which on it begins no other.
const leastWhole = 3

// mayBegin reports whether the last of some words may begin a longer one: where they name a place, it does not if enough
// pubs have it whole.
func (x *Index) mayBegin(words text.Phrase, w *Workspace) bool {
	last := words[len(words)-1]
	if len(words) < 2 || utf8.RuneCount(last) < minTelling {
		return true
	}
	whole, codes := x.Words.Exact(last), x.CodesOf(last)
	count := whole.Len()
	for _, pub := range codes.IDs() {
		if count < leastWhole && !whole.Has(pub) {
			count++
		}
	}
	return max(count, codes.Len()) < leastWhole || !x.namesPlace(words, w)
}

// byWords returns the pubs that match word by word.
func (x *Index) byWords(words text.Phrase, ends bool, w *Workspace, pool *postings.Pool) postings.Set {
	if len(words) == 1 {
		return x.named1(words[0], ends, w, pool)
	}
	all := words
	words = w.distinct(words, ends)
	before := words
	if ends {
		before = words[:len(words)-1]
	}
	operands, terms := w.strict.operands[:0], w.strict.terms[:0]
	for _, word := range before {
		term, ok := x.Words.Terms.Find(word)
		if !ok {
			return postings.Set{}
		}
		found := x.whole(term)
		if found.Len() == 0 {
			return postings.Set{}
		}
		operands, terms = append(operands, found), append(terms, term)
	}
	w.strict.operands, w.strict.terms = operands, terms
	found := pool.Intersect(operands)
	last, begun := words[len(words)-1], text.Range{}
	if ends && found.Len() > 0 {
		begun = x.Words.Terms.PrefixRange(last)
		found = x.ending(found, last, begun, w, pool)
	}
	candidates := x.placedIn(found, terms[:len(words)-1], pool)
	if found.Len() > 0 && begun.High-begun.Low > 1 && x.isTerm(begun.Low, last) {
		whole := pool.Both(found, x.whole(begun.Low))
		if (whole.Len() < found.Len() || candidates.Len() > 0) && !x.mayBegin(all, w) {
			found, candidates, ends = whole, pool.Both(candidates, whole), false
		}
	}
	if candidates.Len() == 0 {
		return found
	}
	return pool.Difference(found, x.inPartsOnly(candidates, words, ends, w, pool))
}

// placedIn returns the pubs of a set that have all of some terms among their place words and codes.
func (x *Index) placedIn(found postings.Set, terms []uint32, pool *postings.Pool) postings.Set {
	for _, term := range terms {
		if found.Len() == 0 {
			break
		}
		found = pool.Both(found, x.placed(term))
	}
	return found
}

// fewParts is up to how many parts of the set of a last word are intersected one by one: most are larger than what they
// are intersected with, so that to unite them takes longer.
const fewParts = 8

// ending returns the pubs of a set that have a last word, which begins some terms.
func (x *Index) ending(found postings.Set, word []byte, begun text.Range, w *Workspace, pool *postings.Pool) postings.Set {
	parts := x.appendBegun(w.strict.pending[:0], word, begun, true)
	w.strict.pending = parts
	if len(parts) > fewParts {
		return pool.Both(found, pool.Union(parts))
	}
	n := 0
	for _, part := range parts {
		if part = pool.Both(found, part); part.Len() > 0 {
			parts[n] = part
			n++
		}
	}
	return pool.Union(parts[:n])
}

// distinct returns words without repeated ones; a last word stays behind the others.
func (w *Workspace) distinct(words text.Phrase, ends bool) text.Phrase {
	n := len(words)
	if ends {
		n--
	}
	some := w.strict.words[:0]
	for _, word := range words[:n] {
		if !some.Has(word) {
			some = append(some, word)
		}
	}
	w.strict.words = append(some, words[n:]...)
	return w.strict.words
}

// named1 returns the pubs that match the only word of a query: parts of addresses do not count.
func (x *Index) named1(word []byte, last bool, w *Workspace, pool *postings.Pool) postings.Set {
	if last {
		w.strict.pending = x.appendBegun(w.strict.pending[:0], word, x.Words.Terms.PrefixRange(word), false)
		return pool.Union(w.strict.pending)
	}
	return pool.Either(x.Words.Exact(word), x.CodesOf(word))
}

// ofTerm returns the set of a word, which of returns by its number; none if it is no term.
func (x *Index) ofTerm(word []byte, of func(term uint32) postings.Set) postings.Set {
	if number, ok := x.Words.Terms.Find(word); ok {
		return of(number)
	}
	return postings.Set{}
}

// whole returns the pubs that have a term.
func (x *Index) whole(number uint32) postings.Set {
	if set := x.Words.At(number); set.Len() > 0 && !x.Whole.Has(number) {
		return set
	}
	return x.beyond(number)
}

// beyond returns the pubs that have a term, if Words has not the same.
func (x *Index) beyond(term uint32) postings.Set {
	if x.Whole.Has(term) {
		return x.Whole.At(term)
	}
	if x.Words.At(term).Len() > 0 {
		return postings.Set{}
	}
	return x.placed(term)
}

// placed returns the pubs that have a term among their place words and codes.
func (x *Index) placed(term uint32) postings.Set {
	if x.Placed.Has(term) {
		return x.Placed.At(term)
	}
	return x.Codes.At(term)
}

// isTerm reports whether a word is a term, given by its number.
func (x *Index) isTerm(number uint32, word []byte) bool {
	return string(x.Words.Terms.At(number)) == string(word)
}

// appendBegun appends sets whose union is the pubs that have one of the terms that begin with a word in name, location or
// area, and those that have that word among their codes or, with whole, anywhere.
func (x *Index) appendBegun(dst []postings.Set, word []byte, r text.Range, whole bool) []postings.Set {
	if r.Low == r.High {
		return dst
	}
	dst = x.Words.AppendRange(dst, r)
	if x.isTerm(r.Low, word) {
		set := x.Codes.At(r.Low)
		if whole {
			set = x.beyond(r.Low)
		}
		if set.Len() > 0 {
			dst = append(dst, set)
		}
	}
	return dst
}

// inPartsOnly returns the pubs of a set, which have all words and all but the last in their places, that have none in the
// name and not all in location, area and codes.
func (x *Index) inPartsOnly(
	candidates postings.Set, words text.Phrase, ends bool, w *Workspace, pool *postings.Pool,
) postings.Set {
	local := w.strict.local[:0]
	for i, word := range words {
		written := x.Written(&x.Local, word, ends && i == len(words)-1, &w.strict.pending, pool)
		local = append(local, pool.Either(written, x.CodesOf(word)))
	}
	w.strict.local = local
	candidates = pool.Difference(candidates, pool.Both(candidates, pool.Intersect(local)))
	for i, word := range words {
		if candidates.Len() == 0 {
			break
		}
		named := x.Written(&x.Named, word, ends && i == len(words)-1, &w.strict.pending, pool)
		candidates = pool.Filter(candidates, func(pub uint32) bool { return !named.Has(pub) })
	}
	return candidates
}

// PlacedIn returns the pubs that have a word among their place words and codes.
func (x *Index) PlacedIn(word []byte) postings.Set { return x.ofTerm(word, x.placed) }

// CodesOf returns the pubs that have a word among their codes.
func (x *Index) CodesOf(word []byte) postings.Set { return x.ofTerm(word, x.Codes.At) }

// Called returns the pubs that have all words, whole, in their names.
func (x *Index) Called(words text.Phrase, w *Workspace, pool *postings.Pool) postings.Set {
	operands := w.strict.operands[:0]
	for _, word := range words {
		found := x.exact(&x.Named, word)
		if found.Len() == 0 {
			return found
		}
		operands = append(operands, found)
	}
	w.strict.operands = operands
	return pool.Intersect(operands)
}

// exact returns the pubs that have a word in a layer.
func (x *Index) exact(l *text.Layer, word []byte) postings.Set { return x.ofTerm(word, l.At) }

// Written returns the pubs that have a word in a layer or, if it is a last word, one that begins with it.
func (x *Index) Written(l *text.Layer, word []byte, last bool, pending *[]postings.Set, pool *postings.Pool) postings.Set {
	if !last {
		return x.exact(l, word)
	}
	*pending = l.AppendRange((*pending)[:0], x.Words.Terms.PrefixRange(word))
	return pool.Union(*pending)
}

// byPhrases returns the pubs that have all phrases of a division of the words, unless none of those phrases is a part
// of addresses: then the pubs match word by word.
func (x *Index) byPhrases(words text.Phrase, w *Workspace, pool *postings.Pool) postings.Set {
	n := len(words)
	reached := append(w.strict.reached[:0], true)
	for range words {
		reached = append(reached, false)
	}
	w.strict.reached = reached
	spans := w.strict.spans[:0]
	for begin := range words {
		if !reached[begin] {
			continue
		}
		for end := begin + 1; end <= min(n, begin+x.Places.Longest()); end++ {
			if phrase, ok := x.Places.Phrase(words[begin:end], &w.places); ok {
				spans = append(spans, span{begin, end, phrase})
				reached[end] = true
			}
		}
	}
	w.strict.spans = spans
	if !reached[n] {
		return postings.Set{}
	}
	clear(reached)
	reached[n] = true
	hasPart := false
	for i := len(spans) - 1; i >= 0; i-- {
		if s := spans[i]; reached[s.end] {
			reached[s.begin] = true
			hasPart = hasPart || x.Places.IsPart(s.phrase)
		}
	}
	if !hasPart {
		return postings.Set{}
	}
	ways := w.strict.ways[:0]
	for range n + 1 {
		ways = append(ways, postings.Set{})
	}
	w.strict.ways = ways
	for end := 1; end <= n; end++ {
		pending := w.strict.pending[:0]
		for _, s := range spans {
			if s.end != end || !reached[end] {
				continue
			}
			having := x.Places.Having(s.phrase)
			if s.begin > 0 {
				having = pool.Both(ways[s.begin], having)
			}
			if having.Len() > 0 {
				pending = append(pending, having)
			}
		}
		w.strict.pending = pending
		ways[end] = pool.Union(pending)
	}
	return ways[n]
}
