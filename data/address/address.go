// Package address finds the town in a postal address, for lists that have no column for it. [Learn] reads all addresses
// of a list; [Towns.Of] then says of each where people would say that the pub is: the village or suburb if the address
// names one, else the post town.
//
//	Egremont Street, Glemsford, SUDBURY, Suffolk    Glemsford
//	12 High Street, SUDBURY                         Sudbury
//	12 High Street                                  nothing
//
// There is no gazetteer: an address says much by its form, and the list says the rest. Postcodes are removed, and
// countries and counties at the end. What is left between two commas is a street by its number or its last word (Road),
// a building by its last word (Hotel), or unclear. What often ends addresses, or follows a street, is a place, even if
// it sounds like a street, as Woodford Green does. Where commas lack, the known places at the end are separated.
//
// It is made for British and Irish lists. Other addresses of the form "street, town" are understood too; most others
// have no town, as none is better than a wrong one. Learning takes about 10 µs per address, and memory for each
// distinct part of the addresses: 6 MB for 50,000. An answer takes about 5 µs.
package address

import "strings"

// MaxBytes bounds each text of an address. One with a longer text says nothing.
const MaxBytes = 1000

// An Address is where a pub is, as a list says it. All but Text may be empty.
type Address struct {
	Name     string // of the pub, which Text often begins with
	Text     string // 12 High Street, Glemsford, SUDBURY, Suffolk
	Postcode string // CO10 7SA
}

// Towns tells the town of an address by what it has learned from a list. It is immutable, and safe for concurrent use.
type Towns struct {
	counts map[string]count  // of folded parts that were a place or had a number
	nearby map[localPart]int // how often a part was a place in a postcode area
	form   map[string]string // the usual spelling of a folded place
}

// Of returns the place that an address names, in the spelling that the list uses most, with capitals where a name has
// them: Stoke-on-Trent. Of an address without a place, it is empty.
func (t *Towns) Of(a Address) string {
	if a.tooLong() {
		return ""
	}
	parts := parse(a)
	area := a.area()
	place, ok := t.place(parts, area)
	if !ok {
		return ""
	}
	if form, ok := t.form[place.key]; ok {
		return form
	}
	return capitalised(place.text)
}

func (a Address) tooLong() bool {
	return max(len(a.Name), len(a.Text), len(a.Postcode)) > MaxBytes
}

// area returns the letters that a British postcode begins with: CO.
func (a Address) area() string {
	code := strings.ToUpper(strings.TrimSpace(a.Postcode))
	return code[:len(code)-len(strings.TrimLeft(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))]
}

// place returns the place that the parts of an address name.
func (t *Towns) place(parts []part, area string) (place part, ok bool) {
	town := len(parts) - 1
	for town >= 0 && !t.isTown(parts, town, area) {
		town--
	}
	if town < 0 {
		return t.lastResort(parts, area)
	}
	at := town
	if at > 0 && t.isVillage(parts, at-1, area) {
		at--
	}
	return t.innermost(parts[at], area, at > 0 && t.isLikeStreet(&parts[at-1], area)), true
}

// isTown reports whether a part is the town that ends an address.
func (t *Towns) isTown(parts []part, i int, area string) bool {
	p := &parts[i]
	c := t.counts[p.key]
	switch {
	case p.near || p.numbered:
		return false
	case t.isKnown(p, area):
		return true
	case i < len(parts)-1 || p.isThe():
		return false
	case i == 0:
		return p.kind == plain && c.numbered <= c.places() && p.words() <= 3
	case t.isLikeStreet(&parts[i-1], area):
		return p.kind <= unclear
	}
	return p.kind == plain && c.numbered <= c.places()
}

// isVillage reports whether a part before a town is a place in or near it.
func (t *Towns) isVillage(parts []part, i int, area string) bool {
	p := &parts[i]
	switch {
	case p.near || p.numbered || vagueNames[p.key]:
		return false
	case t.isKnown(p, area):
		return true
	case p.kind > unclear || p.isThe() || t.counts[p.key].numbered > 0:
		return false
	case i > 0 && t.isLikeStreet(&parts[i-1], area):
		return p.kind == plain || parts[i-1].isStreet()
	}
	return p.kind == plain && p.words() <= 4 && !soundsLikeStreet(p.key)
}

// isLikeStreet reports whether a place may be expected to follow a part.
func (t *Towns) isLikeStreet(p *part, area string) bool {
	return p.isStreet() || p.kind == unclear && !t.isKnown(p, area)
}

// isKnown reports whether the list says that a part is a place. The more its words speak against it, the more often the
// list must say so; names are ambiguous in a country, but seldom in a postcode area.
func (t *Towns) isKnown(p *part, area string) bool {
	if p.key == "" || p.numbered || hasDigit(p.key) {
		return false
	}
	c := t.counts[p.key]
	here := c.places()
	if area != "" {
		here = t.nearby[localPart{p.key, area}]
	}
	switch p.kind {
	case plain:
		return here >= 1 && c.places() >= 2 && c.places() > c.numbered && 4*c.places() >= c.other
	case unclear:
		return here >= 2 && c.last >= 1 && c.places() > c.numbered+c.other/4
	}
	return here >= 4 && c.last >= 4 && c.last > c.afterStreet+c.numbered+c.other
}

// lastResort returns the place that an address is near, or a known place at the end of a part.
func (t *Towns) lastResort(parts []part, area string) (place part, ok bool) {
	for i := len(parts) - 1; i >= 0; i-- {
		p := parts[i]
		if p.near && p.kind <= unclear && !p.numbered {
			return p, true
		}
		if _, tail := t.split(&p, area); tail.key != "" {
			return tail, true
		}
	}
	return part{}, false
}

// innermost returns the first of the places that a part names, where a comma lacks between them: Ceres in Ceres Cupar.
// follows says that the part follows a street, so that it begins with a place.
func (t *Towns) innermost(p part, area string, follows bool) part {
	head, tail := t.split(&p, area)
	whole, end := t.nearby[localPart{p.key, area}], t.nearby[localPart{tail.key, area}]
	switch {
	case tail.key == "" || end <= whole || qualifiers[head.key] || particles[lastWord(head.key)]:
		return p
	case t.isKnown(&head, area) || follows && head.kind <= unclear && !head.isThe() && !head.numbered && head.words() <= 3:
		return head
	}
	return tail
}

// split splits a part before the longest known place at its end. Both halves are empty if there is none.
func (t *Towns) split(p *part, area string) (head, tail part) {
	const longest = 5 // words of a place
	fields := strings.Fields(p.text)
	for i := max(1, len(fields)-longest); i < len(fields); i++ {
		tail = newPart(fields[i:])
		if tail.kind <= unclear && t.nearby[localPart{tail.key, area}] >= enough && t.isKnown(&tail, area) {
			return newPart(fields[:i]), tail
		}
	}
	return part{}, part{}
}

// enough is how often a place must be known in the postcode area to be separated from what precedes it.
const enough = 2
