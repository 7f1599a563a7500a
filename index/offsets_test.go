package index

import (
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index/indexfile"
)

// Offsets whose lower halves would not tell what they are cannot be appended.
func TestOffsetsApart(t *testing.T) {
	for _, c := range []struct {
		numbers []uint64
		fit     bool
	}{
		{[]uint64{0, 1<<32 - 1}, true},
		{[]uint64{0, 1 << 32}, false},
		{append(make([]uint64, offsetsPerWhole), 1<<40), true}, // it is whole
	} {
		err := func() (err error) {
			defer CatchFull(&err)
			var o offsets
			for _, number := range c.numbers {
				o.append(number)
			}
			return nil
		}()
		testkit.FailIf(t, (err == nil) != c.fit,
			"%d offsets up to %d: got %v", len(c.numbers), c.numbers[len(c.numbers)-1], err)
	}
}

// Offsets that were written and read are those that were appended, however large they are; others are rejected.
func TestOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Uint64Range(0, 1<<22-1), 0, 3*offsetsPerWhole).Draw(t, "steps")
		numbers := []uint64{0}
		for _, step := range steps {
			numbers = append(numbers, numbers[len(numbers)-1]+step)
		}
		flags := rapid.IntRange(0, 1).Draw(t, "flags")
		var o offsets
		for _, number := range numbers {
			o.append(number << flags)
		}
		wrong := -1
		if rapid.Bool().Draw(t, "damaged") && len(numbers) > 1 {
			wrong = rapid.IntRange(0, len(numbers)-1).Draw(t, "wrong")
			o.lower[wrong] += 1 << 31
		}
		var content memoryFile
		w := indexfile.NewWriter(&content, indexfile.Header{})
		o.code(indexfile.Writing(w), "x", len(numbers), 0, flags)
		testkit.OK(t, w.Finish())
		file := parsed(t, content)
		r := indexfile.NewReader(file)
		last := numbers[len(numbers)-1]
		var read, other offsets
		read.code(indexfile.Reading(r), "x", len(numbers), last, flags)
		if wrong >= 0 {
			testkit.StopIf(t, r.Err() == nil, "offset %d of %d is wrong, and was read", wrong, len(numbers))
			return
		}
		testkit.OK(t, r.Err())
		for i, number := range numbers {
			if got := read.at(uint32(i)); got != number<<flags {
				t.Fatalf("offset %d: got %d, want %d", i, got, number<<flags)
			}
		}
		if other.code(indexfile.Reading(r), "x", len(numbers), last+1, flags); r.Err() == nil {
			t.Fatal("offsets to another end were read")
		}
	})
}
