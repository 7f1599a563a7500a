package segment

import (
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index/indexfile"
)

// Offsets are what they were made of when they are read from a file, which must end where they do.
func TestOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := []uint64{0}
		for _, length := range rapid.SliceOfN(rapid.Uint64Range(0, rapid.SampledFrom([]uint64{1, 200, 1 << 20}).Draw(t, "most")), 0, 100).Draw(t, "lengths") {
			want = append(want, want[len(want)-1]+length)
		}
		var content indexfile.Memory
		w := indexfile.NewWriter(&content, indexfile.Header{})
		made := newOffsets(want)
		made.code(indexfile.Writing(w), "offsets", len(want), nil)
		testkit.OK(t, w.Finish())
		r := indexfile.NewReader(testkit.Must(indexfile.Parse(content))(t))
		var read offsets
		read.code(indexfile.Reading(r), "offsets", len(want), func(last uint64) bool { return last == want[len(want)-1] })
		testkit.OK(t, r.Err())
		for i, number := range want {
			testkit.StopIf(t, read.at(uint32(i)) != number, "%d of %v: got %d", i, want, read.at(uint32(i)))
		}
		read.code(indexfile.Reading(r), "offsets", len(want), func(uint64) bool { return false })
		testkit.StopIf(t, r.Err() == nil, "another end of %v is accepted", want)
	})
}
