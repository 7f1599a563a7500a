package hours

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
)

// 2026-11-23 is a Monday.
var cases = []struct {
	value, at string
	state     State
	closes    string
}{
	{"Mo-Fr 12:00-23:00", "2026-11-27T12:00", Open, "2026-11-27T23:00"},
	{"Mo-Fr 12:00-23:00", "2026-11-27T23:00", Closed, ""},
	{"Mo-Fr 12:00-23:00", "2026-11-28T13:00", Closed, ""},
	{"12:00-24:00", "2026-11-27T23:59", Open, "2026-11-28T00:00"},
	{"00:00-24:00", "2026-11-29T23:59", Open, ""},
	{"24/7", "2026-11-29T23:59", Open, ""},
	{"24/7; Su off", "2026-11-27T12:00", Open, "2026-11-29T00:00"},
	{"open", "2026-11-29T23:59", Open, ""},
	{"Fr-Mo 12:00-23:00", "2026-11-23T12:00", Open, "2026-11-23T23:00"},
	{"Fr-Mo 12:00-23:00", "2026-11-24T12:00", Closed, ""},

	// Over midnight, also that of the week, and with later rules for the next day.
	{"Fr-Sa 12:00-02:00", "2026-11-28T20:00", Open, "2026-11-29T02:00"},
	{"Fr-Sa 12:00-02:00", "2026-11-29T01:59", Open, "2026-11-29T02:00"},
	{"Fr-Sa 12:00-26:00", "2026-11-29T02:00", Closed, ""},
	{"Su 20:00-05:00", "2026-11-30T04:00", Open, "2026-11-30T05:00"},
	{"Sa 12:00-48:00", "2026-11-29T23:59", Open, "2026-11-30T00:00"},
	{"Fr-Sa 12:00-02:00; Mo-Th,Su 12:00-00:00", "2026-11-28T20:00", Open, "2026-11-29T02:00"},
	{"Fr-Sa 12:00-02:00; Mo-Th,Su 12:00-00:00", "2026-11-29T00:30", Open, "2026-11-29T02:00"},
	{"Sa 12:00-02:00; Su off", "2026-11-29T00:30", Open, "2026-11-29T02:00"},
	{"Mo-Su 12:00-02:00; Mo 12:00-20:00", "2026-11-24T00:30", Closed, ""},

	// Several spans and rules.
	{"12:00-14:30,17:00-23:00", "2026-11-27T15:00", Closed, ""},
	{"12:00-14:30, 17:00-23:00", "2026-11-27T18:00", Open, "2026-11-27T23:00"},
	{"12:00-14:30,14:30-16:00", "2026-11-27T12:00", Open, "2026-11-27T16:00"},
	{"Mo-Fr 10:00-12:00; We 15:00-18:00", "2026-11-25T11:00", Closed, ""},
	{"Mo-Fr 10:00-12:00, We 15:00-18:00", "2026-11-25T11:00", Open, "2026-11-25T12:00"},
	{"10:00-12:00; 15:00-18:00", "2026-11-25T11:00", Closed, ""},
	{"We 10:00-12:00; 15:00-18:00", "2026-11-25T11:00", Open, "2026-11-25T12:00"},
	{"10:00-20:00; We off", "2026-11-25T11:00", Closed, ""},
	{"10:00-20:00, We closed", "2026-11-25T11:00", Closed, ""},
	{"10:00-20:00; We 12:00-13:00 off", "2026-11-25T11:00", Open, "2026-11-25T12:00"},
	{"10:00-20:00; We 12:00-13:00 off", "2026-11-25T13:00", Open, "2026-11-25T20:00"},
	{"We 10:00-12:00 || We 11:00-14:00 unknown", "2026-11-25T11:00", Open, "2026-11-25T12:00"},
	{"We 10:00-12:00 unknown || We 13:00-14:00, We 11:00-15:00", "2026-11-25T11:00", Unknown, ""},
	{"We 10:00-12:00 || \"ask\"", "2026-11-25T13:00", Unknown, ""},
	{"off", "2026-11-25T13:00", Closed, ""},

	// What is not known.
	{"We 17:00+", "2026-11-25T16:59", Closed, ""},
	{"We 17:00+", "2026-11-25T17:00", Unknown, ""},
	{"We 17:00+", "2026-11-26T02:59", Unknown, ""},
	{"We 17:00+", "2026-11-26T03:00", Closed, ""},
	{"We 12:00+", "2026-11-26T00:00", Closed, ""},
	{"We 14:00-23:00+", "2026-11-25T20:00", Open, "2026-11-25T23:00"},
	{"We 14:00-23:00+", "2026-11-26T06:59", Unknown, ""},
	{"We 14:00-23:00+", "2026-11-26T07:00", Closed, ""},
	{"We 12:00-14:00+,18:00-22:00", "2026-11-25T19:00", Open, "2026-11-25T22:00"},
	{"We 12:00-14:00+,18:00-22:00", "2026-11-25T23:00", Closed, ""},
	{"We 12:00-20:00 \"perhaps\"", "2026-11-25T19:00", Unknown, ""},
	{"We 12:00-20:00 open \"Kitchen\"", "2026-11-25T19:00", Open, "2026-11-25T20:00"},
	{"We 12:00-20:00, We 14:00-15:00 unknown", "2026-11-25T13:00", Open, "2026-11-25T14:00"},
	{"We 20:00-04:00, Th 02:00-06:00 unknown", "2026-11-26T03:00", Open, "2026-11-26T04:00"},
	{"We 20:00-04:00 unknown, Th 02:00-06:00", "2026-11-26T03:00", Open, "2026-11-26T06:00"},
	{"We 20:00+; Th 02:00-03:00 off", "2026-11-26T02:30", Unknown, ""},
	{"\"ask\"", "2026-11-25T19:00", Unknown, ""},
	{"Mo-Fr", "2026-11-25T19:00", Unknown, ""},
	{"Mo-Fr", "2026-11-28T19:00", Closed, ""},

	// Holidays are never.
	{"Mo-Fr 12:00-20:00; PH 10:00-22:00", "2026-11-25T21:00", Closed, ""},
	{"Mo-Fr 12:00-20:00; PH off", "2026-11-25T19:00", Open, "2026-11-25T20:00"},
	{"PH,Mo,Tu 12:00-20:00", "2026-11-24T12:00", Open, "2026-11-24T20:00"},
	{"Mo 12:00-20:00; PH We 12:00-20:00", "2026-11-25T12:00", Closed, ""},
	{"12:00-14:00; SH off; 16:00-18:00", "2026-11-25T13:00", Open, "2026-11-25T14:00"},

	// Months and dates.
	{"Apr-Oct 12:00-20:00", "2026-11-01T12:00", Closed, ""},
	{"Apr-Oct 12:00-20:00", "2026-10-31T12:00", Open, "2026-10-31T20:00"},
	{"Oct-Apr: 12:00-20:00", "2026-01-01T12:00", Open, "2026-01-01T20:00"},
	{"Jun,Aug Fr 12:00-20:00", "2026-08-28T12:00", Open, "2026-08-28T20:00"},
	{"12:00-20:00; Dec 24,26 off", "2026-12-25T12:00", Open, "2026-12-25T20:00"},
	{"12:00-20:00; Dec 24,Dec 26 off", "2026-12-26T12:00", Closed, ""},
	{"12:00-20:00; Dec 24-Jan 2 off", "2027-01-02T12:00", Closed, ""},
	{"12:00-20:00; Aug 10-15,20 off", "2026-08-20T12:00", Closed, ""},
	{"Dec 31 20:00-04:00", "2027-01-01T03:00", Open, "2027-01-01T04:00"},
	{"24/7; Dec 2 off", "2026-11-24T00:00", Open, "2026-12-02T00:00"},
	{"24/7; Dec 2 off", "2026-11-23T23:59", Open, ""},
	{"Feb 29 12:00-20:00", "2028-02-29T12:00", Open, "2028-02-29T20:00"},

	// Written otherwise.
	{" monday – thurs  12.00 — 23.00 ; ", "2026-11-26T12:00", Open, "2026-11-26T23:00"},
	{"MO,WE:9-17;", "2026-11-25T09:00", Open, "2026-11-25T17:00"},
	{"Dec 24: 16:00-23:00", "2026-12-24T16:00", Open, "2026-12-24T23:00"},
	{"December 24 : 16 - 23", "2026-12-24T16:00", Open, "2026-12-24T23:00"},
}

