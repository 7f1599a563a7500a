package match

import (
	"slices"

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

// Strict returns the pubs that the query matches as it stands, regardless of any filter, in the memory of a pool.
func (r *Reading) Strict(pool *postings.Pool) postings.Set { return r.strict(r.Words, true, pool) }

// strict returns the pubs that words match as they stand; ends says whether the last word is matched as a last word. A
// pub is found if each word is one of its name words, place words or codes (the last word also as the beginning of a word
// of its name, location or area), and at least one is in its name, or all are in its location, area and codes; or if the
// words can be divided into phrases all of which it has. Place words are those of location, area and tight parts of the
// address; codes are those of the postcode.
//
// The sets of the words are prepared and intersected. A pub found by parts of its address alone is the exception: the
// few candidates, which have every word in their places, are looked at one by one. Phrases add pubs only through parts
// of addresses, so that divisions without any cost only lookups.
func (r *Reading) strict(words text.Phrase, ends bool, pool *postings.Pool) postings.Set {
	byWords := r.byWords(words, ends, pool)
	return pool.Either(byWords, r.byPhrases(words, pool))
}

// byWords returns the pubs that match word by word.
func (r *Reading) byWords(words text.Phrase, ends bool, pool *postings.Pool) postings.Set {
	if len(words) == 1 {
		return r.byWord(words[0], ends, pool)
	}
	x, memory, all := r.x.Terms, &r.w.strict, words
	words = memory.distinct(words, ends)
	before := words
	if ends {
		before = words[:len(words)-1]
	}
	operands, terms := memory.operands[:0], memory.terms[:0]
	for _, word := range before {
		term, ok := x.Words.Terms.Find(word)
		if !ok {
			return postings.Set{}
		}
		whole := x.Whole(term)
		if whole.Len() == 0 {
			return postings.Set{}
		}
		operands, terms = append(operands, whole), append(terms, term)
	}
	memory.operands, memory.terms = operands, terms
	pubs := pool.Intersect(operands)
	last, begun := words[len(words)-1], text.Range{}
	if ends && pubs.Len() > 0 {
		begun = x.Words.Terms.PrefixRange(last)
		pubs = r.ending(pubs, last, begun, pool)
	}
	candidates := pubs // that have all terms among their place words and codes
	for _, term := range terms[:len(words)-1] {
		if candidates.Len() == 0 {
			break
		}
		candidates = pool.Both(candidates, x.Placed(term))
	}
	if pubs.Len() > 0 && begun.High-begun.Low > 1 && x.IsTerm(begun.Low, last) {
		whole := pool.Both(pubs, x.Whole(begun.Low))
		if (whole.Len() < pubs.Len() || candidates.Len() > 0) && !r.MayBegin(all) {
			pubs, candidates, ends = whole, pool.Both(candidates, whole), false
		}
	}
	if candidates.Len() == 0 {
		return pubs
	}
	return pool.Difference(pubs, r.inPartsOnly(candidates, words, ends, pool))
}

// fewParts is up to how many parts of the set of a last word are intersected one by one: most are larger than what they
// are intersected with, so that to unite them takes longer.
const fewParts = 8

// ending returns the pubs of a set that have a last word, which begins some terms.
func (r *Reading) ending(pubs postings.Set, word []byte, begun text.Range, pool *postings.Pool) postings.Set {
	parts := r.x.Terms.AppendBegun(r.w.strict.pending[:0], word, begun, true)
	r.w.strict.pending = parts
	if len(parts) > fewParts {
		return pool.Both(pubs, pool.Union(parts))
	}
	n := 0
	for _, part := range parts {
		if part = pool.Both(pubs, part); part.Len() > 0 {
			parts[n] = part
			n++
		}
	}
	return pool.Union(parts[:n])
}

// distinct returns words without repeated ones; a last word stays behind the others.
func (m *strictMemory) distinct(words text.Phrase, ends bool) text.Phrase {
	n := len(words)
	if ends {
		n--
	}
	some := m.words[:0]
	for _, word := range words[:n] {
		if !some.Has(word) {
			some = append(some, word)
		}
	}
	m.words = append(some, words[n:]...)
	return m.words
}

// byWord returns the pubs that match the only word of a query: parts of addresses do not count.
func (r *Reading) byWord(word []byte, last bool, pool *postings.Pool) postings.Set {
	x, memory := r.x.Terms, &r.w.strict
	if last {
		memory.pending = x.AppendBegun(memory.pending[:0], word, x.Words.Terms.PrefixRange(word), false)
		return pool.Union(memory.pending)
	}
	return pool.Either(x.Words.Exact(word), x.CodesOf(word))
}

// inPartsOnly returns the pubs of a set, which have all words and all but the last in their places, that have none in the
// name and not all in location, area and codes.
func (r *Reading) inPartsOnly(candidates postings.Set, words text.Phrase, ends bool, pool *postings.Pool) postings.Set {
	x, memory := r.x.Terms, &r.w.strict
	local := memory.local[:0]
	for i, word := range words {
		written := x.Written(&x.Local, word, ends && i == len(words)-1, &memory.pending, pool)
		local = append(local, pool.Either(written, x.CodesOf(word)))
	}
	memory.local = local
	candidates = pool.Difference(candidates, pool.Both(candidates, pool.Intersect(local)))
	for i, word := range words {
		if candidates.Len() == 0 {
			break
		}
		named := x.Written(&x.Named, word, ends && i == len(words)-1, &memory.pending, pool)
		candidates = pool.Filter(candidates, func(pub uint32) bool { return !named.Has(pub) })
	}
	return candidates
}

// span is a phrase at the words from begin to end-1 of a query.
type span struct {
	begin, end int
	phrase     uint32
}

// divisions returns the phrases of the divisions of all words into phrases, by where they begin.
func (r *Reading) divisions(words text.Phrase) []span {
	memory, n := &r.w.strict, len(words)
	reached := append(memory.reached[:0], true) // by position, whether phrases lead to it
	for range words {
		reached = append(reached, false)
	}
	memory.reached = reached
	spans := memory.spans[:0]
	for begin := range words {
		if !reached[begin] {
			continue
		}
		for end := begin + 1; end <= min(n, begin+r.x.Places.Longest()); end++ {
			if phrase, ok := r.x.Places.Phrase(words[begin:end], &r.w.reading.Places); ok {
				spans = append(spans, span{begin, end, phrase})
				reached[end] = true
			}
		}
	}
	memory.spans = spans
	if !reached[n] {
		return nil
	}
	clear(reached) // by position, whether phrases lead from it to the end
	reached[n] = true
	for _, s := range slices.Backward(spans) {
		reached[s.begin] = reached[s.begin] || reached[s.end]
	}
	return slices.DeleteFunc(spans, func(s span) bool { return !reached[s.end] })
}

// byPhrases returns the pubs that have all phrases of a division of the words, unless none of those phrases is a part
// of addresses: then the pubs match word by word.
func (r *Reading) byPhrases(words text.Phrase, pool *postings.Pool) postings.Set {
	memory, spans := &r.w.strict, r.divisions(words)
	if !slices.ContainsFunc(spans, func(s span) bool { return r.x.Places.IsPart(s.phrase) }) {
		return postings.Set{}
	}
	ways := append(memory.ways[:0], postings.Set{}) // by position, the pubs that have all phrases of a division up to it
	for end := 1; end <= len(words); end++ {
		pending := memory.pending[:0]
		for _, s := range spans {
			if s.end != end {
				continue
			}
			having := r.x.Places.Having(s.phrase)
			if s.begin > 0 {
				having = pool.Both(ways[s.begin], having)
			}
			if having.Len() > 0 {
				pending = append(pending, having)
			}
		}
		memory.pending = pending
		ways = append(ways, pool.Union(pending))
	}
	memory.ways = ways
	return ways[len(words)]
}
