package data

import (
	"strconv"
	"strings"
)

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

// postcodeOf returns the first half of the postcodes of the place with a number, from 0, in a town.
func postcodeOf(town string, c country, number int) string {
	letters := strings.ToUpper(town[:1])
	for _, r := range strings.ToUpper(town[1:]) {
		if strings.ContainsRune("BCDFGHKLMNPRSTWXY", r) {
			letters += string(r)
			break
		}
	}
	if c == ireland {
		return letters[:1] + strconv.Itoa(10+number%90)
	}
	return letters + strconv.Itoa(1+number%98)
}

// regionOf returns the region or country of a town, by a few straight lines on the map.
func regionOf(c country, lat, lng int64) string {
	const degree = 1_000_000
	switch c {
	case wales:
		return "Wales"
	case scotland:
		return "Scotland"
	case ulster:
		return "Northern Ireland"
	case ireland:
		return "Ireland"
	}
	switch {
	case lat > 51_300_000 && lat < 51_650_000 && lng > -450_000 && lng < 200_000:
		return "Greater London"
	case lat > 54_400_000 && lng > -2_600_000:
		return "North East"
	case lat > 53_000_000 && lng < -2_050_000:
		return "North West"
	case lat > 53_350_000:
		return "Yorkshire and the Humber"
	case lat > 52*degree && lng < -1_600_000:
		return "West Midlands"
	case lat > 52_350_000 && lng < -300_000 || lat > 52_900_000:
		return "East Midlands"
	case lat > 51_700_000 && lng > -500_000 || lat > 51_460_000 && lng > 200_000:
		return "East of England"
	case lng < -1_750_000:
		return "South West"
	}
	return "South East"
}
