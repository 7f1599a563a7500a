package data

import "strings"

// A villager makes up names of villages in the style of the country. It rarely repeats
// a name or uses that of a town.
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

// villageName makes up a name. The more tries have failed, the rarer the names become.
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

// joined joins two parts into a word. If the first ends with the letter with which the
// second begins, the word has it once.
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
