package hours

import (
	"errors"
	"reflect"
	"slices"
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
		s, err := Parse(c.value)
		testkit.FailIf(t, err != nil, "%q: %v", c.value, err)
		if got, want := ask(t, &s, local(t, c.at)), (verdict{c.state, c.closes}); got != want {
			t.Errorf("%q at %s: %v, want %v", c.value, c.at, got, want)
		}
	}
}

// What is not understood has an error, and the schedule of which nothing is known.
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
	} {
		var got *Error
		s, err := Parse(value)
		testkit.FailIf(t, !errors.As(err, &got) || *got != want, "%q: %v, want %v", value, err, &want)
		testkit.FailIf(t, ask(t, &s, 0) != verdict{} || s.Day(0) != nil, "%q: something is known", value)
	}
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
		got, ok := s.Opens(local(t, c.at))
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
		if got := s.Day(local(t, "2026-11-25T00:00")); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v, want %v", c.value, got, c.want)
		}
	}
}

func TestWeek(t *testing.T) {
	for _, c := range []struct {
		value string
		want  Week
		ok    bool
	}{
		{"off", nil, true},
		{"24/7", Week{newInterval(0, 10080, Open)}, true},
		{"Su 20:00-02:00", Week{newInterval(0, 120, Open), newInterval(9840, 10080, Open)}, true},
		{"Mo 12:00-14:00+", Week{newInterval(720, 840, Open), newInterval(840, 1440, Unknown)}, true},
		{"12:00-14:00; Dec 24 off", nil, false},
		{"10:00-11:00,12:00-13:00,14:00-15:00,16:00-17:00", nil, false},
	} {
		s, _ := Parse(c.value)
		if got, ok := s.Week(); ok != c.ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %x, %v, want %x", c.value, got, ok, c.want)
		}
	}
	s, _ := Parse("10:00-11:00,12:00-13:00,14:00-15:00")
	if week, ok := s.Week(); !ok || len(week) != MaxIntervals {
		t.Errorf("%d intervals, want %d", len(week), MaxIntervals)
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

func TestStateAllocatesNothing(t *testing.T) {
	for _, value := range []string{"Fr-Mo 12:00-02:00", "Fr-Mo 12:00-02:00; Dec 24 off"} {
		s, _ := Parse(value)
		week, _ := s.Week()
		at := Local(0)
		if n := testing.AllocsPerRun(100, func() { s.State(at); weekly := week.Schedule(); weekly.Closes(at); at++ }); n != 0 {
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
		at := Local(minute % (1 << 40))
		got := ask(t, &s, at)
		testkit.StopIf(t, err != nil && got != (verdict{}), "%v, but %v", err, got)
		testkit.StopIf(t, (got.state != Open) && got.closes != "", "%v", got)
		if closes, ok := s.Closes(at); ok && (closes <= at || s.State(closes-1) != Open || s.State(closes) == Open) {
			t.Fatalf("closes at %d", closes)
		}
		opens, ok := s.Opens(at)
		testkit.StopIf(t, ok && (got.state == Open || opens <= at || s.State(opens-1) == Open || s.State(opens) != Open),
			"opens at %d", opens)
		week, _ := s.Week()
		isClosed := func(i Interval) bool { return i.State() == Closed }
		testkit.StopIf(t, !week.IsValid() || slices.ContainsFunc(week, isClosed), "week %x", week)
		end := 0
		midnight := at - Local(at.minuteOfWeek()%dayMinutes)
		for _, span := range s.Day(midnight) {
			testkit.StopIf(t, span.Start < end || span.End < span.Start || span.End > 2*dayMinutes, "span %v", span)
			if state := s.State(midnight + Local(span.Start)); state != span.State && state != Open {
				t.Fatalf("span %v, but %v", span, state)
			}
			end = span.End
		}
	})
}
