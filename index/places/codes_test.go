package places

import (
	"testing"
	"time"

	"pubd/index/text"
)

// Completing ends in a file that has a postcode twice, as a phrase and among the codes. The models of package index show
// what places and completions are.
func TestRepeatedCodeEnds(t *testing.T) {
	x := Index{phrases: text.NewDictionary([][]byte{[]byte("ls1"), []byte("ls1 1aa")}, true)}
	x.suggested.completions.Terms = text.NewDictionary(nil, false)
	x.codes = codes{outwards: []uint32{0}, starts: []uint32{0, 1}, inwards: []uint32{inwardOf([]byte("1aa"))}, pubs: []uint32{0}}
	var w Workspace
	// An endless loop would otherwise last until go test gives up, after ten minutes.
	late := time.AfterFunc(10*time.Second, func() { panic("completing does not end") })
	defer late.Stop()
	if got := x.AppendBegun(nil, []byte("ls1"), &w); len(got) != 3 {
		t.Errorf("got %v", got)
	}
}
