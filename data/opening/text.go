// Package opening reads opening hours as people and programs write them, in eleven languages, and writes them in
// OpenStreetMap's notation, which package hours reads. Every form becomes a [Week].
//
//	texts       days and times in any order: "Mo-Fr 11am to 11pm", "täglich 17-24 Uhr", "Lundi-Samedi 12h-15h, 18h-22h30"
//	JSON        lists and objects of days, of opening and closing times, or of periods, such as those of Google, Yelp,
//	            Foursquare and schema.org
//	columns     one for each day, or two; the names of columns and members are read by the same words
//
// A text that is not understood up to its last word is an error, as is one that may mean two things: "5-11" may be in the
// morning or in the evening, "11-11" may not.
package opening

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/index/hours"
)

const dayMinutes = 24 * 60

// Error says why opening hours cannot be read.
type Error struct {
	Reason string // one of a fixed few, such as "am or pm"
	At     string // what stands there; empty if that does not matter
	left   int    // tokens that are not read
}

func (e *Error) Error() string { return fmt.Sprintf("%s at %q", e.Reason, e.At) }

// notUnderstood is the reason where none of the others applies.
const notUnderstood = "not understood"

// A Reader reads the opening hours of a list. It is used by one goroutine.
type Reader struct {
	languages []*language // that of most texts first
	uses      map[*language]int
	known     map[string]bool // texts that were learnt, and whether they can be read
	weeks     map[string]read // by text and days
}

type read struct {
	week Week
	err  *Error
}

// maxKept is how many texts and weeks a reader keeps: they repeat.
const maxKept = 10_000

// NewReader returns a reader of the hours of a list.
func NewReader() *Reader {
	return &Reader{slices.Clone(languages()), map[*language]int{}, map[string]bool{}, map[string]read{}}
}

// Learn reports whether hours can be read. What may be in several languages is read in the one of most texts that were
// learnt before.
func (r *Reader) Learn(value string) (can bool) {
	if can, known := r.known[value]; known {
		return can
	}
	if _, can = asNotation(value); !can && IsJSON(value) {
		_, err := r.readJSON(value)
		can = err == nil
	} else if !can && len(value) <= hours.MaxLength {
		tokens := tokensOf(value)
		for _, l := range r.languages {
			if _, err := l.week(tokens, allDays); err == nil {
				r.uses[l]++
				can = true
			}
		}
	}
	if len(r.known) < maxKept {
		r.known[strings.Clone(value)] = can
	}
	return can
}

// Learnt ends the learning.
func (r *Reader) Learnt() {
	clear(r.weeks)
	slices.SortStableFunc(r.languages, func(a, b *language) int { return r.uses[b] - r.uses[a] })
}

// bareHours matches hours without minutes that OpenStreetMap's notation takes for those of a clock of 24 hours.
var bareHours = regexp.MustCompile(`(?:^|[ ,;])(?:1[0-2]|[1-9])\s*-\s*(?:1[0-2]|[1-9])(?:$|[ ,;])`)

// asNotation returns opening hours that are in OpenStreetMap's notation, but for blanks and dashes.
func asNotation(value string) (string, bool) {
	if _, err := hours.Parse(value); err == nil && !bareHours.MatchString(signs.Replace(value)) {
		return value, true
	}
	plain := strings.Join(strings.Fields(signs.Replace(value)), " ")
	_, err := hours.Parse(plain)
	return plain, err == nil && !bareHours.MatchString(plain)
}

// Notation returns opening hours in OpenStreetMap's notation, those that are in it already as they are.
func (r *Reader) Notation(value string) (string, *Error) {
	if plain, ok := asNotation(value); ok {
		return plain, nil
	}
	if IsJSON(value) {
		week, err := r.readJSON(value)
		return week.String(), err
	}
	week, err := r.text(value, allDays)
	if err != nil && err.Reason == notUnderstood {
		other := &hours.Error{} // which knows what is hard to read, such as sunsets
		if _, unread := hours.Parse(value); errors.As(unread, &other) && other.Reason != "am and pm" {
			err = &Error{Reason: other.Reason, At: err.At}
		}
	}
	return week.String(), err
}

// Days returns the hours of each day, of which those that are empty or cannot be read are unknown. The error is about the
// first of the latter.
func (r *Reader) Days(texts [7]string) (string, *Error) {
	t := tree{Reader: r, kinds: map[string]bool{}}
	for day, text := range texts {
		if t.week[day].IsUnknown = text == ""; IsJSON(text) {
			t.readJSON(text, 1<<day)
		} else {
			t.add(text, 1<<day)
		}
	}
	return t.week.String(), t.err
}

