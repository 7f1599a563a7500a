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
	style := [...]string{"english", "welsh", "scottish", "irish", "irish"}[c]
	if c == england {
		if lng >= -4_250_000 || lat >= 51_000_000 {
			return v.englishVillage(lat > 52_600_000, try, d)
		}
		style = "cornish"
	}
	name := joined(v.pick(style+"Roots", d), v.pick(style+"Suffixes", d))
	switch {
	case style == "welsh" && try <= 1:
		return name
	case style == "scottish" && (try > 0 || d.chance(150)):
		return v.pick("scottishAffixes", d) + name
	case style == "welsh", style == "cornish" && (try > 0 || d.chance(150)), style == "irish" && (try > 0 || d.chance(80)):
		return name + v.pick(style+"Tails", d)
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
	switch last := first[len(first)-1]; last {
	case ' ':
		return first + strings.ToUpper(second[:1]) + second[1:]
	case second[0]:
		return first + second[1:]
	}
	return first + second
}
