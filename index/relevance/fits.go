package relevance

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"pubd/index/match"
	"pubd/index/postings"
	"pubd/index/segment"
	"pubd/index/terms"
	"pubd/index/text"
)

// The tiers of relevance, best first.
const (
	tierWhole  = iota // the name is the query, or the words that matched
	tierAll           // it has all words, and others only if they are generic
	tierSome          // it has some of the words, and others only if they are generic
	tierPlace         // the pub is in the place that is asked for
	tierBegins        // the name begins with the words
	tierHas           // it has all words
	tierOther         // it has not
	tierCount
)

// fit is how a name fits the words that matched: its tier, the weight of its other words (2 each; 1 each for generic
// ones and those only begun), and whether one of those is not generic.
type fit struct {
	tier, other uint32
	hasOther    bool
}

// isBetter reports whether a fit counts rather than another of the same pub.
func (f fit) isBetter(than fit) bool {
	switch {
	case f.tier != than.tier:
		return f.tier < than.tier
	case f.other != than.other:
		return f.other < than.other
	}
	return !f.hasOther && than.hasOther
}

// fits finds how names fit the words that matched. What a word of a name may be is noted by its slot before names are
// judged, so that judging a name is going through its slots; only words written together are compared as texts.
type fits struct {
	count  int // of the words that matched
	ends   bool
	all    uint64 // bits of the words that matched
	last   uint64 // bit of the last one
	usual  uint64 // bits of the generic ones
	marked []uint32
	slots  []uint32 // by slot, 1 plus the index of its mark, or 0
	marks  []mark
	whole  [3][]uint32 // slots of the query, of the words that matched and of the place
	terms  *text.Dictionary
	named  *text.Layer

	joins  bool
	begins [256]bool // by the first byte of a form
	forms  []joinedForm
	prefix []byte      // of words written together
	words  text.Phrase // of a name
	run    []byte

	wanted, begun []bool // by word of a name, of those written together
}

// joinedForm is a text that words of a name may be, written together, and the bit of the word that it is a form of.
type joinedForm struct {
	text []byte
	bit  uint64
}

// mark is what a word of a name is: bits of the words that it is spelt like, and of all that it matches, also as their
// beginning or by having them written together; whether it is asked for; and whether the last word begins it.
type mark struct {
	spelt, covers uint64
	wanted, begun bool
}

// maxBits is the number of words that have a bit of their own; those beyond share the last one. Only queries that
// are answered by their weight, or as they stand, have as many.
const maxBits = 64

func bitOf(i int) uint64 { return 1 << min(i, maxBits-1) }

// prepare notes which words of names match.
func (f *fits) prepare(x *terms.Index, how *match.Answer) {
	words, query := how.Words, how.Query()
	f.terms, f.named = x.Words.Terms, &x.Named
	if size := f.terms.Len() + 1; len(f.slots) < size {
		f.slots = make([]uint32, size)
	}
	f.marks, f.marked = f.marks[:0], f.marked[:0]
	f.count, f.ends = len(words), how.IsLast(len(words)-1) && len(words) > 0
	f.joins = how.Step != match.NotRelaxed && len(words) > 0
	f.all, f.usual, f.last = 0, 0, 0
	for i, phrase := range [...]text.Phrase{query, words, how.Place.Words} {
		f.whole[i] = f.appendSlots(f.whole[i][:0], phrase)
	}
	for _, word := range query {
		f.each(word, func(m *mark) { m.wanted = true })
	}
	for i, word := range words {
		bit := bitOf(i)
		f.all |= bit
		f.last = bit
		if text.ClassOf(word).Is(text.Generic) {
			f.usual |= bit
		}
		spelt := func(m *mark) {
			m.spelt |= bit
			m.covers |= bit
			m.wanted = true
		}
		terms.EachSpelling(word, func(spelling []byte) { f.each(spelling, spelt) })
		for _, r := range how.Added(i) {
			for number := r.Low; number < r.High; number++ {
				if f.named.Has(number) {
					f.each(f.terms.At(number), spelt)
				}
			}
		}
	}
	f.markRuns(words)
	if f.ends {
		r := f.terms.PrefixRange(words[len(words)-1])
		for number := r.Low; number < r.High; number++ {
			if f.named.Has(number) {
				f.begin(number + 1)
				if string(f.terms.At(number)) == "st" {
					f.begin(segment.FinalSt)
				}
			}
		}
	}
	if f.joins {
		f.prepareJoined(words)
	}
}

