package data

// A namer names pubs in the style of their country.
type namer struct {
	dice     dice
	words    words
	classics []classic
	shares   lottery // of the classics
	kinds    [ireland + 1]lottery

	b          []byte
	at         *place
	apostrophe string // of the current name; empty if it omits apostrophes
	quote      string // of the current name, where it must not be omitted
}

// A kind is a way to name a pub, with its share in each country.
type kind struct {
	write  func(*namer)
	shares [ireland + 1]uint64
}

var kinds = []kind{
	{(*namer).classic, [...]uint64{375, 280, 220, 110, 60}},
	{(*namer).sign, [...]uint64{75, 60, 45, 30, 20}},
	{(*namer).pair, [...]uint64{55, 40, 35, 20, 15}},
	{(*namer).arms, [...]uint64{85, 80, 70, 35, 20}},
	{(*namer).venue, [...]uint64{118, 120, 140, 110, 65}},
	{(*namer).person, [...]uint64{45, 70, 140, 440, 570}},
	{(*namer).portrait, [...]uint64{22, 24, 30, 20, 15}},
	{(*namer).noble, [...]uint64{42, 30, 30, 20, 2}},
	{(*namer).olde, [...]uint64{16, 12, 14, 10, 6}},
	{(*namer).counted, [...]uint64{34, 24, 24, 24, 20}},
	{(*namer).bar, [...]uint64{42, 36, 60, 60, 55}},
	{(*namer).building, [...]uint64{30, 30, 30, 20, 20}},
	{(*namer).saint, [...]uint64{8, 14, 12, 10, 8}},
	{(*namer).whimsy, [...]uint64{13, 14, 10, 8, 6}},
	{(*namer).café, [...]uint64{4, 4, 5, 6, 8}},
	{(*namer).addressed, [...]uint64{18, 14, 12, 14, 10}},
	{(*namer).native, [...]uint64{0, 130, 95, 30, 90}},
}

func newNamer(d dice, w words) *namer {
	n := &namer{dice: d, words: w, classics: readClassics()}
	for _, c := range n.classics {
		n.shares.add(c.share)
	}
	for _, k := range kinds {
		for c := range n.kinds {
			n.kinds[c].add(k.shares[c])
		}
	}
	return n
}

// name returns the name of the next pub, valid until the next call: valid UTF-8,
// 1 to 120 bytes, no control character, not quoted for CSV.
func (n *namer) name(at *place) []byte {
	n.b, n.at = n.b[:0], at
	n.quote = "'"
	if n.dice.chance(180) {
		n.quote = "’"
	}
	n.apostrophe = n.quote
	if n.dice.chance(480) {
		n.apostrophe = ""
	}
	kinds[n.kinds[at.country].draw(n.dice)].write(n)
	return n.b
}

// put appends a text of the tables, with apostrophes and "&" as the current name writes them.
func (n *namer) put(text string) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'':
			n.b = append(n.b, n.apostrophe...)
		case '&':
			n.b = append(n.b, n.and()...)
		default:
			n.b = append(n.b, c)
		}
	}
}

// surname appends a name whose inner apostrophe must not be omitted: no pub is called
// OBriens.
func (n *namer) surname(text string) {
	kept := n.apostrophe
	n.apostrophe = n.quote
	n.put(text)
	n.apostrophe = kept
}

func (n *namer) and() string {
	switch x := n.dice.below(10); {
	case x < 6:
		return "&"
	case x < 9:
		return "and"
	}
	return "And"
}

func (n *namer) the(perMille uint64) {
	if n.dice.chance(perMille) {
		n.b = append(n.b, "The "...)
	}
}

// house appends Inn, Hotel or a similar word, but usually nothing.
func (n *namer) house() {
	switch x := n.dice.below(1000); {
	case x < 170:
		n.put(" Inn")
	case x < 195:
		n.put(" Hotel")
	case x < 220:
		n.put(" Tavern")
	case x < 232:
		n.put(" " + n.pick("extras"))
	}
}

// owner appends the possessive ending to the name so far.
func (n *namer) owner() {
	if n.b[len(n.b)-1] == 's' {
		n.put("'")
		return
	}
	n.put("'s")
}

func (n *namer) first() string { return n.pick(firstNames[n.at.country]) }

// family returns a family name of the country or, occasionally, of another one.
func (n *namer) family() string {
	c := n.at.country
	if n.dice.chance(90) {
		c = country(n.dice.below(uint64(ireland) + 1))
	}
	return n.pick(familyNames[c])
}

// firstNames and familyNames are lists by country.
var (
	firstNames  = [...]string{"englishNames", "welshNames", "scottishNames", "irishNames", "irishNames"}
	familyNames = [...]string{"englishFamilies", "welshFamilies", "scottishFamilies", "irishFamilies", "irishFamilies"}
)

// pick returns an entry of a list of words.txt.
func (n *namer) pick(list string) string { return n.dice.pick(n.words[list]) }

// famous returns one of the common names, by their shares.
func (n *namer) famous() string { return n.classics[n.shares.draw(n.dice)].name }
