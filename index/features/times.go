package features

import (
	"bytes"
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"pubd/index/hours"
	"pubd/index/text"
)

// A Time is when a query asks pubs to be open, in wall time: at some time from From to before To, or Always. Words has a bit
// for each word of the query that says so; none if it asks for no time.
type Time struct {
	From, To hours.Local
	Always   bool
	Words    uint64
}

// Append appends a time as answers and parameters write it.
func (t Time) Append(dst []byte) []byte {
	const layout = "2006-01-02T15:04"
	if t.Always {
		return append(dst, "always"...)
	}
	dst = append(t.From.Time().AppendFormat(dst, layout), '/')
	return t.To.Time().AppendFormat(dst, layout)
}

//go:embed times.txt
var timesFile []byte

// said is the meaning of a phrase in times.txt: its kind, such as part, and its numbers, such as 18 and 24.
type said struct {
	kind          string
	first, second int
}

// timeWords are the phrases of times.txt, and what each name of a meaning says.
type timeWords struct {
	*Vocabulary
	meanings map[string]said
}

var times = sync.OnceValue(func() timeWords {
	v, err := (&Vocabulary{known: map[string]bool{}, phrases: map[string]string{}, joined: map[string]string{}}).With(timesFile, "times.txt")
	if err != nil {
		panic(err)
	}
	meanings := map[string]said{}
	for _, name := range v.names {
		parts := append(strings.Split(name, "_"), "", "")
		first, _ := strconv.Atoi(parts[1]) // which is 0 without numbers
		second, _ := strconv.Atoi(parts[2])
		meanings[name] = said{parts[0], first, second}
	}
	return timeWords{v, meanings}
})

const (
	minutesOfHour = 60
	minutesOfDay  = 24 * minutesOfHour
	morning       = 6 * minutesOfHour // when a day of pubs begins
)

// asked is a time that some words name: Words has their bits.
type asked struct {
	said
	words uint64
}

// FindTime returns the time for which the folded words of a query ask, of which the first 64 count, at a time of asking.
func FindTime(words text.Phrase, now hours.Local) (t Time) {
	var opening, always, link, clock, day, part, before asked
	words = words[:min(len(words), 64)]
	for i, n := 0, 0; i < len(words); i += n {
		var s said
		s, n = times().read(words[i:], before.words != 0)
		this := asked{s, (1<<n - 1) << i}
		switch s.kind {
		case "open":
			opening.words |= this.words
		case "always":
			always = this
		case "link":
			link.words |= this.words
		case "at", "until":
			if before.kind != "until" {
				before.kind = s.kind
			}
			before.words |= this.words
			continue
		case "clock":
			if clock.words == 0 {
				clock = asked{said{before.kind, s.first, s.second}, this.words | before.words}
			}
		case "part":
			if part.words == 0 {
				part = this
			}
		case "day", "weekend", "today", "tomorrow", "date", "about":
			if day.words == 0 || day.kind != "about" && s.kind == "about" {
				day = this
			}
		}
		before, n = asked{}, max(n, 1)
	}
	if always.words != 0 {
		return Time{Always: true, Words: always.words | opening.words}
	}
	if opening.words == 0 && day.kind != "about" || clock.words|day.words == 0 {
		return t
	}
	from, to := morning, minutesOfDay
	switch {
	case clock.words != 0:
		from = minutesOfHour*clock.first + clock.second
		if clock.kind == "until" {
			from = (from + minutesOfDay - 1) % minutesOfDay
		}
		if from %= minutesOfDay; from < morning {
			from += minutesOfDay
		}
		to, part.words = from+1, 0
	case day.kind == "about":
		from, to, part.words = day.first*minutesOfHour, day.second*minutesOfHour, 0
	case day.kind == "weekend":
		to, part.words = 2*minutesOfDay, 0
	case part.words != 0:
		from, to = part.first*minutesOfHour, part.second*minutesOfHour
	}
	midnight := day.next(now, to)
	t.From, t.To = max(midnight+hours.Local(from), now), midnight+hours.Local(to)
	t.Words = opening.words | link.words | clock.words | day.words | part.words
	return t
}

// next returns the midnight of the next such day of which some minutes are not over; without words, of any.
func (d asked) next(now hours.Local, minutes int) hours.Local {
	const day = hours.Local(minutesOfDay)
	today := (now - morning).Midnight()
	first, step := today, day
	weekday := func(from hours.Local, n int) hours.Local { return from + hours.Local((n+7-from.Date().Weekday)%7)*day }
	switch d.kind {
	case "tomorrow":
		first += day
	case "day":
		first, step = weekday(today, d.first), 7*day
	case "weekend":
		first, step = weekday(today-day, 5), 7*day
	case "date":
		year := today.Time().Year()
		date := func(year int) hours.Local {
			return hours.LocalOf(time.Date(year, time.Month(d.first), d.second, 0, 0, 0, 0, time.UTC))
		}
		first = date(year)
		step = date(year+1) - first
	}
	if first+hours.Local(minutes) <= now {
		first += step
	}
	return first
}

// read returns what words begin with that says something of a time, and how many say it.
func (t timeWords) read(words text.Phrase, isBehind bool) (s said, n int) {
	if name, n := t.Find(words); n > 0 {
		return t.meanings[name], n
	}
	return clock(words, isBehind)
}

// isClock matches a clock time: 8, 8am, 8 30 pm, 20h30, 20 Uhr.
var isClock = regexp.MustCompile(`^(\d\d?)(?:[ h](\d\d))?(?: ?(am|pm|a m|p m|h|uhr|heures?|horas|hod|hodin|hodiny|oclock))?(?: |$)`)

// clock returns the clock time that words begin with, and their number. A number alone is one only behind a word such as at.
func clock(words text.Phrase, isBehind bool) (s said, n int) {
	if words[0][0] < '0' || words[0][0] > '9' {
		return s, 0
	}
	written := words[:min(len(words), 4)].AppendTo(nil)
	parts := isClock.FindSubmatch(written)
	if parts == nil {
		return s, 0
	}
	hour, _ := strconv.Atoi(string(parts[1]))
	minute, _ := strconv.Atoi(string(parts[2])) // 0 without minutes
	suffix := string(parts[3])
	isAlone := len(parts[2]) == 0 && (suffix == "" || suffix == "oclock")
	switch {
	case isAlone && !isBehind || hour > 24 || minute >= minutesOfHour:
		return s, 0
	case 0 < hour && hour < 12 && isAlone || hour < 12 && strings.HasPrefix(suffix, "p"):
		hour += 12
	case hour == 12 && strings.HasPrefix(suffix, "a"):
		hour = 0
	}
	return said{"clock", hour, minute}, len(bytes.Fields(parts[0]))
}
