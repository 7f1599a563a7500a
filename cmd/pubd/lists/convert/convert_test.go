package convert

import (
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/lists/merge"
)

// rows returns the rows of a snapshot, by UID, with one column.
func rows(s merge.Snapshot, column string) map[string]string {
	all := map[string]string{}
	for _, cells := range s.Rows {
		all[cells[slices.Index(s.Columns, "UID")]] = cells[slices.Index(s.Columns, column)]
	}
	return all
}

// Reading again after broken quotes takes time in proportion to the list.
func TestManyBrokenQuotes(t *testing.T) {
	text := "UID,name\n" + strings.Repeat("1,\"\"\"\n", 50_000) + strings.Repeat("2,\"x\n", 50_000) + "3,C\n"
	result, err := Convert("in", []byte(text), Options{})
	testkit.FailIf(t, err != nil || result.Rows < 50_000, "got %+v, %v", result, err)
}

func TestTooManyErrors(t *testing.T) {
	testkit.Long(t, "reads a million rows")
	text := "UID,name\n" + strings.Repeat("7\n", maxComplaints+7)
	want := "in: reading stopped after 1000000 rejected rows: is it really a list of pubs?"
	if _, err := Convert("in", []byte(text), Options{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
