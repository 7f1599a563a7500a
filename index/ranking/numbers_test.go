package ranking

import (
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index/indexfile"
)

// Numbers are what they were, also when they are read from a file with the greatest possible one, and with a smaller
// one they are refused.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]uint32{0, 1, 255, 256, 65_535, 65_536, 1<<32 - 1}).Draw(t, "most")
		want := rapid.SliceOfN(rapid.Uint32Range(0, most), 0, 50).Draw(t, "numbers")
		if rapid.Bool().Draw(t, "with the greatest") {
			want = append(want, most)
		}
		made := NewNumbers(want, most)
		var content indexfile.Memory
		w := indexfile.NewWriter(&content, indexfile.Header{Pubs: len(want)})
		made.Code(indexfile.Writing(w), "numbers", len(want), most)
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		file := testkit.Must(indexfile.Parse(content))(t)
		r := indexfile.NewReader(file)
		var read Numbers
		read.Code(indexfile.Reading(r), "numbers", len(want), most)
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		greatest := uint32(0)
		for i, number := range want {
			testkit.StopIf(t, made.At(uint32(i)) != number || read.At(uint32(i)) != number,
				"number %d of %v: got %d and %d", i, want, made.At(uint32(i)), read.At(uint32(i)))
			greatest = max(greatest, number)
		}
		if greatest > 0 {
			if read.Code(indexfile.Reading(r), "numbers", len(want), greatest-1); r.Err() == nil {
				t.Fatalf("%v: accepted as numbers up to %d", want, greatest-1)
			}
		}
	})
}
