package data

import "strings"

// A villager makes up names of villages in the style of the country. It rarely repeats
// a name or uses that of a town.
type villager struct {
	words words
	taken map[string]bool
}

func newVillager(towns []place, w words) *villager {
	v := &villager{words: w, taken: map[string]bool{}}
	for _, t := range towns {
		v.taken[t.name] = true
	}
	return v
}

func (v *villager) pick(list string, d dice) string { return d.pick(v.words[list]) }

func (v *villager) name(c country, lat, lng int64, d dice) string {
	const tries = 50
	for try := 0; ; try++ {
		name := v.villageName(c, lat, lng, try, d)
		if !v.taken[name] || try == tries {
			v.taken[name] = true
			return name
		}
	}
}

// villageName makes up a name. The more tries have failed, the rarer the names become.
func (v *villager) villageName(c country, lat, lng int64, try int, d dice) string {
	switch {
	case c == england && lng < -4_250_000 && lat < 51_000_000:
		name := joined(v.pick("cornishRoots", d), v.pick("cornishSuffixes", d))
		if try > 0 || d.chance(150) {
			name += v.pick("cornishTails", d)
		}
		return name
	case c == england:
		return v.englishVillage(lat > 52_600_000, try, d)
	case c == wales:
		name := joined(v.pick("welshRoots", d), v.pick("welshSuffixes", d))
		if try > 1 {
			name += v.pick("welshTails", d)
		}
		return name
	case c == scotland:
		name := joined(v.pick("scottishRoots", d), v.pick("scottishSuffixes", d))
		if try > 0 || d.chance(150) {
			name = v.pick("scottishAffixes", d) + name
		}
		return name
	}
	name := joined(v.pick("irishRoots", d), v.pick("irishSuffixes", d))
	if try > 0 || d.chance(80) {
		name += v.pick("irishTails", d)
	}
	return name
}

func (v *villager) englishVillage(north bool, try int, d dice) string {
	suffixes := "englishSuffixes"
	if north && d.chance(600) {
		suffixes = "norseSuffixes"
	}
	name := joined(v.pick("englishRoots", d), v.pick(suffixes, d))
	affix := d.below(1000)
	switch {
	case try > 2 || affix < 30:
		return v.pick("englishAffixes", d) + " " + name + v.pick("englishTails", d)
	case try > 0 || affix < 330:
		return v.pick("englishAffixes", d) + " " + name
	case affix < 560:
		return name + v.pick("englishTails", d)
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
