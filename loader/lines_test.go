package loader

import (
	"reflect"
	"testing"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []int
	}{
		{"a.csv", "UID,name\n1,Bell\n2,Bear\n", []int{2, 3}},
		{"a.csv", "UID,name\n1,\"Bell\nInn\"\n\n2,Bear\n3,Lion\n", []int{5, 6}},
		{"a.csv", "UID,name,beer,review_count\n1,Bell,5,0\n2,Bear,,0\n3,,,\n4,Lion,,\n", []int{3, 5}},
		{"a.json", "[\n{\"UID\":\"1\",\"name\":\"Bell\"},\n\n{\"UID\":\"2\",\"name\":\"Bear\"}]", []int{2, 4}},
		{"a.ndjson", "{\"UID\":\"1\",\"name\":\"Bell\"}\n\n{\"UID\":\"2\",\"name\":\"Bear\"}\n", []int{1, 3}},
	} {
		result, err := Load(c.name, []byte(c.text), Options{MaxBadRows: 9, Lines: true})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if !reflect.DeepEqual(result.Lines, c.want) || len(result.Lines) != len(result.Directory.Pubs) {
			t.Errorf("%q: got %d pubs on lines %d, want %d", c.text, len(result.Directory.Pubs), result.Lines, c.want)
		}
		if result, err = Load(c.name, []byte(c.text), Options{MaxBadRows: 9}); err != nil || result.Lines != nil {
			t.Errorf("%q, lines not asked for: got %d, %v", c.text, result.Lines, err)
		}
	}
}
