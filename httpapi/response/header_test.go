package response

import "testing"

// No value of a header can end its line.
func TestAppendField(t *testing.T) {
	for value, want := range map[string]string{"": "", "b": "A: b\r\n", "b\r\nC: d": "A: b  C: d\r\n", "\n": "A:  \r\n"} {
		if got := string(AppendField(nil, "A", value)); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}
