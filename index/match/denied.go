package match

import (
	"bytes"
	"slices"
	"unicode"

	"pubd/index/features"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/text"
)

// Denied is what a query does not want; without words, nothing.
type Denied struct {
	Words text.Phrase
	// Feature is what the words say, if the snapshot tells of it.
	Feature string
	place   places.Place // which is denied if it has words
}

// leaveOut takes out of the words of a query the numbers of distances and of the best pubs, with the units of the former,
// and what is denied.
func (x *Index) leaveOut(r *reading, v *features.Vocabulary, w *Workspace) {
	if r.says.Is(text.Where | text.Kind) {
		r.leaveOutNumbers(w)
	}
	if !r.says.Is(text.Denial) {
		return
	}
	w.scratch.Reset(x.pubs)
	for i := range len(r.words) - 1 {
		if !r.classes[i].Is(text.Denial) || x.Called(r.words[i:i+2], w, &w.scratch).Len() > 0 {
			continue
		}
		from := i + 1
		for from < len(r.words) && r.classes[from].Is(text.Filler) {
			from++
		}
		if d := x.deniedOf(r.words[from:], r.classes[from:], v, w); len(d.Words) > 0 && i+len(r.words)-from > len(d.Words) {
			d.Words = append(w.denied[:0], d.Words...)
			w.denied = d.Words
			d.place.Words = d.Words[:len(d.place.Words)]
			r.denied = d
			r.delete(i, from+len(d.Words))
			return
		}
	}
}

// delete takes out the words from low to high-1.
func (r *reading) delete(low, high int) {
	r.words, r.classes = slices.Delete(r.words, low, high), slices.Delete(r.classes, low, high)
	r.sumClasses()
}

// sumClasses notes the classes of all words together.
func (r *reading) sumClasses() {
	r.says = 0
	for _, class := range r.classes {
		r.says |= class
	}
}

// leaveOutNumbers takes out digits before a unit, with it, and beside a best word, unless nothing would be left.
func (r *reading) leaveOutNumbers(w *Workspace) {
	is := func(i int, class text.Class) bool { return i >= 0 && i < len(r.words) && r.classes[i].Is(class) }
	isNumber := func(i int) bool {
		return i >= 0 && isDigits(r.words[i]) && (is(i+1, text.Unit) || is(i-1, text.Best) || is(i+1, text.Best))
	}
	left := w.terms[:0]
	for i := range r.words {
		if !isNumber(i) && !(is(i, text.Unit) && isNumber(i-1)) {
			left = append(left, uint32(i))
		}
	}
	w.terms = left
	if len(left) == 0 || len(left) == len(r.words) {
		return
	}
	for to, from := range left {
		r.words[to], r.classes[to] = r.words[from], r.classes[from]
	}
	r.words, r.classes = r.words[:len(left)], r.classes[:len(left)]
	r.sumClasses()
}

func isDigits(word []byte) bool {
	for _, r := range string(word) {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// deniedOf returns what words that follow a denial begin with that may be denied: the longest place, unless it is rather a
// name, or a feature that the snapshot tells of, or one word that says how pubs should be or that pubs have.
func (x *Index) deniedOf(words text.Phrase, classes []text.Class, v *features.Vocabulary, w *Workspace) (d Denied) {
	if len(words) == 0 || classes[0].Is(text.Plain) || text.HasDigit(words[0]) {
		return d
	}
	for n := len(words); n > 0; n-- {
		if p, ok := x.Places.Find(words[:n], &w.places); ok {
			if x.Called(p.Words, w, &w.scratch).Len() <= x.Places.Inside(&p, &w.places, &w.scratch).Len() {
				return Denied{Words: p.Words, place: p}
			}
			break
		}
	}
	if feature, n := v.Find(words); n > 0 && x.Tells[feature] && !(n == 1 && classes[0].Is(text.Kind)) {
		return Denied{Words: words[:n], Feature: feature}
	}
	isKnown := func() bool {
		w.pending = x.appendHaving(w.pending[:0], anywhere, x.known(words[0], false, w))
		return w.scratch.Union(w.pending).Len() > 0
	}
	if classes[0].Is(text.Wish|text.Generic) || isKnown() {
		d.Words = words[:1]
	}
	return d
}

// Having returns the pubs that have what a query denies: that are in the place, or have the words in their names or
// their category, in the memory of a pool.
func (x *Index) Having(d *Denied, w *Workspace, pool *postings.Pool) postings.Set {
	if len(d.place.Words) > 0 {
		return x.Places.Inside(&d.place, &w.places, pool)
	}
	having := x.granting(d.Words[0], w, pool)
	for _, word := range d.Words[1:] {
		having = pool.Both(having, x.granting(word, w, pool))
	}
	return having
}

// granting returns the pubs that have a word, whole, in their names or their category; a generic one also with an s more,
// or without its own, in the memory of a pool.
func (x *Index) granting(word []byte, w *Workspace, pool *postings.Pool) postings.Set {
	return pool.Union(x.allGranting(word, w))
}

// allGranting returns sets whose union is the pubs that have a word so. They are valid until the next call.
func (x *Index) allGranting(word []byte, w *Workspace) []postings.Set {
	pending := append(w.pending[:0], x.exact(&x.Named, word), x.exact(&x.category, word))
	if text.ClassOf(word).Is(text.Generic) {
		w.run = append(append(w.run[:0], word...), 's')
		for _, other := range [...][]byte{w.run, bytes.TrimSuffix(word, []byte("s"))} {
			pending = append(pending, x.exact(&x.Named, other), x.exact(&x.category, other))
		}
	}
	w.pending = pending
	return pending
}