// clear forgets the marks.
func (f *fits) clear() {
	for _, slot := range f.marked {
		f.slots[slot] = 0
	}
}

// at returns the mark of a slot.
func (f *fits) at(slot uint32) *mark {
	if f.slots[slot] == 0 {
		f.marks = append(f.marks, mark{})
		f.slots[slot] = uint32(len(f.marks))
		f.marked = append(f.marked, slot)
	}
	return &f.marks[f.slots[slot]-1]
}

// begin notes that the last word begins the word of a slot.
func (f *fits) begin(slot uint32) {
	m := f.at(slot)
	m.begun = true
	m.covers |= f.last
}

// each calls do with the marks of the words of names that a term is found by.
func (f *fits) each(term []byte, do func(m *mark)) {
	f.eachWritten(term, do)
	for _, other := range text.Synonyms(term, false) {
		if number, ok := f.terms.Find([]byte(other)); ok && f.named.Has(number) { // of a saint, only an st that does not end the name
			do(f.at(number + 1))
		}
	}
}

// eachWritten calls do with the marks of the words of names that are written like a term.
func (f *fits) eachWritten(term []byte, do func(m *mark)) {
	if number, ok := f.terms.Find(term); ok && f.named.Has(number) {
		do(f.at(number + 1))
		if string(term) == "st" {
			do(f.at(segment.FinalSt))
		}
	}
}

// appendSlots appends the slots of words as a whole name.
func (f *fits) appendSlots(dst []uint32, words text.Phrase) []uint32 {
	for i, word := range words {
		slot, ok := segment.SlotOf(f.terms, word, i == len(words)-1)
		if !ok {
			slot = math.MaxUint32
		}
		dst = append(dst, slot)
	}
	return dst
}

// markRuns marks the words of names that are two or three neighbouring words written together.
func (f *fits) markRuns(words text.Phrase) {
	for size := 2; size <= text.MaxJoined; size++ {
		for i := range len(words) - size + 1 {
			f.run = f.run[:0]
			bits := uint64(0)
			for j, word := range words[i : i+size] {
				f.run = append(f.run, word...)
				bits |= bitOf(i + j)
			}
			f.eachWritten(f.run, func(m *mark) {
				m.covers |= bits
				m.wanted = true
			})
		}
	}
}

// prepareJoined collects what words of names may be, written together.
func (f *fits) prepareJoined(words text.Phrase) {
	f.begins, f.forms, f.prefix = [256]bool{}, f.forms[:0], nil
	for i, word := range words {
		terms.EachSpelling(word, func(spelling []byte) {
			f.forms = append(f.forms, joinedForm{spelling, bitOf(i)})
			f.begins[spelling[0]] = true
		})
	}
	if last := words[len(words)-1:]; f.ends && len(last) > 0 && utf8.RuneCount(last[0]) >= terms.MinJoinedPrefix {
		f.prefix = last[0]
	}
}

// isWhole reports whether a name has the same words as the query, the words that matched, or the place; a name without
// words has not.
func isWhole(name, other []uint32) bool {
	return len(name) > 0 && slices.EqualFunc(name, other, func(word, slot uint32) bool { return word/2 == slot })
}

