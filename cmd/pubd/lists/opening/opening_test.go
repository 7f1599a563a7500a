package opening

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/hours"
)

// Texts, and what they are in OpenStreetMap's notation or, in parentheses, why they cannot be read.
func TestNotation(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Mo-Fr 12:00-23:00; PH off", "Mo-Fr 12:00-23:00; PH off"},
		{"Dec 24-26 off; Mo-Su 12:00-23:00", "Dec 24-26 off; Mo-Su 12:00-23:00"},
		{"Mo‑Su 11:00\u2009–\u200923:00", "Mo-Su 11:00 - 23:00"},
		{"Mo-Su 11:00 AM - 11:00 PM", "Mo-Su 11:00-23:00"},
		{"Mon-Sun: 5:00\u2009–\u200911:00\u202fPM", "Mo-Su 17:00-23:00"},
		{"5 - 11 PM", "Mo-Su 17:00-23:00"},
		{"11:00 – 2:30 PM", "Mo-Su 11:00-14:30"},
		{"12:00 – 10:00 PM", "Mo-Su 12:00-22:00"},
		{"10 - 1 AM", "Mo-Su 22:00-01:00"},
		{"5pm-11", "Mo-Su 17:00-23:00"},
		{"5-midnight", "Mo-Su 17:00-24:00"},
		{"11 - 12 AM", "Mo-Su 11:00-24:00"},
		{"8 - 12 AM", `(am or pm at "8 - 12")`},
		{"8am-11", `(am or pm at "8 am -")`},
		{"11-11", "Mo-Su 11:00-23:00"},
		{"Mon-Sat 11-11, Sun 12-10.30", "Mo-Sa 11:00-23:00; Su 12:00-22:30"},
		{"Fri-Sat 12-12", "Fr-Sa 12:00-24:00"},
		{"11am – 11pm (Mon – Sat) 12pm – 10.30pm (Sun)", "Mo-Sa 11:00-23:00; Su 12:00-22:30"},
		{"M-F: 3pm-2am; Sat-Sun: 11am-2am", "Mo-Fr 15:00-02:00; Sa-Su 11:00-02:00"},
		{"Closed Sundays", `(nothing but days that are closed at "Closed Sundays")`},
		{"10:00 - 22:00, Feiertage geschlossen", `(times without days at "10:00 - 22:00")`},
		{"5-11", `(am or pm at "5 - 11")`},
		{"Mo-Fr 5-11", `(am or pm at "5 - 11")`},
		{"12-2", `(am or pm at "12 - 2")`},
		{"Mo-Fr 9-12 und 14-18 Uhr", "Mo-Fr 09:00-12:00,14:00-18:00"},
		{"11:00-0", "Mo-Su 11:00-24:00"},
		{"noon to midnight", "Mo-Su 12:00-24:00"},
		{"12 noon - 12 midnight", "Mo-Su 12:00-24:00"},
		{"11a–11p", "Mo-Su 11:00-23:00"},
		{"Open 24 hours", "24/7"},
		{"24 hours a day, 7 days a week", "24/7"},
		{"Mon-Thu 5pm-late", "Mo-Th 17:00+"},
		{"Mo-Fr ab 17 Uhr, Sa ab 12", "Mo-Fr 17:00+; Sa 12:00+"},
		{"täglich 10–22 Uhr", "Mo-Su 10:00-22:00"},
		{"Mo-Fr 11-23 Uhr, Sa + So 10-24 Uhr", "Mo-Fr 11:00-23:00; Sa-Su 10:00-24:00"},
		{"Lun-Ven 12h-15h, 18h-22h30", "Mo-Fr 12:00-15:00,18:00-22:30"},
		{"Lundi-Samedi 6 a.m.-3 p.m., Dimanche 7 a.m.-3 p.m.", "Mo-Sa 06:00-15:00; Su 07:00-15:00"},
		{"Lun-ven 11 h 30 à 3 h", "Mo-Fr 11:30-03:00"},
		{"L-V de 9:00 a 23:00, S y D de 11:00 a 00:00", "Mo-Fr 09:00-23:00; Sa-Su 11:00-24:00"},
		{"lunes a viernes de 12 a 15h y de 19 a 23h", "Mo-Fr 12:00-15:00,19:00-23:00"},
		{"pondělí až pátek 11-23, sobota a neděle 12-24", "Mo-Fr 11:00-23:00; Sa-Su 12:00-24:00"},
		{"segunda-feira a sexta-feira 12h às 15h", "Mo-Fr 12:00-15:00"},
		{"ma t/m vr 16.00-01.00 uur, za en zo 12u-2u", "Mo-Fr 16:00-01:00; Sa-Su 12:00-02:00"},
		{"Weekdays 4pm-12am, Weekends 12pm-2am", "Mo-Fr 16:00-24:00; Sa-Su 12:00-02:00"},
		{"Daily 11am-11pm, Fri-Sat 11am-1am", "Mo-Th 11:00-23:00; Fr-Sa 11:00-01:00; Su 11:00-23:00"},
		{"9am-5pm Mon-Fri, 10am-2pm Sat", "Mo-Fr 09:00-17:00; Sa 10:00-14:00"},
		{"9-17 Mon-Fri, Sat 10-14", `(times without days at "9 - 17")`},
		{"Tue-Sun 5pm-11pm, closed Monday", "Mo off; Tu-Su 17:00-23:00"},
		{"Mon-Fri\n11:00-23:00\nSat/Sun\n12:00-24:00", "Mo-Fr 11:00-23:00; Sa-Su 12:00-24:00"},
		{"Mon: 11:00 – 23:00 | Tue: 11:00 – 23:00 | Bank holidays: Closed", "Mo-Tu 11:00-23:00; PH off"},
		{"Mon-Fri 11am-11pm (kitchen closes 9pm)", `(not understood at "( kitchen closes")`},
		{"Mon 11am-11pm, Mon 10pm-2am", `(two hours for a day at "Mo")`},
		{"Mon-Fri", "Mon-Fri"},
		{"Mon to Fri, ask", `(not understood at "ask")`},
		{"opens 11am", `(a time without an end at "11 am")`},
		{"by appointment", `(not understood at "by appointment")`},
		{`[{"name":"Monday","hours":"11-23"},{"name":"Tuesday","hours":"closed"}]`, "Mo 11:00-23:00; Tu off"},
		{`[{"open":[{"is_overnight":false,"start":"1700","end":"2300","day":0}],"hours_type":"REGULAR","is_open_now":true}]`, "Mo 17:00-23:00"},
		{`[{"label":"Mon","value":"5pm-11pm"},{"label":"Tue","value":"5pm-late"}]`, "Mo 17:00-23:00; Tu 17:00+"},
		{`[{"day":"Mon","isClosed":true}]`, `(nothing but days that are closed at "[{\"day\":\"Mon\",\"isClosed\":true}]")`},
		{`[{"day":0,"open":"11:00","close":"23:00"}]`, `(which day at "0")`},
		{`[{"day":"Mo","type":"kitchen","hours":"12-14 Uhr"},{"day":"Mo","type":"bar","hours":"12-24 Uhr"}]`, `(hours of several kinds at "bar, kitchen")`},
		{`[{"dayOfWeek":"Monday","opens":"00:00","closes":"00:00"}]`, `(closed or all day at "00:00 - 00:00")`},
		{`[{"dayOfWeek":"Monday","opens":"10:00","closes":"11:00","validFrom":"2026-12-24"}]`, `(hours of dates at "2026-12-24")`},
		{`[{"open":{"day":0,"time":"0000"}}]`, "24/7"},
		{`[{"days":"Mon–Thu","open":[{"renderedTime":"5:00 PM–11:00 PM"}]},{"days":"Fri","open":[{"renderedTime":"Noon–Midnight"}]}]`, "Mo-Th 17:00-23:00; Fr 12:00-24:00"},
		{`{"mondayOpen":"11:00","mondayClose":"23:00","tuesdayOpen":null}`, "Mo 11:00-23:00"},
		{`{'Monday': '11AM-10PM', 'Tuesday': None, 'Wednesday': 'Closed', 'kitchen': 'ask'}`, "Mo 11:00-22:00; We off"},
		{`[{"day":"Mon","isClosed":true},{"day":"Tue","open":"5pm","close":"11pm","isClosed":false},{"day":"Wed","hours":"ask"}]`, `Mo off; Tu 17:00-23:00; We unknown (not understood at "ask")`},
	} {
		got, err := NewReader().Notation(c.text)
		if err != nil {
			got = strings.TrimSpace(strings.TrimPrefix(got, c.text) + " (" + err.Error() + ")")
		}
		testkit.FailIf(t, got != c.want, "%s: got %s, want %s", c.text, got, c.want)
	}
}

