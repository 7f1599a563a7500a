package data

import "strconv"

// An addressee makes up addresses. It has dice of its own, so that the other columns do not depend on addresses.
type addressee struct {
	dice  dice
	words words
}

// appendAddress appends the address, the postcode and the area of a pub at a place as fields of CSV. A few are
// missing.
func (a addressee) appendAddress(dst []byte, at *place) []byte {
	if n := a.dice.below(1000); n >= 60 {
		number := 1 + a.dice.below(1+a.dice.below(240))
		quoted := n < 180 // it has a comma
		switch {
		case n < 120:
			dst = append(append(append(dst, '"'), a.dice.pick(a.words["houses"])...), ", "...)
		case n < 180:
			dst = append(strconv.AppendUint(append(dst, '"'), number, 10), ", "...)
		case n < 240:
		case n < 300:
			dst = strconv.AppendUint(append(strconv.AppendUint(dst, number, 10), '-'), number+2+2*a.dice.below(4), 10)
			dst = append(dst, ' ')
		default:
			dst = append(strconv.AppendUint(dst, number, 10), ' ')
		}
		if dst = append(dst, a.dice.pick(a.words["addressStreets"])...); quoted {
			dst = append(dst, '"')
		}
	}
	dst = append(dst, ',')
	if !a.dice.chance(30) {
		dst = a.appendPostcode(dst, at)
	}
	dst = append(dst, ',')
	if !a.dice.chance(10) {
		dst = append(dst, at.area...) // which has no comma
	}
	return dst
}

// appendPostcode appends the postcode of the place and a random second half. The letters are those of real postcodes,
// which cannot be mistaken for digits.
func (a addressee) appendPostcode(dst []byte, at *place) []byte {
	const letters = "ABDEFGHJLNPQRSTUWXYZ"
	dst = append(append(dst, at.postcode...), ' ')
	dst = append(dst, byte('0'+a.dice.below(10)))
	if at.country == ireland {
		dst = append(dst, letters[a.dice.below(uint64(len(letters)))])
	}
	for range 2 {
		dst = append(dst, letters[a.dice.below(uint64(len(letters)))])
	}
	return dst
}
