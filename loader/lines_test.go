package loader

import (
	"fmt"
	"testing"

	"pubd/bench/testkit"
)

func TestLines(t *testing.T) {
	for _, c := range cases(t, "lines.txt") {
		result, err := Load(c.name, c.content, Options{MaxBadRows: 9})
		testkit.OK(t, err)
		testkit.Equal(t, string(c.content), fmt.Sprint(result.Lines), c.want)
		testkit.Equal(t, string(c.content)+": pubs", len(result.Directory.Pubs), len(result.Lines))
	}
}
