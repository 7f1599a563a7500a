package convert

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// What is left out is told with what it may be, and the --map that takes it; a list in place of its plan is an error.
func TestHints(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"id,name,lattitude,longtitude,adress,Fax\n1,Bell,53.8,-1.5,1 High St,7\n", "lattitude: is it latitude? --map latitude=lattitude; longtitude: is it longitude? --map longitude=longtitude; adress: is it address? --map address=adress"},
		{"id,name,longitude,lattitude\n1,Bell,-1.5,53.8\n", "longitude: is one of two coordinates, and no column is known to be the other: --map latitude=COLUMN and --map longitude=longitude; lattitude: is it latitude? --map latitude=lattitude"},
		{"id,name,northing\n1,Bell,180381\n", "northing: is one of two coordinates, and no column is known to be the other: --map easting=COLUMN and --map northing=northing"},
		{"id,name,a,b\n1,Bell,-1.512,53.812\n2,Bear,-1.513,53.813\n", "b: is it latitude? --map latitude=b; a: is it longitude? --map longitude=a"},
		{"id,name,when,where\n1,Bell,Mo-Fr 12:00-23:00,\"12 High Street, Diss\"\n", "when: are these opening hours? --map opening_hours=when; where: is it the address? --map address=where"},
		{"id,name,total\n1,Bell,18\n2,Bear,25\n", "total: ratings up to 25, not 10: are they out of 25? --map total=total/25"},
		{"id,name,hours\n" + strings.Repeat("1,Bell,ask\n", 3000), "none: too few can be read (--map opening_hours=COLUMN takes them)"},
		{"id,name,x\n1,Bell,ask\n", ""}, // which is a Wednesday in Spanish, and no week
		{"id,name,lattitude,lat,lng,Fax\n1,Bell,good,53.8,-1.5,0123\n", ""},
		{"fas_id,name,address,postcode,easting,northing,latitude,longitude,local_authority\n", `! in:1: no column is a UID: add --map openpubs to the command. The columns are`},
		{"24,Anchor,\"Upper Street\",CO7 6LW,604748,234405,51.97039,0.979328,Babergh\n", `! in:1: has no line of names, as that published list: add --map openpubs to the command`},
	} {
		var plan Plan
		_, err := Convert("in", []byte(c.text), Options{Planned: func(p Plan) { plan = p }})
		var hints []string
		for _, step := range plan.Steps {
			if (step.To == "left out" || step.To == "opening_hours") && !strings.HasSuffix(step.From, "(--extra keeps them)") {
				hints = append(hints, step.From)
			}
		}
		got := strings.Join(hints, "; ")
		if err != nil {
			got, _, _ = strings.Cut(fmt.Sprintf("! %v", err), ` "fas_id"`)
		}
		testkit.Equal(t, c.text, got, c.want)
	}
}
