package text

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"pubd/index/spool"
)

// An interner numbers texts as a map does.
func TestInternerIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := spool.InMemory()
		defer space.Close()
		interner, model := NewInterner(space), map[string]uint32{}
		for _, value := range rapid.SliceOf(rapid.IntRange(0, 2000)).Draw(t, "values") {
			text := fmt.Sprint(value)
			want, known := model[text]
			if got, ok := interner.Find([]byte(text)); ok != known || ok && got != want {
				t.Fatalf("%s: found %d, %v, want %d, %v", text, got, ok, want, known)
			}
			if !known {
				want = uint32(len(model))
				model[text] = want
			}
			if got, isNew := interner.Intern([]byte(text)); got != want || isNew == known {
				t.Fatalf("%s: got %d, %v, want %d, %v", text, got, isNew, want, !known)
			}
		}
		for text, want := range model {
			if got, ok := interner.Find([]byte(text)); !ok || got != want {
				t.Fatalf("%s at the end: found %d, %v, want %d", text, got, ok, want)
			}
		}
	})
}
