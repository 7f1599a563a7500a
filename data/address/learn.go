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

// A district is the part of a postcode district that an authority has.
type district struct{ authority, outward string }

// Learn learns from all addresses of a list, which it reads three times. Their order does not matter, nor the case of
// their letters.
func Learn(rows iter.Seq[Address]) *Towns {
	t := &Towns{counts: map[string]count{}, nearby: map[localPart]int{}}
	forms := map[string]int{} // of places
	for a := range rows {
		t.learnParts(a, forms)
	}
	t.learnJoined(rows, forms)
	for key, c := range t.counts {
		if c.places() == 0 && c.numbered == 0 {
			delete(t.counts, key)
		}
	}
	t.form = usualForms(forms)
	t.usual = t.usualTowns(rows)
	return t
}

// learnParts counts where the parts of an address are.
func (t *Towns) learnParts(a Address, forms map[string]int) {
	if a.tooLong() {
		return
	}
	parts := parse(a)
	area, _ := a.outward()
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

// learnJoined counts the places of parts that name two, as Ceres Cupar, where the second is known from other addresses.
func (t *Towns) learnJoined(rows iter.Seq[Address], forms map[string]int) {
	heads := map[string]int{}
	found := map[localPart]int{}
	for a := range rows {
		if a.tooLong() {
			continue
		}
		parts := parse(a)
		area, _ := a.outward()
		for i := 1; i < len(parts); i++ {
			p := &parts[i]
			if !parts[i-1].isStreet() || p.kind > unclear || p.numbered {
				continue
			}
			head, tail := t.split(p, area, p.enough())
			if tail.key != "" && head.kind <= unclear && !head.isThe() && !head.numbered && !qualifiers[head.key] {
				heads[head.key]++
				found[localPart{head.key, area}]++
				found[localPart{tail.key, area}]++
				forms[capitalised(head.text)]++
			}
		}
	}
	for key, n := range heads {
		c := t.counts[key]
		c.afterStreet += n
		t.counts[key] = c
	}
	for part, n := range found {
		t.nearby[part] += n
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

// usualTowns returns the town of each district that most of its addresses with a town name, unless few of all addresses
// name it: where it is not usual to name the town, those that do are in another.
func (t *Towns) usualTowns(rows iter.Seq[Address]) map[district]string {
	type use struct {
		district district
		town     string
	}
	uses := map[use]int{}
	all, named := map[district]int{}, map[district]int{}
	for a := range rows {
		if a.tooLong() {
			continue
		}
		parts := parse(a)
		area, outward := a.outward()
		in := district{fold(a.Authority), outward}
		all[in]++
		if place, ok := t.place(parts, area); ok {
			named[in]++
			uses[use{in, place.key}]++
		}
	}
	usual := map[district]string{}
	for u, n := range uses {
		const few = 5 // one in five
		if 2*n > named[u.district] && few*n >= all[u.district] {
			usual[u.district] = u.town
		}
	}
	return usual
}
