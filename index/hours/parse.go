package hours

import (
	"fmt"
	"strings"
)

// MaxLength is the length in bytes of the longest value that is read.
const MaxLength = 1000

// Error says why a value cannot be read.
type Error struct {
	Reason string // one of a fixed few, such as "week numbers"
	At     string // what stands there, in lower case and cut to 20 bytes; empty at the end of the value
}

func (e *Error) Error() string { return fmt.Sprintf("%s at %q", e.Reason, e.At) }

// reasons are told by what stands where a value is no longer understood.
var reasons = []struct{ prefix, reason string }{
	{"sunrise", "sunrise and sunset"}, {"sunset", "sunrise and sunset"}, {"(", "sunrise and sunset"},
	{"dawn", "sunrise and sunset"}, {"dusk", "sunrise and sunset"},
	{"week", "week numbers"}, {"easter", "easter"}, {"[", "numbered weekdays"},
	{"am", "am and pm"}, {"pm", "am and pm"},
}

var (
	weekdayNames = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	monthNames   = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september",
		"october", "november", "december"}
	monthDays = [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	states    = map[string]State{"open": Open, "off": Closed, "closed": Closed, "unknown": Unknown}
	dashes    = strings.NewReplacer("–", "-", "—", "-")
)

// Parse reads a value. An error is an [*Error]. It takes some ten microseconds, at most some milliseconds.
func Parse(value string) (Schedule, error) {
	rules, err := parse(value)
	if err != nil {
		return nil, err
	}
	schedule, ok := rules.schedule()
	if !ok {
		return nil, &Error{Reason: fmt.Sprintf("more than %d intervals a day, or too many dates", MaxIntervals)}
	}
	return schedule, nil
}

// parse reads the rules of a value.
func parse(value string) (rules, error) {
	if len(value) > MaxLength {
		return nil, &Error{Reason: fmt.Sprintf("longer than %d bytes", MaxLength)}
	}
	p := parser{rest: strings.ToLower(dashes.Replace(value))}
	p.skip(0)
	var rules rules
	known := false           // a rule is not only of holidays
	var daily, fallback bool // of the rule before
	for separator := ";"; separator != ""; {
		rule, selects := p.rule()
		clears := len(rule.spans) == 0
		opens := !clears && rule.spans[0].State != Closed
		fallback = separator == "||" || separator == "," && fallback
		rule.fallback = fallback
		rule.replaces = clears && !fallback || opens && separator == ";" && (selects || daily)
		known, daily = known || rule.weekdays != 0, !selects
		rules = append(rules, rule)
		separator = p.separator()
	}
	if !known {
		p.reject("holidays only")
	}
	if p.fault != nil {
		return nil, p.fault
	}
	return rules, nil
}

// notUnderstood is the reason where none of the others applies.
const notUnderstood = "not understood"

func dateOf(month, day int) uint16 { return uint16(month*32 + day) }

// parser has the part of a value that is not read yet, in lower case and without blanks in front. After the first fault
// nothing is left.
type parser struct {
	rest  string
	fault *Error
}

func (p *parser) reject(reason string) {
	if p.fault != nil {
		return
	}
	if p.digits() == 4 {
		reason = "years"
	}
	for _, r := range reasons {
		if strings.HasPrefix(p.rest, r.prefix) {
			reason = r.reason
		}
	}
	p.fault = &Error{Reason: reason, At: p.rest[:min(len(p.rest), 20)]}
	p.rest = ""
}

func (p *parser) expect(ok bool) {
	if !ok {
		p.reject(notUnderstood)
	}
}

func (p *parser) skip(bytes int) { p.rest = strings.TrimLeft(p.rest[bytes:], " \t\r\n") }

func (p *parser) take(token string) bool {
	ok := strings.HasPrefix(p.rest, token)
	if ok {
		p.skip(len(token))
	}
	return ok
}

// word returns the letters in front.
func (p *parser) word() string {
	return p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, "abcdefghijklmnopqrstuvwxyz"))]
}

