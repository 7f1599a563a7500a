package data

import (
	"strconv"
	"strings"
)

// "The Red Lion", "Coach and Horses", "Kings Head Inn".
func (n *namer) classic() {
	name := n.famous()
	n.the(560)
	n.put(name)
	if !housed(name) {
		n.house()
	}
}

// housed reports whether a name already has a word such as Inn.
func housed(name string) bool {
	for _, end := range []string{"Inn", "Hotel", "Tavern", "House", "Legion", "Cottage", "Rest", "Tap"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// "The Gilded Otter", "Spotted Cow Inn".
func (n *namer) sign() {
	n.the(650)
	switch x := n.dice.below(10); {
	case x < 4:
		n.put(n.pick("moods"))
		n.put(" ")
		n.put(n.pick("creatures"))
	case x < 7:
		n.put(n.pick("colours"))
		n.put(" ")
		n.put(n.pick("creatures"))
	default:
		n.put(n.pick("colours"))
		n.put(" ")
		n.put(n.pick("objects"))
	}
	n.house()
}

// "The Stag & Thorn".
func (n *namer) pair() {
	n.the(800)
	first := n.pick("things")
	second := n.pick("things")
	for second == first {
		second = n.pick("things")
	}
	n.put(first)
	n.put(" & ")
	n.put(second)
	if n.dice.chance(60) {
		n.put(" Inn")
	}
}

// "The Locksmith's Arms", "Pemberton Arms".
func (n *namer) arms() {
	n.the(550)
	switch x := n.dice.below(10); {
	case x < 5:
		n.put(n.pick("trades"))
	case x < 8:
		n.surname(n.family())
	default:
		n.surname(n.at.name)
	}
	n.put(" Arms")
	if n.dice.chance(60) {
		n.put(" Hotel")
	}
}

// "Thornby Social Club", "The Brixton Tap".
func (n *namer) venue() {
	n.the(120)
	n.surname(n.at.name)
	n.put(" ")
	if n.at.country >= ulster {
		n.put(n.pick("irishVenues"))
	} else {
		n.put(n.pick("venues"))
	}
}

// "O'Neill's", "Molly Malone's Bar", "J. Kiernan", "Quinlan & Sons".
func (n *namer) person() {
	switch x := n.dice.below(100); {
	case x < 58:
		n.surname(n.family())
		n.owner()
	case x < 73:
		n.surname(n.first())
		n.put(" ")
		n.surname(n.family())
		n.owner()
	case x < 85:
		n.surname(n.first())
		n.owner()
	case x < 91:
		n.b = append(n.b, initials[n.dice.below(uint64(len(initials)))])
		n.put(". ")
		n.surname(n.family())
		return
	case x < 94:
		n.surname(n.family())
		n.put(" & Sons")
		return
	case x < 95:
		n.surname(n.first())
		n.put(` "`)
		if n.at.country >= ulster {
			n.put(n.pick("nicknames"))
		} else {
			n.put(n.dice.pick(n.words["nicknames"][:5]))
		}
		n.put(`" `)
		n.surname(n.family())
		n.owner()
	default:
		n.surname(n.first())
		n.put(" ")
		n.surname(n.family())
	}
	n.ownHouse()
}

const initials = "ABCDEFGHJKLMNPRSTW"

// ownHouse appends a word for an owner's house, such as Bar, to about half of the names.
func (n *namer) ownHouse() {
	switch x := n.dice.below(100); {
	case x < 26:
		n.put(" Bar")
	case x < 33:
		n.put(" Pub")
	case x < 38:
		n.put(" Tavern")
	case x < 41:
		n.put(" Corner House")
	case x < 44:
		n.put(" Lounge")
	case x < 46:
		n.put(" Bar & Lounge")
	case x < 47:
		n.put(" Bar, Lounge & Restaurant")
	}
}

// "The Harriet Barraclough".
func (n *namer) portrait() {
	n.b = append(n.b, "The "...)
	n.surname(n.first())
	n.put(" ")
	n.surname(n.family())
}

// "Duke of Cumberland", "Sir Walter Raleigh".
func (n *namer) noble() {
	n.the(500)
	if n.dice.chance(350) {
		n.put(n.pick("worthies"))
		return
	}
	n.put(n.pick("titles"))
	n.put(" ")
	n.put(n.pick("peers"))
	if n.dice.chance(80) {
		n.put(" Inn")
	}
}

// "Ye Olde Black Boar", "The Auld Thistle".
func (n *namer) olde() {
	if n.at.country == scotland {
		n.put("The Auld ")
	} else {
		n.put("Ye Olde ")
	}
	if n.dice.chance(350) {
		n.put(n.dice.pick(n.words["colours"][:7]))
		n.put(" ")
	}
	n.put(n.pick("creatures"))
	if n.dice.chance(300) {
		n.put(" Inn")
	}
}

// "Three Tuns", "The 12 Bells", "1782", "No. 45", "27 Silver Street".
func (n *namer) counted() {
	switch x := n.dice.below(100); {
	case x < 78:
		n.the(550)
		n.put(n.pick("counts"))
		n.put(" ")
		n.put(n.pick("plurals"))
		if n.dice.chance(150) {
			n.put(" Inn")
		}
	case x < 83:
		n.b = strconv.AppendUint(n.b, 1590+n.dice.below(330), 10)
	case x < 88:
		n.put("No. ")
		n.b = strconv.AppendUint(n.b, 1+n.dice.below(120), 10)
	default:
		n.b = strconv.AppendUint(n.b, 1+n.dice.below(160), 10)
		n.put(" ")
		n.put(n.pick("streets"))
	}
}

// "The Hop Shed", "Copper Otter", "Keg & Kitchen".
func (n *namer) bar() {
	n.the(550)
	switch x := n.dice.below(10); {
	case x < 4:
		n.put(n.pick("quirks"))
	case x < 8:
		n.put(n.pick("modern"))
	default:
		n.put(n.pick("modern"))
		n.put(" &")
	}
	n.put(" ")
	n.put(n.pick("haunts"))
}

// "The Old Custom House".
func (n *namer) building() {
	n.the(850)
	n.put("Old ")
	n.put(n.pick("buildings"))
	if n.dice.chance(160) {
		n.put(" Inn")
	}
}

// "St Cuthbert's Tavern", "St. George".
func (n *namer) saint() {
	n.the(300)
	n.put("St")
	if n.dice.chance(200) {
		n.put(".")
	}
	n.put(" ")
	n.put(n.pick("saints"))
	switch n.dice.below(4) {
	case 0:
		n.owner()
		n.put(" Tavern")
	case 1:
		n.put(" Inn")
	case 2:
		n.owner()
		n.put(" Club")
	}
}

// "The Case Is Altered".
func (n *namer) whimsy() { n.put(n.pick("whimsies")) }

// "Caffè Roma", "Café Bohème".
func (n *namer) café() {
	if n.dice.chance(600) {
		n.put("Caffè ")
	} else {
		n.put("Café ")
	}
	n.put(n.pick("cafés"))
	if n.dice.chance(300) {
		n.put(" Bar")
	}
}

// "The Swan, Dedham", "Crown at Dedham".
func (n *namer) addressed() {
	n.the(700)
	n.put(n.famous())
	switch n.dice.below(3) {
	case 0:
		n.put(", ")
	case 1:
		n.put(" at ")
	case 2:
		n.put(" of ")
	}
	n.surname(n.at.name)
}

// "Y Ddraig Goch", "Tigh Uí Chonaill", "The Clachan Bar".
func (n *namer) native() {
	switch n.at.country {
	case wales:
		n.surname(n.pick("welshPubs"))
	case scotland:
		n.the(800)
		n.put(n.pick("scottishPubs"))
	default:
		n.surname(n.pick("irishPubs"))
	}
}
