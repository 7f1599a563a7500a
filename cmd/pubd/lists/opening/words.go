package opening

import (
	"cmp"
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"pubd/data"
	"pubd/loader"
)

//go:embed words.txt
var wordsText string

// A kind is the class of a word of opening hours, as words.txt names it; days are those of all days.
type kind string

const (
	days, to, and, from, noun, unit kind = "days", "to", "and", "from", "noun", "unit"
	opens, closes, closed, late     kind = "opens", "closes", "closed", "late"
	noon, midnight, always, am, pm  kind = "noon", "midnight", "always", "am", "pm"
)

// A word is the meaning of a word or a phrase.
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
	lists := data.ReadLists(wordsText)
	for _, name := range regexp.MustCompile(`(?m)^\[(\w+)\]$`).FindAllStringSubmatch(wordsText, -1) {
		l := &language{map[string]word{}, map[string]int{}}
		for line := range strings.SplitSeq(strings.ReplaceAll(strings.Join(lists[name[1]], "\n"), "\n  ", " "), "\n") {
			name, phrases, _ := strings.Cut(line, ":")
			w := word{kind: kind(name)}
			if chosen := daysOfKind(name); chosen != 0 {
				w = word{days, chosen}
			}
			for phrase := range strings.SplitSeq(phrases, ", ") {
				l.add(phrase, w)
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

// add adds a phrase, unless it is known.
func (l *language) add(phrase string, w word) {
	tokens := tokensOf(phrase)
	if joined := strings.Join(tokens, " "); l.words[joined] == (word{}) {
		l.words[joined] = w
		l.longest[tokens[0]] = max(l.longest[tokens[0]], len(tokens))
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
	// hourMark matches hours and minutes as in Quebec.
	hourMark = regexp.MustCompile(`(\d) h (00|15|30|45)\b`)
	// openEnd matches a plus sign behind a time.
	openEnd = regexp.MustCompile(`(\d)\+`)
	// brackets matches what says no times in brackets, such as days.
	brackets = regexp.MustCompile(`\(([^()\d]*)\)`)
	signs    = strings.NewReplacer("‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "~", "-", "’", "'", "\ufeff", "", "\u200b", "")
)

// tokensOf divides opening hours, in lower case and without accents.
func tokensOf(text string) []string {
	text = strings.Join(strings.Fields(strings.ToLower(signs.Replace(text))), " ")
	text = hourMark.ReplaceAllString(text, "${1}h$2")
	text = half.ReplaceAllString(openEnd.ReplaceAllString(brackets.ReplaceAllString(text, " $1 "), "$1 onwards "), "$1$3 $2${4}m ")
	tokens := token.FindAllString(text, -1)
	for i := range tokens {
		tokens[i] = plain(tokens[i])
	}
	return tokens
}

// plain returns a token without accents.
func plain(token string) string {
	if !strings.ContainsFunc(token, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return token
	}
	return cmp.Or(loader.PlainName(token), token)
}

// ofWeek has what Google calls the hours of all days.
var ofWeek = strings.NewReplacer("weekday_text", "text", "weekdayText", "text", "weekdayDescriptions", "text")

// humps matches where words begin in a name such as hoursMonday.
var humps = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// A Role is the part of opening hours that a column or a member has.
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
	roles, most := make([]Role, len(names)), 0
	for _, l := range languages() {
		those, n := make([]Role, len(names)), 0
		for i, name := range names {
			if those[i] = l.roleOf(name); those[i].Days != 0 {
				n++
			}
		}
		for i, role := range those {
			if n > most && (role.Days != 0 || roles[i].Days != 0) || roles[i] == (Role{}) && role.Days == 0 {
				roles[i] = role
			}
		}
		most = max(most, n)
	}
	return roles
}

func (l *language) roleOf(name string) (r Role) {
	for chunk := range strings.FieldsFuncSeq(strings.ToLower(humps.ReplaceAllString(ofWeek.Replace(name[:min(len(name), maxName)]), "$1 $2")), isNoLetter) {
		chunk = plain(chunk)
		w, known := l.words[chunk]
		words := []word{w}
		for at := 3; !known && at <= len(chunk)-3; at++ { // openmonday
			first, isFirst := l.words[chunk[:at]]
			second, isSecond := l.words[chunk[at:]]
			words, known = []word{first, second}, isFirst && isSecond
		}
		for _, w := range words {
			switch {
			case known && r.Days == 0 && w.kind == days:
				r.Days = w.days
			case w.kind == opens, w.kind == from:
				r.Opens, r.Closes = true, false
			case w.kind == closes, w.kind == to, w.kind == closed:
				r.Opens, r.Closes = false, true // opening_hours.Monday.close
			case w.kind == noun, w.kind == unit:
				r.IsNamed = true
			case !known, w.kind != and:
				return Role{}
			}
		}
	}
	return r
}

// maxName is up to what length in bytes names are read.
const maxName = 200

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
