package data

import "strings"

// A villager makes up the names of villages in the manner of the country, hardly
// ever one twice or one that is a town.
type villager struct{ taken map[string]bool }

func newVillager(towns []place) *villager {
	v := &villager{taken: map[string]bool{}}
	for _, t := range towns {
		v.taken[t.name] = true
	}
	return v
}

func (v *villager) name(c country, lat, lng int64, d dice) string {
	const tries = 50
	for try := 0; ; try++ {
		name := villageName(c, lat, lng, try, d)
		if !v.taken[name] || try == tries {
			v.taken[name] = true
			return name
		}
	}
}

// villageName makes rarer names the more tries have failed.
func villageName(c country, lat, lng int64, try int, d dice) string {
	switch {
	case c == england && lng < -4_250_000 && lat < 51_000_000:
		name := joined(d.pick(cornishRoots), d.pick(cornishSuffixes))
		if try > 0 || d.chance(150) {
			name += d.pick([]string{" Churchtown", " Cove", " Downs", " Highway", " Cross", " Moor", " Wartha", " Wollas"})
		}
		return name
	case c == england:
		return englishVillage(lat > 52_600_000, try, d)
	case c == wales:
		name := joined(d.pick(welshRoots), d.pick(welshSuffixes))
		if try > 1 {
			name += d.pick([]string{" Isaf", " Uchaf", " Fawr", " Fach", "-y-Coed", "-ar-Wy", "-y-Mynydd"})
		}
		return name
	case c == scotland:
		name := joined(d.pick(scottishRoots), d.pick(scottishSuffixes))
		if try > 0 || d.chance(150) {
			name = d.pick(scottishAffixes) + name
		}
		return name
	}
	name := joined(d.pick(irishRoots), d.pick(irishSuffixes))
	if try > 0 || d.chance(80) {
		name += d.pick([]string{" Cross", " Bridge", " West", " East", " Mills", " Upper", " Lower", " Crossroads", " Abbey"})
	}
	return name
}

func englishVillage(north bool, try int, d dice) string {
	suffixes := englishSuffixes
	if north && d.chance(600) {
		suffixes = norseSuffixes
	}
	name := joined(d.pick(englishRoots), d.pick(suffixes))
	affix := d.below(1000)
	switch {
	case try > 2 || affix < 30:
		return d.pick(englishAffixes) + " " + name + d.pick(englishTails)
	case try > 0 || affix < 330:
		return d.pick(englishAffixes) + " " + name
	case affix < 560:
		return name + d.pick(englishTails)
	}
	return name
}

// joined writes two parts as one word. A letter that ends the first and
// begins the second is written once.
func joined(first, second string) string {
	last := len(first) - 1
	if first[last] == ' ' || first[last] == '-' {
		if first[last] == ' ' {
			return first + strings.ToUpper(second[:1]) + second[1:]
		}
		return first + second
	}
	if first[last] == second[0] {
		return first + second[1:]
	}
	return first + second
}
