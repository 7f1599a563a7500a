package opening

import (
	_ "embed"
	"math/bits"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"pubd/data"
	"pubd/loader"
)

//go:embed words.txt
var wordsText string

// A kind is what a word of opening hours does, as words.txt names it; days is that of all days.
type kind string

const (
	days     kind = "days"
	to       kind = "to"
	and      kind = "and"
	from     kind = "from"
	opens    kind = "opens"
	closes   kind = "closes"
	closed   kind = "closed"
	late     kind = "late"
	noon     kind = "noon"
	midnight kind = "midnight"
	always   kind = "always"
	am       kind = "am"
	pm       kind = "pm"
	unit     kind = "unit"
	noun     kind = "noun"
)

// A word is what a word or a phrase means.
type word struct {
	kind kind
	days Days
}

// A language has words and phrases, whose tokens are joined by spaces, and how many tokens the longest phrase with a
// first one has.
type language struct {
	words   map[string]word
	longest map[string]int
}

// languages has all of words.txt, English first. Each knows the words of English that mean nothing else in it.
var languages = sync.OnceValue(func() (all []*language) {
	lists, names := data.ReadLists(wordsText), regexp.MustCompile(`(?m)^\[(\w+)\]$`).FindAllStringSubmatch(wordsText, -1)
	for _, name := range names {
		l := &language{map[string]word{}, map[string]int{}}
		kindOf := ""
		for _, line := range lists[name[1]] {
			if text, more := strings.CutPrefix(line, "  "); more {
				line = kindOf + ":" + text
			}
			var phrases string
			kindOf, phrases, _ = strings.Cut(line, ":")
			w := word{kind: kind(kindOf)}
			if chosen := daysOfKind(kindOf); chosen != 0 {
				w = word{days, chosen}
			}
			for phrase := range strings.SplitSeq(strings.ReplaceAll(phrases, `","`, "\x00"), ",") {
				l.add(strings.ReplaceAll(strings.TrimSpace(phrase), "\x00", ","), w)
			}
		}
		if len(all) > 0 {
			for phrase, w := range all[0].words {
				l.add(phrase, w)
			}
		}
		all = append(all, l)
	}
	return all
})

// add adds a phrase as it is written and without accents, unless it is known.
func (l *language) add(phrase string, w word) {
	tokens := tokensOf(phrase)
	plain := make([]string, len(tokens))
	for i, token := range tokens {
		if plain[i] = loader.PlainName(token); plain[i] == "" {
			plain[i] = token
		}
	}
	for _, spelling := range [][]string{tokens, plain} {
		joined := strings.Join(spelling, " ")
		if _, known := l.words[joined]; !known && joined != "" {
			l.words[joined] = w
			l.longest[spelling[0]] = max(l.longest[spelling[0]], len(spelling))
		}
	}
}

// find returns what the longest phrase at the beginning of some tokens means, and its number of tokens; 0 if there is
// none.
func (l *language) find(tokens []string) (w word, n int) {
	if len(tokens) == 0 {
		return w, 0
	}
	for n = min(l.longest[tokens[0]], len(tokens)); n > 0; n-- {
		phrase := tokens[0]
		if n > 1 {
			phrase = strings.Join(tokens[:n], " ")
		}
		if w, known := l.words[phrase]; known {
			return w, n
		}
	}
	return w, 0
}

var (
	// token matches a part of opening hours: days a week, a time, a number, a word or a sign.
	token = regexp.MustCompile(`24/7|24h?/24|7j?/7|\d{1,2}[:.h](?:\d\d|0\b)(?::\d\d)?|\d+|[\pL\pM]+(?:['’][\pL\pM]+)?|[^\s.]`)
	// half matches am and pm, also as a and p behind a digit.
	half = regexp.MustCompile(`([\d\s])([ap])\.?\s?m\b\.?|(\d)([ap])\b`)
	// openEnd matches a plus sign behind a time.
	openEnd = regexp.MustCompile(`(\d)\+`)
	signs   = strings.NewReplacer("‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "~", "-", "’", "'", "\ufeff", "", "\u200b", "")
)

// tokensOf divides opening hours, in lower case.
func tokensOf(text string) []string {
	text = strings.Join(strings.Fields(strings.ToLower(signs.Replace(text))), " ")
	text = half.ReplaceAllString(openEnd.ReplaceAllString(text, "$1 onwards "), "$1$3 $2${4}m ")
	return token.FindAllString(text, -1)
}

// humps matches where words begin in a name such as hoursMonday.
var humps = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// A Role is what a column or a member is of opening hours.
type Role struct {
	// Days are those that its name says; none if it says none.
	Days Days
	// One of Opens and Closes is set if it may have the times of the beginning or the end.
	Opens, Closes bool
	// IsNamed is set if its name says hours, or the like.
	IsNamed bool
}

// Roles returns what the names of columns say of opening hours, such as hours_monday and Montag.von: the zero value of one
// that has a word of something else. Days are those of the language that knows most of them.
func Roles(names []string) []Role {
	var best []Role
	most := -1
	for _, l := range languages() {
		roles, named := make([]Role, len(names)), Days(0)
		for i, name := range names {
			roles[i] = l.roleOf(name)
			named |= roles[i].Days
		}
		if n := bits.OnesCount8(uint8(named)); n > most {
			best, most = roles, n
		}
	}
	for i, name := range names {
		for _, l := range languages() {
			if role := l.roleOf(name); best[i] == (Role{}) && role.Days == 0 {
				best[i] = role
			}
		}
	}
	return best
}

func (l *language) roleOf(name string) (r Role) {
	for chunk := range strings.FieldsFuncSeq(strings.ToLower(humps.ReplaceAllString(name[:min(len(name), maxName)], "$1 $2")), isNoLetter) {
		w, known := l.words[chunk]
		words := []word{w}
		for at := 3; !known && at <= len(chunk)-3; at++ { // openmonday
			first, isFirst := l.words[chunk[:at]]
			second, isSecond := l.words[chunk[at:]]
			words, known = []word{first, second}, isFirst && isSecond
		}
		for _, w := range words {
			switch {
			case !known || r.Days != 0 && w.kind == days:
				return Role{}
			case w.kind == days:
				r.Days = w.days
			case w.kind == opens || w.kind == from:
				r.Opens, r.Closes = true, false
			case w.kind == closes || w.kind == to || w.kind == closed:
				r.Opens, r.Closes = false, true // opening_hours.Monday.close
			case w.kind == noun || w.kind == unit:
				r.IsNamed = true
			case w.kind != and:
				return Role{}
			}
		}
	}
	return r
}

// maxName is up to what length in bytes names are read.
const maxName = 200

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
