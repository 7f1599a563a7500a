package opening

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/loader"
)

// IsJSON reports whether a value is a list or an object of JSON, rather than a text.
func IsJSON(text string) bool { return strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") }

// readJSON returns the week of a list of days or of periods, or of an object that has them.
func (r *Reader) readJSON(text string) (Week, *Error) {
	t := newTree(r)
	t.readJSON(text, 0)
	if t.err == nil && t.week.String() == "" {
		t.fail(notUnderstood, text, 0)
	}
	return t.week, t.err
}

// A tree collects the week of a JSON value.
type tree struct {
	*Reader
	week  Week
	kinds map[string]bool // of hours, as members say it, such as those of a kitchen
	err   *Error          // the first
}

func newTree(r *Reader) *tree { return &tree{Reader: r, kinds: map[string]bool{}} }

// fail notes that hours of some days are unknown.
func (t *tree) fail(reason, at string, on Days) {
	t.err = cmp.Or(t.err, &Error{Reason: reason, At: loader.Shorten(at)})
	for day := range t.week {
		t.week[day].IsUnknown = t.week[day].IsUnknown || on>>day&1 == 1
	}
}

// pythons has how Python writes what JSON writes otherwise.
var pythons = strings.NewReplacer("'", `"`, "None", "null", "True", "true", "False", "false")

// readJSON reads the JSON value of some days; none if it says which. Hours of several kinds are no hours.
func (t *tree) readJSON(text string, on Days) {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil && json.Unmarshal([]byte(pythons.Replace(text)), &value) != nil {
		t.fail(notUnderstood, text, on)
	}
	if t.walk(value, on); len(t.kinds) > 1 {
		t.week, t.err = Week{}, nil
		t.fail("hours of several kinds", strings.Join(slices.Sorted(maps.Keys(t.kinds)), ", "), on)
	}
}

// add adds the hours that a text says, of some days or of those that it says, too.
func (t *tree) add(text string, on Days) {
	if text == "" {
		return
	}
	week, err := t.text(text, cmp.Or(on, allDays))
	for day := range week {
		if week[day].IsTold && err == nil {
			err = t.week.add(1<<day, week[day].Spans, true)
		}
	}
	if err != nil {
		t.fail(err.Reason, cmp.Or(err.At, text), on)
	}
}

// walk reads a value that is about some days; about none if it says itself.
func (t *tree) walk(value any, on Days) {
	switch v := value.(type) {
	case []any:
		if len(v) == 2 && on != 0 && IsTime(Scalar(v[0])) && IsTime(Scalar(v[1])) {
			t.add(Scalar(v[0])+"-"+Scalar(v[1]), on)
			return
		}
		for _, inner := range v {
			t.walk(inner, on)
		}
	case map[string]any:
		if open, isPeriod := v["open"].(map[string]any); isPeriod && open["day"] != nil {
			t.period(open, v["close"])
		} else {
			t.object(v, on)
		}
	case string, float64:
		t.add(Scalar(v), on)
	}
}

// A member is the meaning of a member's name.
type member struct {
	role                  Role
	isDay, isKind, isDate bool
	shut                  string // open or closed, if it says whether
}

// What the names of members say, besides the words of hours.
var (
	isDay  = regexp.MustCompile(`^(?:days?|dayofweek|dayname|weekdays?|dow|wochentag|tag|jours?|dias?|giorno|den|dzien|name)$`)
	isKind = regexp.MustCompile(`^(?:name|type|kind|category|label|service|hourstype|title)$`)
	isDate = regexp.MustCompile(`^(?:valid(?:from|through)|date|startdate|enddate|specialdays?)$`)
	isShut = regexp.MustCompile(`^(?:is)?(open|closed)$`)
)

func (r *Reader) member(name string) member {
	m, known := r.members[name]
	if !known {
		plain := loader.PlainName(name)
		m = member{Roles([]string{name})[0], isDay.MatchString(plain), isKind.MatchString(plain), isDate.MatchString(plain), ""}
		if shut := isShut.FindStringSubmatch(plain); shut != nil {
			m.shut = shut[1]
		}
		if len(r.members) < maxKept {
			r.members[name] = m
		}
	}
	return m
}

func (t *tree) object(v map[string]any, on Days) {
	opens, closes := map[Days]string{}, map[Days]string{} // by the days that names say; none if they say none
	var inner []string                                    // members that have hours
	for _, name := range slices.Sorted(maps.Keys(v)) {
		m, text := t.member(name), Scalar(v[name])
		is, isBool := v[name].(bool)
		switch {
		case v[name] == nil:
		case m.isDay, m.isKind && text != "":
			if named := t.daysOf(v[name], v["is_overnight"] != nil); named != 0 {
				on = named
			} else if m.isKind && !m.isDay {
				t.kinds[text] = true
			} else if !m.isKind {
				t.fail("which day", fmt.Sprint(v[name]), 0)
				return
			}
		case m.isDate && text != "":
			t.fail("hours of dates", text, 0)
			return
		case isBool && m.shut != "" && is == (m.shut == "closed"):
			opens[0], v = "closed", nil
			clear(closes)
		case m.role.Opens && text != "":
			opens[m.role.Days] = cmp.Or(opens[m.role.Days], text)
		case m.role.Closes && text != "":
			closes[m.role.Days] = text
		case m.role != Role{}:
			inner = append(inner, name)
		}
	}
	for _, name := range inner {
		t.walk(v[name], cmp.Or(t.member(name).role.Days, on))
	}
	for _, day := range slices.Sorted(maps.Keys(opens)) {
		text := opens[day]
		if closes[day] != "" {
			text += "-" + closes[day]
		}
		if day|on != 0 || text != "closed" {
			t.add(text, cmp.Or(day, on))
		}
	}
}

// period reads a period as Google has them: from a day and time to a day and time, of which 0 is Sunday. One without an
// end is open for ever.
func (t *tree) period(open map[string]any, closes any) {
	moment := func(v map[string]any) (day, minutes int, ok bool) {
		number, ok := v["day"].(float64)
		text := Scalar(v["time"])
		if hour := Scalar(v["hour"]); text == "" && hour != "" {
			minute, _ := v["minute"].(float64)
			text = fmt.Sprintf("%s:%02.0f", hour, minute)
		}
		p := &parser{language: languages()[0], rest: tokensOf(text)}
		m, isTime := p.clock()
		return (int(number) + 6) % 7, m.hour*60 + m.minute, ok && isTime && number >= 0 && number < 7
	}
	day, start, ok := moment(open)
	end, isPeriod := closes.(map[string]any)
	if ok && !isPeriod && start == 0 {
		t.add("24/7", allDays)
		return
	}
	endDay, minutes, also := moment(end)
	minutes += (endDay - day + 7) % 7 * dayMinutes
	if !ok || !also || minutes <= start || minutes > 2*dayMinutes {
		t.fail("a period", fmt.Sprint(open, closes), 0)
	} else if err := t.week.add(1<<day, []Span{{start, minutes}}, true); err != nil {
		t.fail(err.Reason, err.At, 1<<day)
	}
}

// daysOf returns the days that a member names: by words, by links such as https://schema.org/Monday, or by numbers, from
// 1 for Monday; isFromZero is set if they are from 0 for Monday. Once 0 may be Monday or Sunday, and for what is no day, it
// returns none.
func (t *tree) daysOf(value any, isFromZero bool) (all Days) {
	if list, isList := value.([]any); isList {
		for _, inner := range list {
			day := t.daysOf(inner, isFromZero)
			if all |= day; day == 0 {
				return 0
			}
		}
		return all
	}
	text := Scalar(value)
	text = text[strings.LastIndexAny(text, "/#")+1:]
	if number, err := strconv.Atoi(text); err == nil {
		if isFromZero {
			number++
		}
		t.isFromZero = t.isFromZero || number == 0
		if number >= 1 && number <= 7 && !t.isFromZero {
			return 1 << (number - 1)
		}
	}
	if named, known := t.named[text]; known {
		return named
	}
	for _, l := range t.languages {
		p := &parser{language: l, rest: tokensOf(text)}
		if named := p.days(); named != 0 && len(p.rest) == 0 && p.err == nil {
			all = named
			break
		}
	}
	if len(t.named) < maxKept {
		t.named[text] = all
	}
	return all
}

var (
	// timeOnly matches a time that may have a date before it, and seconds with a time zone behind it.
	timeOnly = regexp.MustCompile(`^(?:\d{4}-\d\d-\d\d[T ])?(\d\d?:\d\d)(?::\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?$`)
	isShare  = regexp.MustCompile(`^0?\.\d+$`)
)

// Scalar returns a value of a cell or a member as text: a time without its date and time zone, or which is a share of a
// day, as hours and minutes. It is empty for lists and objects.
func Scalar(value any) string {
	text := ""
	switch v := value.(type) {
	case string:
		text = strings.TrimSpace(v)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	if m := timeOnly.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if share, err := strconv.ParseFloat(text, 64); err == nil && isShare.MatchString(text) {
		minutes := int(math.Round(share * dayMinutes))
		return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
	}
	return text
}

// IsTime reports whether a text is one time, with the words of any language.
func IsTime(text string) bool {
	const longest = 24
	if len(text) > longest {
		return false
	}
	return slices.ContainsFunc(languages(), func(l *language) bool {
		p := &parser{language: l, rest: tokensOf(text)}
		_, ok := p.clock()
		return ok && len(p.rest) == 0
	})
}
