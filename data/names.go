package data

import (
	"bytes"
	"strconv"
	"strings"
)

// A namer names pubs in the style of their country, by the rules of names.txt.
type namer struct {
	dice  dice
	words words
	rules map[string]*rule

	b          []byte
	at         *place
	apostrophe string // of the current name; empty if it omits apostrophes
	quote      string // of the current name, where it must not be omitted
}

// A rule has patterns by country, and their shares.
type rule [ireland + 1]struct {
	patterns []string
	shares   lottery
}

func newNamer(d dice, w words) *namer {
	n := &namer{dice: d, words: w, rules: map[string]*rule{}}
	for name, ways := range ReadLists(read("names.txt")) {
		r := &rule{}
		for _, way := range ways {
			text, pattern, _ := strings.Cut(way, " ")
			shares := strings.Split(text, ",")
			for c := range r {
				if share := number(shares[c%len(shares)]); share > 0 {
					r[c].patterns = append(r[c].patterns, pattern)
					r[c].shares.add(uint64(share))
				}
			}
		}
		n.rules[name] = r
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
	n.make("pub")
	return n.b
}

// write appends what a pattern stands for.
func (n *namer) write(pattern string) {
	for pattern != "" {
		at := strings.IndexAny(pattern, "<(")
		if at < 0 {
			n.put(pattern)
			return
		}
		n.put(pattern[:at])
		var part string
		if pattern[at] == '<' {
			part, pattern, _ = strings.Cut(pattern[at+1:], ">")
			n.make(part)
			continue
		}
		part, pattern, _ = strings.Cut(pattern[at+1:], ")")
		const digits = "0123456789"
		some := strings.TrimLeft(part, digits)
		if n.dice.chance(uint64(number(part[:len(part)-len(some)]))) {
			n.write(some)
		}
	}
}

// make appends what stands between < and > in a pattern.
func (n *namer) make(what string) {
	if name, keeps := strings.CutSuffix(what, "!"); keeps { // no pub is called OBriens
		omitted := n.apostrophe
		n.apostrophe = n.quote
		n.make(name)
		n.apostrophe = omitted
		return
	}
	if first, count, isNumber := strings.Cut(what, "+"); isNumber {
		n.b = strconv.AppendUint(n.b, uint64(number(first))+n.dice.below(uint64(number(count))), 10)
		return
	}
	switch what {
	case "town":
		n.put(n.at.name)
	case "'s":
		n.put("'")
		if !bytes.HasSuffix(n.b, []byte("s"+n.apostrophe)) {
			n.put("s")
		}
	case "family":
		n.family()
	case "classic":
		n.classic()
	case "pair":
		n.pair()
	default:
		if n.rules[what] != nil {
			n.write(n.draw(what, n.at.country))
		} else {
			n.put(n.dice.pick(n.words[what]))
		}
	}
}

// draw returns a pattern of a rule.
func (n *namer) draw(rule string, c country) string {
	r := &n.rules[rule][c]
	if len(r.patterns) == 1 {
		return r.patterns[0]
	}
	return r.patterns[r.shares.draw(n.dice)]
}

// put appends a text, with apostrophes and "&" as the current name writes them.
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

func (n *namer) and() string {
	switch x := n.dice.below(10); {
	case x < 6:
		return "&"
	case x < 9:
		return "and"
	}
	return "And"
}

// family appends a family name of the country or, occasionally, of another one.
func (n *namer) family() {
	c := n.at.country
	if n.dice.chance(90) {
		c = country(n.dice.below(uint64(ireland) + 1))
	}
	n.write(n.draw("localFamily", c))
}

// classic appends "The Red Lion", "Coach and Horses" or "Kings Head Inn".
func (n *namer) classic() {
	name := n.draw("famous", n.at.country)
	n.write("(560The )")
	n.put(name)
	for _, end := range []string{"Inn", "Hotel", "Tavern", "House", "Legion", "Cottage", "Rest", "Tap"} {
		if strings.HasSuffix(name, end) {
			return
		}
	}
	n.make("house")
}

// pair appends "The Stag & Thorn".
func (n *namer) pair() {
	n.write("(800The )")
	things := n.words["things"]
	first, second := n.dice.pick(things), n.dice.pick(things)
	for second == first {
		second = n.dice.pick(things)
	}
	n.put(first)
	n.write(" & ")
	n.put(second)
	n.write("(60 Inn)")
}
