package index

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Lookups find pubs by exactly their UIDs and return them unchanged, even if JSON escapes their texts.
func TestPubsAreUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`["\\ab]{1,4}`)
		uids := rapid.SliceOfNDistinct(word, 1, 12, rapid.ID).Draw(t, "uids")
		directory := Directory{CountsReviews: true}
		detailed := rapid.Bool().Draw(t, "detailed")
		if detailed {
			directory.Extra = []string{"colour", "beds"}
		}
		byUID := map[string]Pub{}
		var ratings Ratings // each its own
		for metric := range ratings {
			ratings[metric] = 5.25 - float64(metric)/2
		}
		for i, uid := range uids {
			pub := Pub{UID: uid, Name: word.Draw(t, "name"), Location: rapid.OneOf(word, rapid.Just("")).Draw(t, "location"),
				Latitude: 51.5, Longitude: float64(i), Ratings: ratings, ReviewCount: int64(i)}
			if detailed && i%3 > 0 {
				optional := rapid.OneOf(word, rapid.Just(""))
				pub.Address, pub.Postcode, pub.Area = optional.Draw(t, "address"), optional.Draw(t, "postcode"), optional.Draw(t, "area")
				if i%3 == 2 {
					pub.Extra = []string{optional.Draw(t, "colour"), word.Draw(t, "beds")}
				}
			}
			directory.Pubs, byUID[uid] = append(directory.Pubs, pub), pub
		}
		s := inMemory(t, directory)
		for _, uid := range append(uids, rapid.SliceOfN(word, 0, 20).Draw(t, "others")...) {
			want, there := byUID[uid]
			ordinal, ok := s.Lookup([]byte(uid))
			if ok != there {
				t.Fatalf("%q of %q: found %v", uid, uids, ok)
			}
			if there && !reflect.DeepEqual(*s.Pub(ordinal), want) {
				t.Fatalf("got %+v, want %+v", *s.Pub(ordinal), want)
			}
			if there && fmt.Sprint(s.Ratings(ordinal)) != fmt.Sprint(want.Ratings) {
				t.Fatalf("got %v, want %v", s.Ratings(ordinal), want.Ratings)
			}
		}
	})
}

// A prepared pub is the JSON object of its columns, in their order, whatever its texts and numbers are.
func TestPreparedPubs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pubs := make([]Pub, rapid.IntRange(1, 5).Draw(t, "pubs"))
		for i := range pubs {
			pubs[i] = drawPub(t, 0)
			pubs[i].UID = fmt.Sprintf("%d\"", i)
			text := Columns[rapid.SampledFrom([]int{ColumnName, ColumnLocation, ColumnTrading, ColumnCategory}).Draw(t, "text")].text(&pubs[i])
			*text = strings.Repeat("a\\", rapid.SampledFrom([]int{0, 1, 5, 6, 85, 86, 90, 300}).Draw(t, "times"))
			if rapid.Bool().Draw(t, "unrated") {
				pubs[i].Ratings, pubs[i].ReviewCount = Rated(nil), 0
			}
			for j := range Columns {
				if c := &Columns[j]; c.Kind == Decimal && rapid.Bool().Draw(t, "missing") {
					*c.decimal(&pubs[i]) = math.NaN()
				}
			}
		}
		s := inMemory(t, Directory{Pubs: slices.Clone(pubs), CountsReviews: true})
		for _, pub := range pubs {
			want := "["
			for i := range PreparedColumns {
				var value []byte
				switch c := &Columns[i]; c.Kind {
				case Text:
					value = appendOptional(nil, *c.text(&pub))
				case Decimal:
					value = AppendNumber(nil, *c.decimal(&pub))
				case Whole:
					value = strconv.AppendInt(nil, *c.whole(&pub), 10)
				}
				want += `,"` + Columns[i].Name + `":` + string(value)
			}
			want = strings.Replace(want, "[,", "before{", 1)
			ordinal, _ := s.Lookup([]byte(pub.UID))
			prepared := s.Prepared(ordinal)
			if got := string(prepared.Append([]byte("before"))); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	})
}

// A JSON decoder reads back what AppendString writes, with escapes only where JSON requires them.
func TestAppendString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("\"\\/\x00\x1f\n a")))).Draw(t, "text")
		quoted := AppendString([]byte("before"), want)[len("before"):]
		var got string
		if err := json.Unmarshal(quoted, &got); err != nil || got != want {
			t.Fatalf("%q: got %s, %v", want, quoted, err)
		}
	})
	if got := string(AppendString(nil, "/<é\u2028")); got != "\"/<é\u2028\"" {
		t.Errorf("got %s", got)
	}
}
