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
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/index/hours"
	"pubd/loader"
)

const dayMinutes = 24 * 60

// Error says why opening hours cannot be read.
type Error struct {
	Reason string // one of a fixed few, such as "am or pm"
	At     string // what stands there
	left   int    // tokens that are not read
}

func (e *Error) Error() string { return fmt.Sprintf("%s at %q", e.Reason, e.At) }

// notUnderstood is the reason where none of the others applies.
const notUnderstood = "not understood"

// A Reader reads the opening hours of a list. It is used by one goroutine.
type Reader struct {
	languages []*language       // that of most texts first
	uses      map[*language]int // how many texts were in each; nil once that is learnt
	weeks     map[string]read   // by text and days
	members   map[string]member // by their names
	named     map[string]Days   // by their names
	// isFromZero is set once days had the number 0.
	isFromZero bool
}

type read struct {
	week Week
	err  *Error
}

// maxKept is how many texts and names a reader keeps: they repeat.
const maxKept = 10_000

// NewReader returns a reader. What may be in several languages is read in the one of most texts that are read before
// [Reader.Learnt] is called.
func NewReader() *Reader {
	return &Reader{languages: slices.Clone(languages()), uses: map[*language]int{}, weeks: map[string]read{},
		members: map[string]member{}, named: map[string]Days{}}
}

// Learnt ends the learning of languages.
func (r *Reader) Learnt() {
	slices.SortStableFunc(r.languages, func(a, b *language) int { return r.uses[b] - r.uses[a] })
	r.uses = nil
	clear(r.weeks)
	clear(r.named)
}

// bareHours matches hours without minutes that OpenStreetMap's notation takes for those of a clock of 24 hours.
var bareHours = regexp.MustCompile(`(?:^|[ ,;])(?:1[0-2]|[1-9])\s*[-–—]\s*(?:1[0-2]|[1-9])(?:$|[ ,;])`)

// Notation returns opening hours in OpenStreetMap's notation, those that are in it already as they are, but for odd blanks
// and dashes. With an error, it returns what is known of a JSON value, or a text as it is, unless that would be misread.
func (r *Reader) Notation(value string) (string, *Error) {
	other, rest := &hours.Error{}, value
	for _, text := range []string{value, ""} {
		if text == "" {
			text = strings.Join(strings.Fields(signs.Replace(value)), " ")
		}
		_, err := hours.Parse(text)
		if err == nil && !bareHours.MatchString(text) {
			return text, nil
		}
		if !errors.As(err, &other) {
			rest = "" // which would be misread
		}
	}
	var week Week
	var err *Error
	if !IsJSON(value) {
		week, err = r.text(value, allDays)
	} else if week, err = r.readJSON(value); week.says() {
		rest = week.String()
	} else {
		rest = ""
	}
	switch {
	case err == nil && week.says():
		return week.String(), nil
	case err == nil:
		err = &Error{Reason: "nothing but days that are closed", At: loader.Shorten(value)}
	case err.Reason == notUnderstood && !slices.Contains([]string{"", "am and pm"}, other.Reason) && !IsJSON(value) && !strings.HasPrefix(err.At, "("):
		err = &Error{Reason: other.Reason, At: err.At} // which knows what is hard to read, such as sunsets
	}
	return rest, err
}

// Days returns the hours of each day, of which those that are empty or cannot be read are unknown. The error is about the
// first of the latter.
func (r *Reader) Days(texts [7]string) (string, *Error) {
	t := newTree(r)
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
	if known, found := r.weeks[key]; found {
		return known.week, known.err
	}
	if len(value) > hours.MaxLength {
		return Week{}, &Error{Reason: "too long", At: loader.Shorten(value)}
	}
	tokens := tokensOf(value)
	best := read{err: &Error{Reason: notUnderstood, At: value, left: len(tokens) + 1}}
	for _, l := range r.languages {
		week, err := l.week(tokens, on)
		if best.err != nil && (err == nil || err.left < best.err.left) {
			best = read{week, err}
		}
		if err == nil && r.uses == nil {
			break
		} else if err == nil {
			r.uses[l]++
		}
	}
	if len(r.weeks) < maxKept {
		r.weeks[strings.Clone(key)] = best
	}
	return best.week, best.err
}