// text returns the week that a text says; times without days are those of on.
func (r *Reader) text(value string, on Days) (Week, *Error) {
	key := string(rune(on)) + value
	known, found := r.weeks[key]
	if found {
		return known.week, known.err
	}
	if len(value) > hours.MaxLength {
		return known.week, &Error{Reason: "too long"}
	}
	tokens := tokensOf(value)
	known.err = &Error{Reason: notUnderstood, At: value, left: len(tokens) + 1}
	for _, l := range r.languages {
		week, err := l.week(tokens, on)
		if err == nil {
			known = read{week: week}
			break
		}
		if err.left < known.err.left {
			known.err = err
		}
	}
	if len(r.weeks) < maxKept {
		r.weeks[strings.Clone(key)] = known
	}
	return known.week, known.err
}

// A parser has the tokens of a text that are not read yet.
type parser struct {
	*language
	rest []string
	is24 bool // the text shows that its clock has 24 hours
}

// fail returns an error about what stands in front.
func (p *parser) fail(reason string) *Error {
	return &Error{reason, strings.Join(p.rest[:min(len(p.rest), 3)], " "), len(p.rest)}
}

// take takes a word of some kinds, if one stands in front.
func (p *parser) take(kinds ...kind) (word, bool) {
	w, n := p.find(p.rest)
	if n == 0 || !slices.Contains(kinds, w.kind) {
		return word{}, false
	}
	p.rest = p.rest[n:]
	return w, true
}

// week reads a week: days before or behind their times, without days those of on.
func (l *language) week(tokens []string, on Days) (w Week, err *Error) {
	p := &parser{language: l, rest: tokens}
	for _, t := range tokens {
		hour := strings.TrimRight(t[:min(2, len(t))], ":.h")
		n, errNumber := strconv.Atoi(hour)
		known, _ := l.find([]string{t})
		p.is24 = p.is24 || known.kind == unit || errNumber == nil && (n > 12 || hour[0] == '0' || len(t) > 2 && t[2] >= '0' && t[2] <= '9')
	}
	var told, waiting Days // the days of the times before, and those whose times are to come
	var times []Span       // whose days are to come; empty but not nil if that is closed
	isFrom, isAny := false, false
	for len(p.rest) > 0 && err == nil {
		if w, n := p.find(p.rest); n > 0 && (w.kind == and || w.kind == from || w.kind == opens || w.kind == noun) {
			isFrom, p.rest = isFrom && w.kind != and || w.kind == from, p.rest[n:]
			continue
		}
		if chosen, wrong := p.days(); chosen != 0 || wrong != nil {
			switch {
			case wrong != nil || waiting != 0:
				return w, cmp.Or(wrong, p.fail("days without times"))
			case times != nil:
				err, times, isAny = w.add(chosen, times, false), nil, true
			default:
				waiting = chosen
			}
			told, isFrom = 0, false
			continue
		}
		spans, wrong := p.times(isFrom)
		isFrom = false
		switch {
		case wrong != nil:
			return w, wrong
		case waiting != 0:
			err, told, waiting, isAny = w.add(waiting, spans, false), waiting, 0, true
		case told != 0 && len(spans) > 0:
			err = w.add(told, spans, false)
		case times == nil:
			times, told = spans, 0
		case len(times) == 0 || len(spans) == 0:
			return w, p.fail("times without days")
		default:
			times = append(times, spans...)
		}
	}
	switch {
	case err != nil:
		return w, err
	case waiting != 0:
		return w, p.fail("days without times")
	case times != nil && !isAny:
		return w, w.add(on, times, false)
	case times != nil || !isAny:
		return w, p.fail("times without days")
	}
	return w, nil
}

// days reads days, with what stands between them; none if there are none.
func (p *parser) days() (all Days, err *Error) {
	for {
		w, found := p.take(days)
		if !found {
			return all, nil
		}
		first := w.days
		ahead := *p
		if _, isRange := ahead.take(to); isRange {
			ahead.skip(from)
			if last, named := ahead.take(days); named {
				if *p = ahead; !first.single() || !last.days.single() {
					return 0, p.fail("days without times")
				}
				first = first.through(last.days)
			}
		}
		all |= first
		ahead = *p
		ahead.skip(and, from)
		if w, n := ahead.find(ahead.rest); n > 0 && w.kind == days {
			*p = ahead
		}
	}
}

// skip takes all words of some kinds that stand in front.
func (p *parser) skip(kinds ...kind) {
	for found := true; found; {
		_, found = p.take(kinds...)
	}
}