// digits returns the number of digits in front.
func (p *parser) digits() int { return len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789")) }

// name takes a name, of which at least the first letters are there, and returns its position.
func (p *parser) name(names []string, letters int) (position int, ok bool) {
	word := p.word()
	for i, name := range names {
		if len(word) >= letters && strings.HasPrefix(name, word) {
			p.skip(len(word))
			return i, true
		}
	}
	return 0, false
}

func (p *parser) weekday() (int, bool) { return p.name(weekdayNames, 2) }

// month takes a month; it is another one if none is named.
func (p *parser) month(other int) (month int, named bool) {
	if month, named = p.name(monthNames, 3); !named {
		month = other
	}
	return month, named
}

// number takes a number of one or two digits; of no digits if there is none.
func (p *parser) number() (n, digits int) {
	if digits = p.digits(); digits > 2 {
		return 0, 0
	}
	for i := range digits {
		n = n*10 + int(p.rest[i]-'0')
	}
	p.skip(digits)
	return n, digits
}

// rule reads a rule, and whether it selects days. A rule that clears its days has no spans.
func (p *parser) rule() (r rule, selects bool) {
	start := p.rest
	r.dates = p.dates()
	r.weekdays, selects = p.days()
	if r.weekdays == 0 { // "PH Mo" is never, as PH is
		p.days()
	}
	r.spans = p.times()
	timed := len(r.spans) > 0
	state, told := states[p.word()]
	if told {
		p.skip(len(p.word()))
	}
	comment := p.take(`"`)
	if end := strings.IndexByte(p.rest, '"'); comment && end >= 0 {
		p.skip(end + 1)
	} else if comment {
		p.reject("a comment without an end")
	}
	p.expect(p.rest != start)
	if timed && !told && !comment {
		state = Open
	}
	if !timed && state != Closed {
		r.spans = []Span{{End: dayMinutes}}
	}
	for i := range r.spans {
		span := &r.spans[i]
		span.OpenEnd = span.OpenEnd && state != Closed
		if !span.OpenEnd {
			span.State = state
		}
	}
	return r, selects || len(r.dates) > 0
}

// separator takes what parts a rule from the next one; empty at the end of the value.
func (p *parser) separator() string {
	switch {
	case p.take("||"):
		return "||"
	case p.take(","):
		p.expect(p.digits() == 0)
		return ","
	case p.take(";") && p.rest != "":
		return ";"
	}
	next := *p
	if _, isDay := next.weekday(); isDay || p.digits() > 0 {
		p.reject("no separator between rules")
	}
	p.expect(p.rest == "")
	return ""
}

func (p *parser) dates() (list []dates) {
	month, named := p.month(0)
	for more := named; more; {
		d := dates{dateOf(month, 1), dateOf(month, 31)}
		if day, ok := p.day(month); ok {
			d = dates{dateOf(month, day), dateOf(month, day)}
			if p.take("-") {
				month, _ = p.month(month)
				day, ok = p.day(month)
				p.expect(ok)
				d.last = dateOf(month, day)
			}
		} else if p.expect(named); p.take("-") {
			month, named = p.month(0)
			p.expect(named)
			d.last = dateOf(month, 31)
		}
		list = append(list, d)
		if more = p.take(","); more {
			month, named = p.month(month)
		}
	}
	p.take(":")
	return list
}

// day takes the number of a day of the month. A number before ":00" is a time.
func (p *parser) day(month int) (day int, ok bool) {
	before := *p
	day, digits := p.number()
	after := before.rest[digits:]
	isTime := len(after) > 1 && (after[0] == ':' || after[0] == '.') && after[1] >= '0' && after[1] <= '9'
	if day < 1 || day > monthDays[month] || isTime {
		*p = before
		return 0, false
	}
	return day, true
}

// days reads days, and whether there are any. Without any, all weekdays are meant.
func (p *parser) days() (weekdays uint8, ok bool) {
	for more := true; more; more = p.take(",") {
		first, isDay := p.weekday()
		switch last := first; {
		case isDay:
			if p.take("-") {
				last, isDay = p.weekday()
				p.expect(isDay)
			}
			for day := first; day != last; day = (day + 1) % 7 {
				weekdays |= 1 << day
			}
			weekdays |= 1 << last
		case p.take("ph"), p.take("sh"):
		case !ok:
			return 1<<7 - 1, false
		default:
			p.reject(notUnderstood)
		}
		ok = true
	}
	p.take(":")
	return weekdays, true
}

// times reads spans of times, without their states: those of open ends are Unknown.
func (p *parser) times() (spans []Span) {
	if p.take("24/7") {
		return []Span{{End: dayMinutes}}
	}
	for more := p.digits() > 0; more; {
		start, startBare := p.time()
		end, endBare := start, false
		if p.take("-") {
			if end, endBare = p.time(); end <= start {
				end += dayMinutes
			}
			spans = append(spans, Span{Start: start, End: end})
		} else if !strings.HasPrefix(p.rest, "+") {
			p.reject("a time without an end")
		}
		if p.take("+") {
			spans = append(spans, Span{Start: end, End: openEnd(end), OpenEnd: true})
		}
		if start >= dayMinutes || end > 2*dayMinutes || startBare != endBare {
			p.reject("not a time of day")
		}
		after := *p
		if more = after.take(",") && after.digits() > 0; more {
			*p = after
		}
	}
	return spans
}

// openEnd returns how long it is unknown what follows an open end: as long as the library opening_hours.js has it.
func openEnd(start int) int {
	switch {
	case start < 17*60:
		return dayMinutes
	case start < 22*60:
		return start + 10*60
	}
	return min(start+8*60, 2*dayMinutes)
}

// time reads a time in minutes; bare if it is an hour without minutes.
func (p *parser) time() (minutes int, bare bool) {
	hour, digits := p.number()
	p.expect(digits > 0)
	if !p.take(":") && !p.take(".") {
		return hour * 60, true
	}
	minute, digits := p.number()
	p.expect(digits == 2 && minute < 60)
	return hour*60 + minute, false
}