// A parser has the tokens of a text that are not read yet, and the week that the others say. After the first error
// nothing is left.
type parser struct {
	*language
	rest []string
	is24 bool // the text shows that its clock has 24 hours
	said Week
	err  *Error
}

func (p *parser) fail(reason string, at []string) {
	if p.err == nil {
		p.err = &Error{reason, strings.Join(at[:min(len(at), 3)], " "), len(p.rest)}
	}
	p.rest = nil
}

func (p *parser) add(on Days, spans []Span) {
	if err := p.said.add(on, spans, false); err != nil {
		p.fail(err.Reason, []string{err.At})
	}
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

// skip takes all words of some kinds that stand in front.
func (p *parser) skip(kinds ...kind) {
	for found := true; found; {
		_, found = p.take(kinds...)
	}
}

// week reads a week: days before or behind their times, without days those of on.
func (l *language) week(tokens []string, on Days) (Week, *Error) {
	p := &parser{language: l, rest: tokens}
	for _, t := range tokens {
		m := timeOfDay.FindStringSubmatch(t)
		p.is24 = p.is24 || l.words[t].kind == unit || m != nil && (m[1] == "0" || len(m[1]) == 2 && (m[1] > "12" || m[1] < "10") || m[3] != "")
	}
	var told, waiting Days // the days of the times before, and those whose times are to come
	var times []Span       // whose days are to come; empty but not nil if that is closed
	isFrom, isAny := false, false
	for len(p.rest) > 0 {
		begins := p.rest
		if w, found := p.take(and, from, opens, noun); found {
			isFrom = isFrom && w.kind != and || w.kind == from
			continue
		}
		if chosen := p.days(); chosen != 0 {
			switch {
			case waiting != 0:
				p.fail("days without times", begins)
			case times != nil:
				p.add(chosen, times)
				times, isAny = nil, true
			default:
				waiting = chosen
			}
			told, isFrom = 0, false
			continue
		}
		spans := p.times(isFrom)
		isFrom = false
		switch {
		case waiting != 0:
			p.add(waiting, spans)
			told, waiting, isAny = waiting, 0, true
		case told != 0 && len(spans) > 0:
			p.add(told, spans)
		case times == nil:
			times, told = spans, 0
		case len(times) == 0 || len(spans) == 0:
			p.fail("times without days", begins)
		default:
			times = append(times, spans...)
		}
	}
	switch {
	case p.err != nil:
	case waiting != 0:
		p.fail("days without times", tokens)
	case times != nil && !isAny:
		p.add(on, times)
	case times != nil || !isAny:
		p.fail("times without days", tokens)
	}
	if p.err != nil {
		return Week{}, p.err
	}
	return p.said, nil
}

// days reads days, with what stands between them; none if there are none.
func (p *parser) days() (all Days) {
	for {
		begins := p.rest
		w, found := p.take(days)
		if !found {
			return all
		}
		first, ahead := w.days, *p
		if _, isRange := ahead.take(to); isRange {
			ahead.skip(from)
			if last, named := ahead.take(days); named {
				if *p = ahead; !first.single() || !last.days.single() {
					p.fail("days without times", begins)
					return 0
				}
				first = first.through(last.days)
			}
		}
		all, ahead = all|first, *p
		ahead.skip(and, from)
		if w, n := ahead.find(ahead.rest); n > 0 && w.kind == days {
			*p = ahead
		}
	}
}

// times reads a span, or that it is closed, which is no span. After a word such as "from", the end may lack.
func (p *parser) times(isFrom bool) []Span {
	if _, is := p.take(closed); is {
		return []Span{}
	}
	if _, is := p.take(always); is {
		return []Span{{0, dayMinutes}}
	}
	begins := p.rest
	start, isTime := p.clock()
	_, isRange := p.take(to)
	p.skip(to, from)
	_, isLate := p.take(late, closes)
	reason := ""
	if isTime && (isLate || isFrom && !isRange) {
		minutes, isSure := start.minutes(start.half, p.is24)
		if !isSure {
			p.fail("am or pm", begins)
		}
		return []Span{{minutes, -1}}
	}
	end, isEnd := p.clock()
	span, isSure := spanOf(start, end, p.is24)
	switch {
	case !isTime:
		reason = notUnderstood
	case !isRange || !isEnd:
		reason = "a time without an end"
	case !isSure:
		reason = "am or pm"
	case span.Start >= dayMinutes || span.End > 2*dayMinutes:
		reason = "not a time of day"
	case start == end && span.Start == 0:
		reason = "closed or all day"
	}
	if reason != "" {
		p.fail(reason, begins)
	}
	if _, isLate = p.take(late); isLate {
		return []Span{span, {span.End, -1}}
	}
	return []Span{span}
}

// A moment is a time as it is written.
type moment struct {
	hour, minute int
	half         kind // am, pm, or empty if it is not said
	isBare       bool // it has no minutes
}

// timeOfDay matches a time: its hour, and its minutes behind a sign or without one.
var timeOfDay = regexp.MustCompile(`^(\d{1,2})(?:[:.h](\d\d|0)|(\d\d))?(?::\d\d)?$`)

// clock reads a time; ok is false if there is none.
func (p *parser) clock() (m moment, ok bool) {
	if len(p.rest) > 0 {
		if t := timeOfDay.FindStringSubmatch(p.rest[0]); t != nil {
			m.hour, _ = strconv.Atoi(t[1])
			m.minute, _ = strconv.Atoi(t[2] + t[3])
			m.isBare, ok = t[2]+t[3] == "", m.hour <= 48 && m.minute < 60
			p.rest = p.rest[1:]
			p.skip(unit)
		}
	}
	if w, found := p.take(noon, midnight, am, pm); found {
		switch m.half = w.kind; w.kind {
		case noon:
			m, ok = moment{hour: 12, half: pm}, true
		case midnight:
			m, ok = moment{hour: 12, half: am}, true
		}
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
	case in == pm:
		return minutes%(12*60) + 12*60, true
	}
	return minutes % (12 * 60), in == am
}

// spanOf returns the span between two times; ok is false if it is not known in which halves of the day they are. A start
// that does not say has the half of the end, unless that runs backwards or the end is midnight; an end is the next such
// time after the start, unless both are in the morning. Where neither says, hours without minutes are those of a clock of
// 24 hours only if that shows itself; otherwise they are known from a late morning to an evening.
func spanOf(start, end moment, is24 bool) (s Span, ok bool) {
	other := map[kind]kind{am: pm, pm: am}
	startHalf, endHalf := start.half, end.half
	isLate := start.hour >= 10 && start.hour < 12
	switch {
	case startHalf == "" && endHalf != "":
		startHalf, ok = endHalf, true
		before, _ := start.minutes(startHalf, false)
		after, _ := end.minutes(endHalf, false)
		if isMidnight := after == 0; isMidnight {
			ok = isLate || start.hour < 8 || start.hour >= 12
		}
		if before >= after && !(after == 0 && isLate) {
			startHalf = other[startHalf]
		}
	case startHalf != "" && endHalf == "" && !is24:
		before, _ := start.minutes(startHalf, false)
		after, _ := end.minutes(startHalf, false)
		if endHalf, ok = startHalf, startHalf == pm || end.hour > 12; after <= before {
			endHalf, ok = other[startHalf], true
		}
	case startHalf == "" && !is24 && (start.isBare || end.isBare):
		startHalf, endHalf = am, pm
		if start.hour == 12 {
			startHalf = pm
		}
		if end.hour == 12 {
			endHalf = am
		}
		ok = start.hour >= 10 && (end.hour >= 5 && end.hour < start.hour || end.hour == start.hour)
	default:
		ok = true
	}
	var isStart, isEnd bool
	s.Start, isStart = start.minutes(startHalf, is24)
	s.End, isEnd = end.minutes(endHalf, is24)
	if s.End <= s.Start {
		s.End += dayMinutes
	}
	if s.Start == 0 && s.End == dayMinutes-1 { // as schema.org has it
		s.End = dayMinutes
	}
	return s, ok && isStart && isEnd
}
