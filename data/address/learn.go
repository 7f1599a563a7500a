package address

import "iter"

// A count says where in addresses a part was.
type count struct {
	last        int // at the end, after something else
	afterStreet int // elsewhere after a street
	numbered    int // after a house number, so that it is a street
	other       int
}

// places is how often a part was where a place is.
func (c count) places() int { return c.last + c.afterStreet }

// A localPart is a folded part in a postcode area, which is "" without a postcode.
type localPart struct{ key, area string }

// Learn learns from all addresses of a list. Their order does not matter, nor the case of their letters.
func Learn(rows iter.Seq[Address]) *Towns {
	t := &Towns{counts: map[string]count{}, nearby: map[localPart]int{}}
	forms := map[string]int{} // of places
	for a := range rows {
		t.learnParts(a, forms)
	}
	for key, c := range t.counts {
		if c.places() == 0 && c.numbered == 0 {
			delete(t.counts, key)
		}
	}
	t.form = usualForms(forms)
	return t
}

// learnParts counts where the parts of an address are.
func (t *Towns) learnParts(a Address, forms map[string]int) {
	if a.tooLong() {
		return
	}
	parts := parse(a)
	area := a.area()
	for i := range parts {
		p := &parts[i]
		c := t.counts[p.key]
		place := false
		switch {
		case p.numbered:
			c.numbered++
		case i > 0 && i == len(parts)-1 && !p.near:
			c.last++
			place = true
		case i > 0 && parts[i-1].isStreet():
			c.afterStreet++
			place = true
		default:
			c.other++
		}
		t.counts[p.key] = c
		if place {
			t.nearby[localPart{p.key, area}]++
			forms[capitalised(p.text)]++
		}
	}
}

// usualForms returns the most frequent spelling of each folded place, and of those the first in the alphabet.
func usualForms(forms map[string]int) map[string]string {
	usual := map[string]string{}
	for form, n := range forms {
		key := fold(form)
		was, ok := usual[key]
		if !ok || n > forms[was] || n == forms[was] && form < was {
			usual[key] = form
		}
	}
	return usual
}