// times reads a span, or that it is closed, which is no span. After a word such as "from", the end may lack.
func (p *parser) times(isFrom bool) (spans []Span, err *Error) {
	if _, is := p.take(closed); is {
		return []Span{}, nil
	}
	if _, is := p.take(always); is {
		return []Span{{0, dayMinutes}}, nil
	}
	if len(p.rest) > 1 && p.rest[0] == "24" {
		if w, n := p.find(p.rest[1:]); w.kind == unit || w.kind == noun {
			if after, _ := p.find(p.rest[1+n:]); after.kind != to {
				p.rest = p.rest[1+n:]
				return []Span{{0, dayMinutes}}, nil
			}
		}
	}
	begins := p.rest
	unclear := func(reason string) ([]Span, *Error) {
		p.rest = begins
		return nil, p.fail(reason)
	}
	start, ok := p.clock()
	if !ok {
		return unclear(notUnderstood)
	}
	_, isRange := p.take(to)
	p.skip(to, from)
	if _, isOpen := p.take(late, closes); isOpen || isFrom && !isRange {
		minutes, ok := start.minutes(start.half, p.is24)
		if !ok {
			return unclear("am or pm")
		}
		return []Span{{minutes, -1}}, nil
	}
	end, ok := p.clock()
	if !isRange || !ok {
		return unclear("a time without an end")
	}
	span, ok := spanOf(start, end, p.is24)
	switch spans = append(spans, span); {
	case !ok:
		return unclear("am or pm")
	case span.Start >= dayMinutes || span.End > 2*dayMinutes:
		return unclear("not a time of day")
	case start == end && span.Start == 0:
		return unclear("closed or all day")
	}
	if _, isOpen := p.take(late); isOpen {
		spans = append(spans, Span{span.End, -1})
	}
	return spans, nil
}

// A moment is a time as it is written.
type moment struct {
	hour, minute int
	half         kind // am, pm, or empty if it is not said
	isBare       bool // it has no minutes
	isWord       bool // noon or midnight
}

// clock reads a time; ok is false if there is none.
func (p *parser) clock() (m moment, ok bool) {
	if len(p.rest) > 0 && p.rest[0][0] >= '0' && p.rest[0][0] <= '9' {
		t := p.rest[0]
		hour, minute, parted := strings.Cut(strings.NewReplacer(".", ":", "h", ":").Replace(t), ":")
		if minute, _, _ = strings.Cut(minute, ":"); !parted && len(t) > 2 {
			hour, minute = t[:len(t)-2], t[len(t)-2:]
		}
		var wrong, also error
		m.isBare = minute == ""
		m.hour, wrong = strconv.Atoi(hour)
		m.minute, also = strconv.Atoi("0" + minute)
		if wrong != nil || also != nil || m.hour > 48 || m.minute > 59 {
			return m, false
		}
		p.rest = p.rest[1:]
		p.skip(unit)
		ok = true
	}
	if w, found := p.take(noon, midnight, am, pm); found {
		switch m.half = w.kind; w.kind {
		case noon:
			m = moment{12, 0, pm, false, true}
		case midnight:
			m = moment{12, 0, am, false, true}
		default:
			if !ok {
				return m, false
			}
		}
		ok = true
		p.skip(unit)
	}
	return m, ok
}

// minutes returns the time in minutes from midnight, in a half of the day unless the clock has 24 hours; ok is false if
// that is not known.
func (m moment) minutes(in kind, is24 bool) (minutes int, ok bool) {
	minutes = m.hour*60 + m.minute
	switch {
	case m.hour > 12 || m.hour == 0 || in == "" && (is24 || !m.isBare):
		return minutes, true
	case in == am:
		return minutes % (12 * 60), true
	case in == pm:
		return minutes%(12*60) + 12*60, true
	}
	return 0, false
}

// spanOf returns the span between two times; ok is false if it is not known in which halves of the day they are. A start
// that does not say has the half of the end, unless that runs backwards; an end is the next such time after the start.
// Where neither says, hours without minutes are those of a clock of 24 hours only if that shows itself; otherwise they
// are known from a late morning to an evening.
func spanOf(start, end moment, is24 bool) (s Span, ok bool) {
	other := map[kind]kind{am: pm, pm: am}
	switch {
	case start.half == "" && end.half != "" && !end.isWord && !(start.hour > 12):
		s.Start, _ = start.minutes(end.half, false)
		if s.End, _ = end.minutes(end.half, false); s.Start >= s.End {
			s.Start, _ = start.minutes(other[end.half], false)
		}
		ok = true
	case start.half != "" && end.half == "" && !is24 && !start.isWord || start.isWord && end.half == "" && !is24:
		s.Start, _ = start.minutes(start.half, false)
		if s.End, ok = end.minutes(start.half, false); s.End <= s.Start {
			s.End, ok = end.minutes(other[start.half], false)
		} else if start.half == am {
			ok = end.hour > 12 // 8am-11 may end in the morning or in the evening
		}
	case start.half == "" && end.half == "" && !is24 && (start.isBare || end.isBare):
		isDay := start.hour >= 10 && (end.hour >= 5 && end.hour < start.hour || end.hour == start.hour)
		s, ok = Span{start.hour*60 + start.minute, end.hour*60 + end.minute + 12*60}, isDay
	default:
		var isKnown bool
		s.Start, isKnown = start.minutes(start.half, is24)
		s.End, ok = end.minutes(end.half, is24)
		ok = ok && isKnown
	}
	if s.End <= s.Start {
		s.End += dayMinutes
	}
	if s.Start == 0 && s.End == dayMinutes-1 { // as schema.org has it
		s.End = dayMinutes
	}
	return s, ok
}