func TestStates(t *testing.T) {
	for _, c := range cases {
		_, err := Parse(c.value)
		testkit.FailIf(t, err != nil, "%q: %v", c.value, err)
		if got, want := ask(t, c.value, local(t, c.at)), (verdict{c.state, c.closes}); got != want {
			t.Errorf("%q at %s: %v, want %v", c.value, c.at, got, want)
		}
	}
}

// What is not understood has an error.
func TestParseFaults(t *testing.T) {
	for value, want := range map[string]Error{
		"":                               {"not understood", ""},
		"late":                           {"not understood", "late"},
		"Mo-Fr 12:00-late":               {"not understood", "late"},
		"Mo-Fr 12:00-20:00,":             {"not understood", ""},
		"Mo-Fr 12:00-20:00 ||":           {"not understood", ""},
		"12:00-20:00 open, 21:00+":       {"not understood", "21:00+"},
		"12:00-20":                       {"not a time of day", ""},
		"12+":                            {"not a time of day", ""},
		"24:00-26:00":                    {"not a time of day", ""},
		"20:00-48:01":                    {"not a time of day", ""},
		"12:60-20:00":                    {"not understood", "-20:00"},
		"12:5-20:00":                     {"not understood", "-20:00"},
		"Mo 12:00":                       {"a time without an end", ""},
		"5PM-10pm":                       {"am and pm", "pm-10pm"},
		"Mo 12:00-20:00 Tu off":          {"no separator between rules", "tu off"},
		"Mo 12:00-14:00 16:00-20:00":     {"no separator between rules", "16:00-20:00"},
		"10:00-sunset":                   {"sunrise and sunset", "sunset"},
		"(sunrise+01:00)-20:00":          {"sunrise and sunset", "(sunrise+01:00)-20:0"},
		"week 1-10 12:00-20:00":          {"week numbers", "week 1-10 12:00-20:0"},
		"12:00-20:00; easter off":        {"easter", "easter off"},
		"Su[-1] 12:00-20:00":             {"numbered weekdays", "[-1] 12:00-20:00"},
		"2026 Dec 24 off":                {"years", "2026 dec 24 off"},
		"Dec 24 2026 off":                {"years", "2026 off"},
		"12:00-20:00; Dec 24-Nov 31 off": {"not understood", "31 off"},
		"Dec 24-Jan off":                 {"not understood", "off"},
		"PH off":                         {"holidays only", ""},
		"\"ask":                          {"a comment without an end", "ask"},
		strings.Repeat(" ", 999) + "off": {"longer than 1000 bytes", ""},
		minutely(MaxIntervals + 1):       {"more than 21 intervals a day, or too many dates", ""},
		"Dec 25 off; Mo " + minutely(22): {"more than 21 intervals a day, or too many dates", ""},
		everyOther("12:00-20:00"):        {"more than 21 intervals a day, or too many dates", ""},
	} {
		var got *Error
		_, err := Parse(value)
		testkit.FailIf(t, !errors.As(err, &got) || *got != want, "%q: %v, want %v", value, err, &want)
	}
}

