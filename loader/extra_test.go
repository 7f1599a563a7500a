package loader

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/schema"
)

// The columns address, postcode and area are always read. Others are kept on request. A value that breaks a rule is left
// out of a column that no row needs.
func TestFurtherColumns(t *testing.T) {
	for _, c := range cases(t, "further.txt") {
		result, err := Load(c.name, c.content, Options{Extra: []schema.ExtraColumn{"beds", "facet:Open Hours"}})
		got := complaintsOf(err)
		if err == nil {
			pub := result.Directory.Pubs[0]
			got = fmt.Sprintf("%s|%s|%s|%q", pub.Address, pub.Postcode, pub.Area, pub.Extra)
			if offers := pub.Features + pub.OpeningHours + pub.Brand + pub.TimeZone; offers != "" {
				got += "|" + offers
			}
			for _, complaint := range result.LeftOut {
				got += "⏎" + complaint.Error()
			}
		}
		testkit.Equal(t, string(c.content), got, c.want)
	}
}

func TestCheckExtra(t *testing.T) {
	many := strings.Split(strings.Repeat("c|", MaxExtra+1), "|")[:MaxExtra+1]
	for i := range many {
		many[i] += fmt.Sprint(i)
	}
	testkit.OK(t, CheckExtra(nil))
	testkit.OK(t, CheckExtra(schema.ExtraColumns(many[1:])))
	testkit.Equal(t, "one too many", outcome(CheckExtra(schema.ExtraColumns(many))), "has 33 columns: must have at most 32")
	for _, c := range cases(t, "extra.txt") {
		testkit.Equal(t, string(c.content), outcome(CheckExtra(schema.ExtraColumns(strings.Split(string(c.content), "|")))), c.want)
	}
}
