package index

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// A lookup finds a pub by exactly its UID, unchanged and prepared as the JSON object of its columns, in their order,
// whatever its texts and numbers are.
func TestPubsAreUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`["\\ab]{1,4}`)
		directory, byUID := corpus.Directory{CountsReviews: true}, map[string]schema.Pub{}
		if rapid.Bool().Draw(t, "has extra") {
			directory.Extra = []schema.ExtraColumn{"colour", "facet:beds"}
		}
		for _, uid := range rapid.SliceOfNDistinct(word, 1, 12, rapid.ID).Draw(t, "uids") {
			pub := drawPub(t, len(directory.Extra))
			pub.UID = uid
			if rapid.Bool().Draw(t, "unrated") {
				pub.Ratings, pub.ReviewCount = schema.Rated(nil), 0
			}
			for j := range schema.Columns {
				if c := &schema.Columns[j]; c.Kind == schema.Decimal && rapid.Bool().Draw(t, "missing") {
					*c.Decimal(&pub) = math.NaN()
				}
			}
			directory.Pubs, byUID[uid] = append(directory.Pubs, pub), pub
		}
		s := inMemory(t, directory)
		for _, uid := range slices.AppendSeq(rapid.SliceOfN(word, 0, 20).Draw(t, "others"), maps.Keys(byUID)) {
			want, there := byUID[uid]
			ordinal, found := s.Lookup([]byte(uid))
			testkit.StopIf(t, found != there, "%q: found %v, want %v", uid, found, there)
			if !there {
				continue
			}
			if got := s.Pub(ordinal); fmt.Sprint(*got) != fmt.Sprint(want) || fmt.Sprint(s.Ratings(ordinal)) != fmt.Sprint(want.Ratings) {
				t.Fatalf("got %+v, ratings %v, want %+v", *got, s.Ratings(ordinal), want)
			}
			object := ""
			for i := range schema.PreparedColumns {
				value := []byte("null")
				switch c := &schema.Columns[i]; {
				case c.Kind == schema.Text && !c.Has(&want):
				case c.Kind == schema.Text:
					value = schema.AppendString(nil, []byte(*c.Text(&want)))
				case c.Kind == schema.Decimal:
					value = schema.AppendNumber(nil, *c.Decimal(&want))
				case c.Kind == schema.Whole:
					value = strconv.AppendInt(nil, *c.Whole(&want), 10)
				}
				object += `,"` + schema.Columns[i].Name + `":` + string(value)
			}
			prepared := s.Prepared(ordinal)
			if got := string(prepared.Append([]byte("before"))); got != "before{"+object[1:] {
				t.Fatalf("got %s, want before{%s", got, object[1:])
			}
		}
	})
}

// A JSON decoder reads back what AppendString writes, with escapes only where JSON requires them.
func TestAppendString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("\"\\/\x00\x1f\n a")))).Draw(t, "text")
		quoted := schema.AppendString([]byte("before"), want)[len("before"):]
		var got string
		if err := json.Unmarshal(quoted, &got); err != nil || got != want {
			t.Fatalf("%q: got %s, %v", want, quoted, err)
		}
	})
	if got := string(schema.AppendString(nil, "/<é\u2028")); got != "\"/<é\u2028\"" {
		t.Errorf("got %s", got)
	}
}
