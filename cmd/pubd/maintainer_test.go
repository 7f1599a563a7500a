package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// check explains the formats of other programs and people's mistakes; import repairs those that can be repaired.
func TestMaintainersFiles(t *testing.T) {
	contents := map[string]string{
		"misspelt.csv":   "UID,name,lattitude,longitude,revew_count\n1,Bell,51.5,-0.1,3\n2,Bear,51.6,-0.1,4.0\n",
		"semicolons.csv": "UID;name;latitude;longitude;beer\n1;Bell;51,5;-0,1;7,5\n",
		"tabs.csv":       "UID\tname\n1\tBell\n",
		"sep.csv":        "sep=;\r\nUID;name\r\n1;Bell\r\n",
		"spaces.csv":     "UID, name, latitude, longitude\n1, Bell, 51.5, -0.1\n",
		"cp1252.csv":     "UID,name\n1,King\x92s Head\n2,Bell\n",
		"latin1.csv":     "UID,name\n1,Caf\xe9\n2,Bell\n",
		"decimals.csv":   "UID,name,beer\n1,Bell,\"7,5\"\n2,Bear,\"8,25\"\n",
		"quote.csv":      "UID,name,location\n1,Bell,Diss\n2,\"Bear,Diss\n3,\"Lion\",Eye\n",
		"swallowed.csv":  "UID,name\n1,\"Bell\n2,Bear\n3,\"\n4,Lion\n",
		"whole.csv":      "UID,name,review_count,beer\n1,Bell,4.0,7\n2,Bear,12.00,8\n",
		"total.csv":      "UID,name,beer,atmos,total,review_count\n1,Bell,7,7,7,3\n2,Bear,7,7,1,3\n3,Lion,8,8,8,3\n",
	}
	swapped := "UID,name,latitude,longitude\n" // a misplaced pub is only recognised among others
	for i := range 24 {
		swapped += fmt.Sprintf("%d,Inn %d,%.2f,%.2f\n", i, i, 51+0.1*float64(i%5), -1.5+0.1*float64(i/5))
	}
	contents["exchanged.csv"] = swapped + "24,Bell,-1.25,51.25\n"
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
