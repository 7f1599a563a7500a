package index

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// drawPub draws a pub with the values that a snapshot may have.
func drawPub(t *rapid.T, extra int) schema.Pub {
	var pub schema.Pub
	long := func(times int) string { return strings.Repeat("a\\", times) }
	text := rapid.OneOf(rapid.StringMatching(`["\\aé]{0,5}`), rapid.Map(rapid.SampledFrom([]int{5, 6, 85, 86, 90, 300}), long))
	for i := range schema.Columns {
		switch c := &schema.Columns[i]; c.Kind {
		case schema.Text:
			*c.Text(&pub) = text.Draw(t, c.Name)
		case schema.Decimal:
			*c.Decimal(&pub) = rapid.Float64Range(c.Least, c.Most).Draw(t, c.Name) + 0 // no negative zero
		case schema.Whole:
			*c.Whole(&pub) = rapid.Int64Min(0).Draw(t, c.Name)
		}
	}
	if extra > 0 && rapid.Bool().Draw(t, "has extra") {
		pub.Extra = rapid.SliceOfN(rapid.StringMatching(`["\\aé]{1,3}`), extra, extra).Draw(t, "extra")
	}
	return pub
}

// Rows have the pubs that were added, but for repeated UIDs, and those that were rated out, in any order.
func TestRowsHaveThePubs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		extra := rapid.IntRange(0, 2).Draw(t, "extra")
		rows := corpus.NewRows(extra, "", 0)
		defer rows.Close()
		var pubs []schema.Pub
		var lines []int
		for line := range rapid.IntRange(0, 200).Draw(t, "rows") {
			pub := drawPub(t, extra)
			pub.UID = rapid.StringMatching("[ab]{0,8}").Draw(t, "UID")
			had := slices.IndexFunc(pubs, func(p schema.Pub) bool { return p.UID == pub.UID })
			if first, ok := rows.Add(&pub, line); ok != (had < 0) || !ok && first != had {
				t.Fatalf("UID %q: got %d, %v, want %d", pub.UID, first, ok, had)
			} else if ok {
				pubs, lines = append(pubs, pub), append(lines, line)
			}
		}
		seed := rapid.Float64().Draw(t, "seed")
		out := func(row int) bool { return math.Mod(float64(row)*seed, 3) > 2 }
		rows.Rate(func(row int, ratings *schema.Ratings, reviews int64) bool {
			testkit.StopIf(t, reviews != pubs[row].ReviewCount || *ratings != pubs[row].Ratings,
				"row %d: got %v, %d", row, *ratings, reviews)
			ratings[schema.Total] = float64(row)
			return !out(row)
		})
		var wanted []schema.Pub
		for i := range pubs {
			pubs[i].Ratings[schema.Total] = float64(i)
			if !out(i) {
				testkit.StopIf(t, rows.Line(len(wanted)) != lines[i] || rows.UID(len(wanted)) != pubs[i].UID,
					"row %d: got line %d of UID %q", i, rows.Line(len(wanted)), rows.UID(len(wanted)))
				wanted = append(wanted, pubs[i])
			}
		}
		if rapid.Bool().Draw(t, "turned round") {
			slices.Reverse(wanted)
			order := make([]uint32, rows.Len())
			for i := range order {
				order[i] = uint32(len(order) - 1 - i)
			}
			rows = rows.InOrder(order, 2)
		}
		if got := rows.Pubs(); len(got) != len(wanted) || len(got) > 0 && !reflect.DeepEqual(got, wanted) {
			t.Fatalf("got %+v, want %+v", got, wanted)
		}
	})
}