// minutely returns hours of a number of intervals a day.
func minutely(intervals int) string {
	var spans []string
	for i := range intervals {
		spans = append(spans, fmt.Sprintf("%d:%02d-%d:%02d", i/2, i%2*30, i/2, i%2*30+1))
	}
	return strings.Join(spans, ",")
}

// everyOther returns hours of every other day of some months.
func everyOther(span string) string {
	days := ""
	for day := 1; day < 28; day += 2 {
		days += fmt.Sprint(",", day)
	}
	return "Jan " + days[1:] + ",Mar " + days[1:] + ",May " + days[1:] + ",Jul " + days[1:] + " " + span
}

func TestOpens(t *testing.T) {
	for _, c := range []struct{ value, at, want string }{
		{"Fr 12:00-02:00", "2026-11-28T02:00", "2026-12-04T12:00"},
		{"Fr 12:00-02:00", "2026-11-28T01:00", ""},
		{"Mo 00:00-02:00", "2026-11-29T12:00", "2026-11-30T00:00"},
		{"We 12:00-14:00 unknown, We 18:00-20:00", "2026-11-25T13:00", "2026-11-25T18:00"},
		{"Dec 24 16:00-20:00", "2026-12-16T16:00", "2026-12-24T16:00"},
		{"Dec 24 16:00-20:00", "2026-12-16T15:59", ""},
		{"off", "2026-11-25T13:00", ""},
	} {
		s, _ := Parse(c.value)
		want := Local(0)
		if c.want != "" {
			want = local(t, c.want)
		}
		got, ok := Calendar(s.Kind).Opens(local(t, c.at))
		testkit.FailIf(t, ok != (c.want != "") || ok && got != want,
			"%q at %s: %d, %v, want %d", c.value, c.at, got, ok, want)
	}
}

