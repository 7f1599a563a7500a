package convert

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/lists/cell"
	"pubd/index/hours"
)

// Random weeks in columns of each form come back as the same.
func TestWeeks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	days := []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	clock := func(m int) string { return fmt.Sprintf("%02d:%02d", m/60%24, m%60) }
	share := func(m int) string { return strings.TrimPrefix(fmt.Sprintf("%.10f", float64(m%1440)/1440), "1") }
	type column = func(day int, opens, closes int) (name, value string) // of a day that is open, or closes at -1
	forms := map[string][]column{
		"a column a day": {func(day, opens, closes int) (string, string) {
			if closes < 0 {
				return "hours" + days[day], "Closed"
			}
			return "hours" + days[day], clock(opens) + "–" + clock(closes)
		}},
		"German": {func(day, opens, closes int) (string, string) {
			german := []string{"Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"}
			if closes < 0 {
				return german[day], "Ruhetag"
			}
			return german[day], fmt.Sprintf("%d.%02d bis %d.%02d Uhr", opens/60, opens%60, closes/60%24, closes%60)
		}},
		"a pair a day": {func(day, opens, closes int) (string, string) {
			return days[day] + " open", map[bool]string{true: "closed", false: clock(opens)}[closes < 0]
		}, func(day, opens, closes int) (string, string) {
			return days[day] + " close", map[bool]string{true: "closed", false: clock(closes)}[closes < 0]
		}},
		"shares of a day": {func(day, opens, closes int) (string, string) {
			return strings.ToLower(days[day][:3]) + "_from", map[bool]string{true: "closed", false: share(opens)}[closes < 0]
		}, func(day, opens, closes int) (string, string) {
			return strings.ToLower(days[day][:3]) + "_to", map[bool]string{true: "closed", false: share(closes)}[closes < 0]
		}},
	}
	for range 20 {
		var want []string
		var opens, closes [7]int
		for day := range days {
			opens[day], closes[day] = 15*(30+rng.IntN(40)), -1
			rule := "off"
			if rng.IntN(4) > 0 || day == 0 {
				closes[day] = opens[day] + 15*(4+rng.IntN(50))
				rule = clock(opens[day]) + "-" + clock(closes[day])
			}
			want = append(want, days[day][:2]+" "+rule)
		}
		lists := map[string]string{}
		for form, columns := range forms {
			header, row := []string{"id", "name"}, []string{"1", "Bell"}
			for day := range days {
				for _, column := range columns {
					name, value := column(day, opens[day], closes[day])
					header, row = append(header, name), append(row, value)
				}
			}
			var text strings.Builder
			testkit.OK(t, csv.NewWriter(&text).WriteAll([][]string{header, row}))
			lists[form] = text.String()
		}
		for form, text := range lists {
			result := testkit.Must(Convert("in", []byte(text), Options{}))(t)
			got := textOf(result.Snapshot)
			if slices.Contains(result.Snapshot.Columns, cell.HoursColumn) {
				got = rows(result.Snapshot, cell.HoursColumn)["1"]
			}
			read, err := hours.Parse(got)
			wanted := testkit.Must(hours.Parse(strings.Join(want, "; ")))(t)
			gotWeek := kindsOf(read)
			wantWeek := kindsOf(wanted)
			testkit.FailIf(t, err != nil || gotWeek != wantWeek, "%s: %s:\n got %s\nwant %s", form, text, got, want)
		}
	}
}

// kindsOf returns what the hours of each day of a week are.
func kindsOf(s hours.Schedule) (kinds string) {
	for day := range hours.Local(7) {
		kinds += fmt.Sprintln(s.Kind((4 + day) * 24 * 60))
	}
	return kinds
}