// judge returns how a name fits, given as its slots, regardless of where its pub is.
func (f *fits) judge(name []uint32) fit {
	if f.count == 0 {
		if isWhole(name, f.whole[2]) {
			return fit{tier: tierWhole}
		}
		return fit{tier: tierPlace}
	}
	var result fit
	covered := uint64(0)
	joins := f.joins && len(name) > 1
	if joins {
		covered = f.judgeJoined(name)
	}
	for i, word := range name {
		var m *mark
		if at := f.slots[word/2]; at > 0 {
			m = &f.marks[at-1]
			covered |= m.covers
			if m.wanted {
				continue
			}
		}
		if joins && f.wanted[i] {
			continue
		}
		generic := word%2 == 1
		result.other += 2
		if generic || m != nil && m.begun || joins && f.begun[i] {
			result.other--
		}
		result.hasOther = result.hasOther || !generic
	}
	hasAll := covered == f.all
	switch {
	case hasAll && (isWhole(name, f.whole[1]) || isWhole(name, f.whole[0])):
		result.tier = tierWhole
	case hasAll && !result.hasOther:
		result.tier = tierAll
	case covered != 0 && !result.hasOther:
		result.tier = tierSome
	case hasAll && (f.beginsWith(name, f.all) || f.usual != f.all && f.beginsWith(name, f.all&^f.usual)):
		result.tier = tierBegins
	case hasAll:
		result.tier = tierHas
	default:
		result.tier = tierOther
	}
	return result
}

// beginsWith reports whether a name begins with some of the words that matched, given as bits, in their order.
func (f *fits) beginsWith(name []uint32, some uint64) bool {
	at := 0
	for i := range min(f.count, maxBits) {
		bit := bitOf(i)
		if some&bit == 0 {
			continue
		}
		if at == len(name) || f.slots[name[at]/2] == 0 {
			return false
		}
		m := &f.marks[f.slots[name[at]/2]-1]
		if m.spelt&bit == 0 && !(m.begun && bit == f.last) {
			return false
		}
		at++
	}
	return true
}

// judgeJoined notes which words of a name match when they are written together, and returns the bits of the words that
// they match.
func (f *fits) judgeJoined(name []uint32) (bits uint64) {
	f.wanted, f.begun = append(f.wanted[:0], make([]bool, len(name))...), append(f.begun[:0], make([]bool, len(name))...)
	f.words = f.words[:0]
	for _, word := range name {
		f.words = append(f.words, f.textOf(word))
	}
	f.words.EachRun(2, &f.begins, &f.run, func(low, high int, run []byte) {
		for _, form := range f.forms {
			if bytes.Equal(run, form.text) {
				bits |= form.bit
				for i := low; i < high; i++ {
					f.wanted[i] = true
				}
			}
		}
		if f.prefix != nil && bytes.HasPrefix(run, f.prefix) {
			bits |= f.last
			for i := low; i < high; i++ {
				f.begun[i] = true
			}
		}
	})
	return bits
}

// textOf returns a word of a name.
func (f *fits) textOf(word uint32) []byte {
	if slot := word / 2; slot != segment.FinalSt {
		return f.terms.At(slot - 1)
	}
	return []byte("st")
}

// eachFit calls do with how pubs[low:high] fit, for all of the pubs. It judges each name once for neighbouring pubs;
// inPlace has the pubs in the place that is asked for.
func (r Ranker) eachFit(pubs []uint32, inPlace postings.Set, do func(low, high int, f fit)) {
	names, words, f := &r.Segment.Names, &r.Segment.NameWords, &r.Memory.fits
	placed := func(pub uint32, one fit) fit {
		if one.tier > tierPlace && inPlace.Has(pub) {
			one.tier = tierPlace
		}
		return one
	}
	alike := inPlace.Len() == 0 && len(words.Alternate) == 0
	for low, high := 0, 0; low < len(pubs); low = high {
		number := names.Number(pubs[low])
		judged := f.judge(words.Words(uint32(number)))
		end := names.Starts[number+1]
		for high++; high < len(pubs) && pubs[high] < end; high++ {
		}
		if alike {
			do(low, high, judged)
			continue
		}
		for i := low; i < high; i++ {
			best := placed(pubs[i], judged)
			for _, other := range words.Others(pubs[i]) {
				one := f.judge(words.Words(other))
				if words.IsBrand(other) && one.tier < tierOther {
					one.tier++
				}
				if one = placed(pubs[i], one); one.isBetter(best) {
					best = one
				}
			}
			do(i, i+1, best)
		}
	}
}