// TestWeeks writes random weeks in each language and in each form of JSON: they are read as the same.
func TestWeeks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var weeks []testWeek
	for range 50 {
		weeks = append(weeks, randomWeek(rng))
	}
	forms := map[string]func(testWeek) string{}
	for n, l := range languages() {
		for _, isShort := range []bool{false, true} {
			words := l.namesOf(isShort)
			forms[fmt.Sprint("language ", n, ", short ", isShort)] = func(w testWeek) string { return w.text(words, rng.IntN(2) == 0) }
		}
	}
	forms["days with hours"] = func(w testWeek) string {
		return w.list(func(day int, spans []Span) string {
			return fmt.Sprintf(`{"day":%q,"hours":%q}`, longDays[day], hoursText(spans, true))
		})
	}
	forms["texts"] = func(w testWeek) string {
		return w.list(func(day int, spans []Span) string {
			return fmt.Sprintf("%q", longDays[day]+": "+hoursText(spans, false))
		})
	}
	forms["times"] = func(w testWeek) string {
		return w.each(func(day int, s Span) string {
			return fmt.Sprintf(`{"day":%q,"open":%q,"close":"%02d:%02d","isClosed":false}`, longDays[day], clock24(s.Start), s.End/60, s.End%60)
		})
	}
	forms["schema.org"] = func(w testWeek) string {
		return w.each(func(day int, s Span) string {
			return fmt.Sprintf(`{"@type":"OpeningHoursSpecification","dayOfWeek":["https://schema.org/%s"],"opens":"%s:00","closes":%q}`,
				longDays[day], clock24(s.Start), clock24(min(s.End, s.Start+dayMinutes-1)))
		})
	}
	forms["Google"] = func(w testWeek) string {
		return w.each(func(day int, s Span) string {
			return fmt.Sprintf(`{"open":{"day":%d,"time":%q},"close":{"day":%d,"time":%q}}`, (day+1)%7, strings.Replace(clock24(s.Start), ":", "", 1),
				(day+1+s.End/dayMinutes)%7, strings.Replace(clock24(s.End), ":", "", 1))
		})
	}
	forms["Google's places"] = func(w testWeek) string {
		return w.each(func(day int, s Span) string {
			return fmt.Sprintf(`{"open":{"day":%d,"hour":%d,"minute":%d},"close":{"day":%d,"hour":%d,"minute":%d}}`, (day+1)%7, s.Start/60, s.Start%60,
				(day+1+s.End/dayMinutes)%7, s.End/60%24, s.End%60)
		})
	}
	forms["Yelp"] = func(w testWeek) string {
		return w.each(func(day int, s Span) string {
			return fmt.Sprintf(`{"is_overnight":%t,"start":"%02d%02d","end":"%02d%02d","day":%d}`, s.End > dayMinutes, s.Start/60, s.Start%60, s.End/60, s.End%60, day)
		})
	}
	forms["Foursquare"] = func(w testWeek) string {
		return w.each(func(day int, s Span) string {
			return fmt.Sprintf(`{"close":"%02d%02d","day":%d,"open":"%02d%02d"}`, s.End/60, s.End%60, day+1, s.Start/60, s.Start%60)
		})
	}
	forms["members"] = func(w testWeek) string {
		var members []string
		for day, spans := range w {
			var pairs []string
			for _, s := range spans {
				pairs = append(pairs, fmt.Sprintf(`[%q,%q]`, clock24(s.Start), fmt.Sprintf("%02d:%02d", s.End/60, s.End%60)))
			}
			members = append(members, fmt.Sprintf(`%q:[%s]`, strings.ToLower(longDays[day][:3]), strings.Join(pairs, ",")))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for name, form := range forms {
		r := NewReader()
		var texts []string
		for _, w := range weeks {
			texts = append(texts, form(w))
			_, _ = r.Notation(texts[len(texts)-1])
		}
		r.Learnt()
		for i, w := range weeks {
			got, err := r.Notation(texts[i])
			read, unread := hours.Parse(got)
			wanted := testkit.Must(hours.Parse(w.notation()))(t)
			gotWeek := kindsOf(read)
			wantWeek := kindsOf(wanted)
			if err != nil || unread != nil || gotWeek != wantWeek {
				t.Errorf("%s: %s:\n got %s, %v\nwant %s", name, texts[i], got, err, w.notation())
				break
			}
		}
	}
}

var longDays = [7]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// A testWeek has the spans of each day.
type testWeek [7][]Span

// randomWeek returns a week with at least one day that is open.
func randomWeek(rng *rand.Rand) (w testWeek) {
	for day := range w {
		start := 30 * (rng.IntN(20) + 12)
		middle := start + 15*(1+rng.IntN(12))
		switch rng.IntN(6) {
		case 0:
		case 1:
			w[day] = []Span{{0, dayMinutes}}
		case 2:
			w[day] = []Span{{start, middle}, {middle + 30, middle + 30 + 15*(1+rng.IntN(30))}}
		default:
			w[day] = []Span{{start, start + 15*(4+rng.IntN(60))}}
		}
	}
	w[rng.IntN(7)] = []Span{{12 * 60, 23 * 60}}
	return w
}

func (w testWeek) notation() string {
	var rules []string
	for day, spans := range w {
		rules = append(rules, dayNames[day]+" "+hoursText(spans, false))
	}
	return strings.Join(rules, "; ")
}

func clock24(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60%24, minutes%60) }

