// Package address finds the town in a postal address, for lists that have no column for it. [Learn] reads all addresses
// of a list; [Towns.Of] then says of each in which town the pub is, if that is sure enough.
//
//	Kungsgatan 42, 117 33 Stockholm, Sverige        Stockholm, after a postcode
//	Egremont Street, Glemsford, SUDBURY, Suffolk    Sudbury, if other addresses share it; Glemsford, if they do so, too
//	12 High Street                                  nothing
//
// An address is its parts, between commas. A part with a number, one with the words of a street or a building, the
// first one, a country, a county or a state is no town. A town follows a postcode; in Britain, Ireland and Canada, it follows a
// street and stands before one, which may be in a column of its own; elsewhere, it stands before one with a state. Any
// other is shared by several addresses, more often than it is a street. None is better than a wrong one: a gazetteer and
// the towns of neighbours do the rest.
//
// Learning takes about 5 µs per address, and memory for each distinct part of the addresses.
package address

import (
	"cmp"
	"iter"
)

// MaxBytes bounds each text of an address. One with a longer text says nothing.
const MaxBytes = 1000

// An Address is where a pub is, as a list says it. Its postcode may be empty, or in the text.
type Address struct {
	Text     string // 12 High Street, Glemsford, SUDBURY, Suffolk
	Postcode string // CO10 7SA
}

// A count says how many addresses of a list have a part.
type count struct {
	place, street int // where a town may be, and elsewhere
	sure          bool
}

// Towns tells the town of an address by what it has learned from a list. It is immutable, and safe for concurrent use.
type Towns struct {
	counts map[string]count
	form   map[string]string // the usual spelling of a folded town
}

// Learn learns from all addresses of a list. Their order does not matter, nor the case of their letters.
func Learn(rows iter.Seq[Address]) *Towns {
	t := &Towns{counts: map[string]count{}, form: map[string]string{}}
	forms := map[string]int{}
	for a := range rows {
		parts := parse(a)
		for i, p := range parts {
			c := t.counts[p.key]
			if p.mayBeTown && (i > 0 || p.isSure) || p.isUnlikely && i > 0 && i == len(parts)-1 {
				c.place++
				c.sure = c.sure || p.isSure
				forms[capitalised(p.text)]++
			} else {
				c.street++
			}
			t.counts[p.key] = c
		}
	}
	for form, n := range forms {
		key := fold(form)
		was, ok := t.form[key]
		if !ok || n > forms[was] || n == forms[was] && form < was {
			t.form[key] = form
		}
	}
	return t
}

// Of returns the town that an address names, in the spelling that the list uses most, with capitals where a name has
// them: Stoke-on-Trent. Of an address without one, it is empty. It is sure if it follows a postcode.
func (t *Towns) Of(a Address) (town string, isSure bool) {
	parts := parse(a)
	for at := len(parts) - 1; at >= 0; at-- {
		found := parts[at]
		if !t.isTown(&found) {
			continue
		}
		if at > 1 && !found.isAfterCode && t.isTown(&parts[at-1]) {
			found = parts[at-1] // a village or a suburb
		}
		return cmp.Or(t.form[found.key], capitalised(found.text)), found.isAfterCode
	}
	return "", false
}

// isTown reports whether a part is a town: its place says so, or other addresses share it.
func (t *Towns) isTown(p *part) bool {
	c := t.counts[p.key]
	return p.isSure || c.place > c.street && (p.mayBeTown && (c.sure || c.place > 1) || p.isUnlikely && c.place > 4)
}
