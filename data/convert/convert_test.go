package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pubd/data/lane"
	"pubd/data/list"
)

// rows returns the rows of a snapshot, by UID, with one column.
func rows(s Snapshot, column string) map[string]string {
	all := map[string]string{}
	for _, cells := range s.Rows {
		all[cells[slices.Index(s.Columns, "UID")]] = cells[slices.Index(s.Columns, column)]
	}
	return all
}

// A broken quote costs the row that it is in, and no other.
func TestBrokenQuotes(t *testing.T) {
	for _, c := range []struct{ text, taken, rejected string }{
		{"1,A\n2,\"B\n3,C\n4,D\n", "1 3 4", "3"},
		{"1,A\n2,B\n3,\"C\n", "1 2", "4"},
		{"1,\"A\n2,B\n3,C\n", "2 3", "2"},
		{"1,\"A\n2,\"B\n3,\"C\n4,D\n", "4", "2 3 4"},
		{"1,\"A\n2,\"B\"\n3,C\n", "2 3", "2"},
		{"1,\"A\n\n\n2,\"B\n3,C\n", "3", "2 5"},
		{"1,A \"x\" y\n2,B\n", "2", "2"},
		{"1,\"A\"x\n2,B\n", "2", "2"},
		{"1,\"A\"\"\n2,B\n3,C\n", "2 3", "2"},
		{"1,\"A\r\n2,B\r\n3,C\r\n", "2 3", "2"},
		{"1,\"A\nstreet\"\n2,\"B\n3,C\n", "1 3", "4"},
	} {
		result, err := Convert(t.Context(), "in", []byte("UID,name\n"+c.text), Options{})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var lines []string
		for _, complaint := range result.Complaints {
			lines = append(lines, fmt.Sprint(complaint.Line))
		}
		taken := strings.Join(slices.Sorted(maps.Keys(rows(result.Snapshot, "UID"))), " ")
		if taken != c.taken || strings.Join(lines, " ") != c.rejected {
			t.Errorf("%q: took %s, rejected lines %s, want %s and %s", c.text, taken, lines, c.taken, c.rejected)
		}
		checkResult(t, result)
	}
}

// Reading again after broken quotes takes time in proportion to the list.
func TestManyBrokenQuotes(t *testing.T) {
	text := "UID,name\n" + strings.Repeat("1,\"\"\"\n", 200_000) + strings.Repeat("2,\"x\n", 200_000) + "3,C\n"
	result, err := Convert(t.Context(), "in", []byte(text), Options{})
	if err != nil || result.Rows < 200_000 {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestTooManyErrors(t *testing.T) {
	lane.Long(t, "reads a million rows")
	text := "UID,name\n" + strings.Repeat("7\n", maxComplaints+7)
	want := "in: reading stopped after 1000000 rejected rows: is it really a list of pubs?"
	if _, err := Convert(t.Context(), "in", []byte(text), Options{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestProgress(t *testing.T) {
	for form, text := range map[string]string{
		"csv":  "UID,name\n" + strings.Repeat("7,Bell\n", 1<<18),
		"json": "[" + strings.Repeat(`{"UID":"7","name":"Bell"},`, 1<<16) + "{}]",
	} {
		last, calls := int64(0), 0
		report := func(_ string, read, total int64) {
			if read <= last && last < total || read > total || total != int64(len(text)) {
				t.Errorf("%s: told of %d of %d after %d", form, read, total, last)
			}
			last = read
			calls++
		}
		if _, err := Convert(t.Context(), "in", []byte(text), Options{From: list.Form(form), Progress: report}); err != nil || last != int64(len(text)) || calls < 2 {
			t.Errorf("%s: %v, told of %d of %d in %d calls", form, err, last, len(text), calls)
		}
	}
}