// Of a Wednesday.
func TestDay(t *testing.T) {
	for _, c := range []struct {
		value string
		want  []Span
	}{
		{"Tu-We 20:00-02:00", []Span{{1200, 1560, Open, false}}},
		{"18:00-23:00,12:00-14:00,14:00-15:00", []Span{{720, 900, Open, false}, {1080, 1380, Open, false}}},
		{"17:00+", []Span{{1020, 1020, Unknown, true}}},
		{"12:00-18:00+", []Span{{720, 1080, Open, true}}},
		{"12:00-14:00+,17:00+", []Span{{720, 840, Open, true}}},
		{"12:00+ off, We 14:00+", []Span{{840, 840, Unknown, true}}},
		{"12:00+,14:00-15:00", []Span{{720, 720, Unknown, true}, {840, 900, Open, false}}},
		{"We 12:00-14:00 \"ask\", We 14:00-16:00", []Span{{720, 840, Unknown, false}, {840, 960, Open, false}}},
		{"12:00-20:00; We off", nil},
		{"12:00-20:00; Nov 25 10:00-11:00", []Span{{600, 660, Open, false}}},
	} {
		s, _ := Parse(c.value)
		if got := s.Kind(local(t, "2026-11-25T00:00")).AppendSpans(nil); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v, want %v", c.value, got, c.want)
		}
	}
}

// A day of 21 intervals, and a year of many seasons, are read.
func TestSeasons(t *testing.T) {
	for value, want := range map[string]int{"off": 1, "12:00-14:00; Dec 24 off": 3, "Apr-Oct 12:00-20:00; Dec 25,26 off": 5, "Nov-Feb 12:00-20:00": 3,
		minutely(MaxIntervals): 1, "Dec 24 " + minutely(MaxIntervals): 3} {
		s, err := Parse(value)
		testkit.FailIf(t, err != nil || len(s) != want, "%q: %d seasons, %v, want %d", value, len(s), err, want)
	}
}

func TestLocalOf(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want Local
	}{
		{time.Date(1970, 1, 1, 0, 1, 59, 0, time.UTC), 1},
		{time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC), -1},
		{time.Date(1970, 1, 2, 0, 0, 0, 0, time.FixedZone("", -7*3600-1800)), 1440},
	} {
		if got := LocalOf(c.at); got != c.want {
			t.Errorf("%v: %d, want %d", c.at, got, c.want)
		}
	}
}

// Zones are those that the program carries, whatever the machine has.
func TestZones(t *testing.T) {
	for name, want := range map[string]bool{"Europe/London": true, "UTC": true, "": false, "localtime": false, "posix/Europe/London": false, "right/UTC": false,
		"Europe": false, "Europe/": false, "../UTC": false, "Local": false} {
		_, err := Zone(name)
		testkit.FailIf(t, IsZone(name) != want || (err == nil) != want, "%q: %v, %v", name, IsZone(name), err)
	}
	zone := testkit.Must(Zone("Europe/London"))(t)
	testkit.Equal(t, "summer", LocalOf(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC).In(zone)), LocalOf(time.Date(2026, 7, 1, 13, 0, 0, 0, time.UTC)))
}

func TestStateAllocatesNothing(t *testing.T) {
	for _, value := range []string{"Fr-Mo 12:00-02:00", "Fr-Mo 12:00-02:00; Dec 24 off"} {
		s, _ := Parse(value)
		at := Local(0)
		if n := testing.AllocsPerRun(100, func() { c := Calendar(s.Kind); c.State(at); c.Closes(at); at++ }); n != 0 {
			t.Errorf("%q: %v allocations", value, n)
		}
	}
}

// Nothing that is read panics, and the ways to ask agree at any time.
func FuzzParse(f *testing.F) {
	for _, c := range cases {
		f.Add(c.value, int64(local(f, c.at)))
	}
	f.Fuzz(func(t *testing.T, value string, minute int64) {
		s, err := Parse(value)
		if err != nil {
			return
		}
		at, c := Local(minute%(1<<40)), Calendar(s.Kind)
		got := ask(t, value, at)
		testkit.StopIf(t, (got.state != Open) && got.closes != "", "%v", got)
		if closes, ok := c.Closes(at); ok && (closes <= at || c.State(closes-1) != Open || c.State(closes) == Open) {
			t.Fatalf("closes at %d", closes)
		}
		opens, ok := c.Opens(at)
		testkit.StopIf(t, ok && (got.state == Open || opens <= at || c.State(opens-1) == Open || c.State(opens) != Open),
			"opens at %d", opens)
		midnight := at.Midnight()
		kind, end := s.Kind(midnight), 0
		testkit.StopIf(t, !kind.IsValid(), "kind %x", kind)
		for _, span := range kind.AppendSpans(nil) {
			testkit.StopIf(t, span.Start < end || span.End < span.Start || span.End > 2*dayMinutes, "span %v", span)
			if state := c.State(midnight + Local(span.Start)); state != span.State && state != Open {
				t.Fatalf("span %v, but %v", span, state)
			}
			end = span.End
		}
	})
}
