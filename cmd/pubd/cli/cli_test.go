package cli

import (
	"fmt"
	"testing"

	"pubd/bench/testkit"
)

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 51566: "51,566", 100000: "100,000", 1234567: "1,234,567"} {
		testkit.Equal(t, fmt.Sprintf("%d", n), Grouped(n), want)
	}
}
