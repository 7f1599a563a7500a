package data

import "fmt"

// offered are features, and how many in a thousand pubs that tell of any have them.
var offered = [...]struct {
	name  string
	share uint64
}{{"garden", 350}, {"dog", 300}, {"food", 450}, {"real_ale", 350}, {"live_music", 150}, {"sport", 200}, {"quiz", 150},
	{"wifi", 400}, {"wheelchair", 300}, {"parking", 200}, {"rooms", 80}, {"family", 200}, {"roast", 150}}

// appendOffers appends what a pub offers and when it is open; like real lists, few tell.
func appendOffers(b []byte, d dice) []byte {
	if d.chance(300) {
		separator := ""
		for _, feature := range offered {
			if d.chance(feature.share) {
				b = append(append(b, separator...), feature.name...)
				separator = ";"
			}
		}
	}
	b = append(b, ',')
	if !d.chance(400) {
		return b
	}
	clock := func(times ...string) string { return times[d.below(uint64(len(times)))] }
	opens := clock("11:00", "11:30", "12:00", "12:00", "15:00", "16:00", "17:00")
	return fmt.Appendf(b, "Mo-Th %s-%s; Fr-Sa %s-%s; Su 12:00-%s", opens, clock("22:00", "23:00", "23:30"),
		opens, clock("23:00", "24:00", "01:00", "02:00"), clock("20:00", "21:00", "22:30"))
}