// hoursText writes the spans of a day with 24 or 12 hours, of which the first half is left out where it is that of the end.
func hoursText(spans []Span, is12 bool) string {
	var texts []string
	for _, s := range spans {
		text := fmt.Sprintf("%02d:%02d-%02d:%02d", s.Start/60, s.Start%60, s.End/60, s.End%60)
		if is12 && s.End-s.Start < dayMinutes {
			clock := func(m int) string { return fmt.Sprintf("%d:%02d", (m/60+11)%12+1, m%60) }
			half := func(m int) string { return []string{"\u202fAM", "\u202fPM"}[m/60%24/12] }
			first := half(s.Start)
			if first == half(s.End) && s.End < dayMinutes {
				first = ""
			}
			text = clock(s.Start) + first + "\u2009–\u2009" + clock(s.End) + half(s.End)
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return "closed"
	}
	return strings.Join(texts, ", ")
}

// list writes a list with an element for each day.
func (w testWeek) list(element func(day int, spans []Span) string) string {
	var all []string
	for day, spans := range w {
		all = append(all, element(day, spans))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// each writes a list with an element for each span.
func (w testWeek) each(element func(day int, s Span) string) string {
	var all []string
	for day, spans := range w {
		for _, s := range spans {
			all = append(all, element(day, s))
		}
	}
	return "[" + strings.Join(all, ",") + "]"
}

// namesOf returns the longest or the shortest names of the days of a language, and behind them its words for closed, to and
// and.
func (l *language) namesOf(isShort bool) (names [10]string) {
	wanted := map[word]int{{closed, 0}: 7, {to, 0}: 8, {and, 0}: 9}
	for day := range 7 {
		wanted[word{days, 1 << day}] = day
	}
	for _, phrase := range slices.Sorted(maps.Keys(l.words)) {
		w := l.words[phrase]
		at, is := wanted[w]
		isEnglish := l != languages()[0] && languages()[0].words[phrase] == w
		better := len(phrase) > len(names[at]) == !isShort || names[at] == ""
		if is && !isEnglish && len(phrase) != len(names[at]) && better {
			names[at] = phrase
		}
	}
	return names
}

// text writes the week with the words of a language. Days that follow each other and have the same hours may be one rule.
func (w testWeek) text(words [10]string, joins bool) string {
	var rules []string
	for day := 0; day < 7; {
		last := day
		for joins && last < 6 && fmt.Sprint(w[last+1]) == fmt.Sprint(w[day]) {
			last++
		}
		rule := words[day]
		if last > day {
			rule += " " + words[8] + " " + words[last]
		}
		spans := strings.ReplaceAll(hoursText(w[day], false), "-", " "+words[8]+" ")
		spans = strings.ReplaceAll(spans, ", ", " "+words[9]+" ")
		rules = append(rules, rule+": "+strings.ReplaceAll(spans, "closed", words[7]))
		day = last + 1
	}
	return strings.Join(rules, []string{" | ", "\n", ", ", "; "}[len(rules)%4])
}

// kindsOf returns what the hours of each day of a week are.
func kindsOf(s hours.Schedule) (kinds string) {
	for day := range hours.Local(7) {
		kinds += fmt.Sprintln(s.Kind((4 + day) * 24 * 60))
	}
	return kinds
}
