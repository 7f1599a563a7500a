package loader

import (
	"fmt"
	"testing"
)

func TestLines(t *testing.T) {
	for _, c := range cases(t, "lines.txt") {
		result, err := Load(c.name, c.content, Options{MaxBadRows: 9, Lines: true})
		ok(t, err)
		equal(t, string(c.content), fmt.Sprint(result.Lines), c.want)
		equal(t, string(c.content)+": pubs", len(result.Directory.Pubs), len(result.Lines))
		result, err = Load(c.name, c.content, Options{MaxBadRows: 9})
		failIf(t, err != nil || result.Lines != nil, "%q, lines not asked for: got %v, %v", c.content, result, err)
	}
}
