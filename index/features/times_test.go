package features

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/index/hours"
	"pubd/index/text"
)

func asksAt(t *testing.T, now, query string) string {
	at := testkit.Must(time.Parse("2006-01-02T15:04", now))(t)
	asked := FindTime(words(text.AppendFolded(nil, []byte(query))), hours.LocalOf(at))
	if asked.Words == 0 {
		return ""
	}
	return string(asked.Append(nil))
}

func TestSharedTimes(t *testing.T) {
	const name = "../../../shared/times.json"
	content, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("%s is not there: the table of TestFindTime is what is tested", name)
	}
	var cases []struct{ Now, Query, Open string }
	testkit.OK(t, json.Unmarshal(content, &cases))
	for _, c := range cases {
		testkit.Equal(t, c.Now+" "+c.Query, asksAt(t, c.Now, c.Query), c.Open)
	}
}

func TestFindTime(t *testing.T) {
	const now = "2026-11-28T20:42" // a Saturday
	for query, want := range map[string]string{
		"24/7": "always", "24h Kneipe Köln": "always", "rund um die Uhr": "always", "24 heures": "always", "hospoda nonstop": "always", "rising sun open sundays": "2026-11-29T06:00/2026-11-30T00:00",
		"open at 8.30pm": "2026-11-29T20:30/2026-11-29T20:31", "open at 9 o'clock": "2026-11-28T21:00/2026-11-28T21:01", "open 25:00": "", "open 10:75": "", "open at 12 high street": "2026-11-29T12:00/2026-11-29T12:01",
		"open until 6am friday": "2026-12-05T05:59/2026-12-05T06:00", "open at 12am": "2026-11-29T00:00/2026-11-29T00:01", "open at 24:00": "2026-11-29T00:00/2026-11-29T00:01",
		"tonight till 2am": "2026-11-29T01:59/2026-11-29T02:00", "this weekend open": "2026-11-28T20:42/2026-11-30T00:00", "open this saturday": "2026-11-28T20:42/2026-11-29T00:00",
		"heute Abend": "2026-11-28T20:42/2026-11-29T00:00", "sonntags geöffnet": "2026-11-29T06:00/2026-11-30T00:00", "Kneipe offen bis 2 Uhr": "2026-11-29T01:59/2026-11-29T02:00",
		"geöffnet ab 20:30 Uhr": "2026-11-29T20:30/2026-11-29T20:31", "morgen Mittag offen": "2026-11-29T12:00/2026-11-29T14:00", "offen an Heiligabend": "2026-12-24T06:00/2026-12-25T00:00",
		"ouvert dimanche soir": "2026-11-29T18:00/2026-11-30T00:00", "ouvert jusqu'à 2h": "2026-11-29T01:59/2026-11-29T02:00", "ouvert à 20h30": "2026-11-29T20:30/2026-11-29T20:31", "bar ce soir": "2026-11-28T20:42/2026-11-29T00:00",
		"ouvert toute la nuit": "2026-11-29T04:00/2026-11-29T04:01", "abierto el lunes": "2026-11-30T06:00/2026-12-01T00:00", "abierto hasta las 2 h": "2026-11-29T01:59/2026-11-29T02:00",
		"esta noche": "2026-11-28T21:00/2026-11-29T03:00", "abierto mañana por la tarde": "2026-11-29T12:00/2026-11-29T18:00", "dnes večer": "2026-11-28T20:42/2026-11-29T00:00",
		"otevřeno v neděli": "2026-11-29T06:00/2026-11-30T00:00", "otevřeno do 2 hodin": "2026-11-29T01:59/2026-11-29T02:00", "otevřeno do půlnoci": "2026-11-28T23:59/2026-11-29T00:00",
		"": "", "open": "", "sunday": "", "open mic night saturday": "", "sunday roast open now": "", "sun inn opening times": "", "opening hours sunday bath": "2026-11-29T06:00/2026-11-30T00:00", "where do you drink at 5am": "",
	} {
		testkit.Equal(t, query, asksAt(t, now, query), want)
	}
}

// A word that begins a phrase which asks for a time by itself is a time word, as others are not read.
func TestTimeWords(t *testing.T) {
	for phrase, name := range times().phrases {
		kind, first := times().meanings[name].kind, text.Phrase{}.AppendWords([]byte(phrase))[0]
		if asks := kind == "open" || kind == "always" || kind == "about"; asks && !text.ClassOf(first).Is(text.Time) {
			t.Errorf("%q of %q is no time word", first, phrase)
		}
	}
}
