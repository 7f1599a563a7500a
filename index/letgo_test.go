package index

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// An answer that let go refers to no part of a snapshot, in none of the places where it did.
func TestAnswerLetsGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var a Answer
	held := map[string]bool{}
	for range 100 {
		agree(t, rng, &a, func() { eachReference(reflect.ValueOf(a), "", func(place string) { held[place] = true }) })
		a.LetGo()
		eachReference(reflect.ValueOf(a), "", func(place string) { t.Fatalf("Answer%s still refers to a snapshot", place) })
	}
	if len(held) < 4 {
		t.Errorf("answers referred to snapshots in %v only", held)
	}
}

// eachReference calls do for each place, also beyond the length of slices, where there is a set or a pointer. Memory that an
// answer shares with nobody is in slices of slices and of numbers.
func eachReference(v reflect.Value, place string, do func(place string)) {
	switch {
	case v.Type() == reflect.TypeFor[set]() || v.Kind() == reflect.Pointer:
		if !v.IsZero() {
			do(place)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			eachReference(v.Field(i), place+"."+v.Type().Field(i).Name, do)
		}
	case v.Kind() == reflect.Array && v.Type().Elem().Kind() == reflect.Array || v.Kind() == reflect.Array && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			eachReference(v.Index(i), place, do)
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Cap() {
			eachReference(v.Slice(0, v.Cap()).Index(i), place, do)
		}
	}
}
