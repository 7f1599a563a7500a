package reading

import (
	"slices"
	"unicode"

	"pubd/index/features"
	"pubd/index/places"
	"pubd/index/terms"
	"pubd/index/text"
)

// Denied is the excluded part of a query; without words, nothing is.
type Denied struct {
	Words text.Phrase
	// Feature is the feature that the words name, if the snapshot has it.
	Feature string
	// Place is the place that they name, if it has words.
	Place places.Place
}

// leaveOut takes out of the words of a query the numbers of distances and of the best pubs, with the units of the former,
// and what is denied.
func (r *Reading) leaveOut(v *features.Vocabulary) {
	if r.Says.Is(text.Where | text.Kind) {
		r.leaveOutNumbers()
	}
	if !r.Says.Is(text.Denial) {
		return
	}
	scratch := &r.w.Terms.Scratch
	scratch.Reset(r.index.Terms.Len())
	for i := range len(r.Words) - 1 {
		if !r.Classes[i].Is(text.Denial) || r.index.Terms.Called(r.Words[i:i+2], &r.w.Terms, scratch).Len() > 0 {
			continue
		}
		from := i + 1
		for from < len(r.Words) && r.Classes[from].Is(text.Filler) {
			from++
		}
		if d := r.deniedOf(r.Words[from:], r.Classes[from:], v); len(d.Words) > 0 && i+len(r.Words)-from > len(d.Words) {
			d.Words = append(r.w.denied[:0], d.Words...)
			r.w.denied = d.Words
			d.Place.Words = d.Words[:len(d.Place.Words)]
			r.Denied = d
			end := from + len(d.Words)
			r.Words, r.Classes = slices.Delete(r.Words, i, end), slices.Delete(r.Classes, i, end)
			r.sumClasses()
			return
		}
	}
}

// leaveOutNumbers takes out digits before a unit, with it, and beside a best word, unless nothing would be left.
func (r *Reading) leaveOutNumbers() {
	is := func(i int, class text.Class) bool { return i >= 0 && i < len(r.Words) && r.Classes[i].Is(class) }
	isNumber := func(i int) bool {
		return i >= 0 && isDigits(r.Words[i]) && (is(i+1, text.Unit) || is(i-1, text.Best) || is(i+1, text.Best))
	}
	left := r.w.left[:0]
	for i := range r.Words {
		if !isNumber(i) && !(is(i, text.Unit) && isNumber(i-1)) {
			left = append(left, i)
		}
	}
	r.w.left = left
	if len(left) == 0 || len(left) == len(r.Words) {
		return
	}
	for to, from := range left {
		r.Words[to], r.Classes[to] = r.Words[from], r.Classes[from]
	}
	r.Words, r.Classes = r.Words[:len(left)], r.Classes[:len(left)]
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
func (r *Reading) deniedOf(words text.Phrase, classes []text.Class, v *features.Vocabulary) (d Denied) {
	if len(words) == 0 || classes[0].Is(text.Plain) || text.HasDigit(words[0]) {
		return d
	}
	x, w := r.index, r.w
	for n := len(words); n > 0; n-- {
		if p, ok := r.Place(words[:n]); ok {
			if x.Terms.Called(p.Words, &w.Terms, &w.Terms.Scratch).Len() <= x.Places.Inside(&p, &w.Places, &w.Terms.Scratch).Len() {
				return Denied{Words: p.Words, Place: p}
			}
			break
		}
	}
	if feature, n := v.Find(words); n > 0 && x.Tells[feature] && !(n == 1 && classes[0].Is(text.Kind)) {
		return Denied{Words: words[:n], Feature: feature}
	}
	isKnown := func() bool {
		known := x.Terms.Known(words[0], false, &w.Terms)
		return x.Terms.Having(terms.Anywhere, known, &w.Terms, &w.Terms.Scratch).Len() > 0
	}
	if classes[0].Is(text.Wish|text.Generic) || isKnown() {
		d.Words = words[:1]
	}
	return d
}
