package hours

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"pubd/bench/testkit"
)

const minuteLayout = "2006-01-02T15:04"

func local(t testing.TB, text string) Local {
	at := testkit.Must(time.Parse(minuteLayout, text))(t)
	return LocalOf(at)
}

// verdict is the expected answer for a time: [true | false | null, closes | null].
type verdict struct {
	state  State
	closes string
}

func (v *verdict) UnmarshalJSON(content []byte) error {
	var open *bool
	var closes *string
	if err := json.Unmarshal(content, &[]any{&open, &closes}); err != nil {
		return err
	}
	if open != nil {
		v.state = Closed
		if *open {
			v.state = Open
		}
	}
	if closes != nil {
		v.closes = *closes
	}
	return nil
}

// byRules returns what the rules of a value say of a time.
func byRules(t testing.TB, value string, at Local) State {
	rules, err := parse(value)
	testkit.OK(t, err)
	midnight := at.Midnight()
	today := rules.of(midnight.Date()).at(int(at - midnight)).State
	before := rules.of((midnight - dayMinutes).Date()).at(int(at-midnight) + dayMinutes).State
	if today == Closed || before == Open {
		return before
	}
	return today
}

// ask returns the verdict of a value, if it can be read, and fails unless that of its rules is the same.
func ask(t testing.TB, value string, at Local) (got verdict) {
	s, err := Parse(value)
	if err != nil {
		return verdict{}
	}
	closes := func(at Local, ok bool) string {
		if !ok {
			return ""
		}
		return time.Unix(int64(at)*60, 0).UTC().Format(minuteLayout)
	}
	c := Calendar(s.Kind)
	got = verdict{c.State(at), closes(c.Closes(at))}
	for _, minutes := range []Local{0, 1, 30, 60, 300, 720, 1440, 6000} {
		if other := byRules(t, value, at+minutes); other != c.State(at+minutes) {
			t.Fatalf("%q at %d: %v, by rules %v", value, at+minutes, got, other)
		}
	}
	return got
}

// Values of real pubs, with what opening_hours.js says of them; "day" has what is so where hours past midnight belong
// to the day on which they began. Of values that only that library repairs, or reads beyond the subset, nothing needs
// to be known.
func TestHours(t *testing.T) {
	const name = "../../../shared/hours.json"
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not there", name)
	} else if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for values := json.NewDecoder(file); ; {
		var c struct {
			Value   string
			Lenient bool
			At, Day map[string]verdict
		}
		if err := values.Decode(&c); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		for at, want := range c.At {
			if day, ok := c.Day[at]; ok {
				want = day
			}
			got := ask(t, c.Value, local(t, at))
			testkit.FailIf(t, got != want && !(c.Lenient && got == verdict{}),
				"%q at %s: %v, want %v", c.Value, at, got, want)
		}
	}
}
