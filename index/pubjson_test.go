package index

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
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

func TestJSONOfUnratedPub(t *testing.T) {
	none := math.NaN()
	directory := Directory{Pubs: []Pub{{UID: "1", Name: "A", Latitude: none, Longitude: none, Ratings: Rated(nil)}}}
	s := inMemory(t, directory)
	head, tail := s.JSON(0)
	const wantHead = `{"UID":"1","name":"A","location":null,"trading":null,"latitude":null,"longitude":null,"common_category":null`
	wantTail := ""
	for metric := range Metric(MetricCount) {
		wantTail += `,"` + metric.String() + `":null`
	}
	wantTail += `,"review_count":0`
	if string(head) != wantHead || string(tail) != wantTail {
		t.Errorf("got %s and %s", head, tail)
	}
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
