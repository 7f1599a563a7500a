package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// check explains the formats of other programs and people's mistakes; import repairs those that can be repaired.
func TestMaintainersFiles(t *testing.T) {
	contents := map[string]string{}
	for _, c := range cases(t, "maintainer.txt") {
		content, err := strconv.Unquote(c.want)
		ok(t, err)
		contents[c.given] = content
	}
	testdata := files(t, contents)
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		code, out, errs := runFor(t, "check", name)
		all.WriteString("$ pubd check " + name + "\n" + out + errs)
		if code != exitOK && strings.Contains(out, "pubd import --from csv converts it") {
			_, _, errs := runFor(t, "import", "--from=csv", name, "converted.csv")
			all.WriteString("$ pubd import --from csv " + name + " converted.csv\n" + errs)
			must(t, "check", "converted.csv")
		}
		all.WriteString("\n")
	}
	checkGolden(t, filepath.Join(testdata, "check", "maintainer.txt"), all.String())
}
