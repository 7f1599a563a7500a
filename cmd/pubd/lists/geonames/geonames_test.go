package geonames

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// line returns a line of a dump.
func line(name, others, code string, population int) string {
	return fmt.Sprintf("1\t%s\t%s\t%s\t51.5\t-0.1\tX\t%s\tGB\t\tENG\t\t\t\t%d\t\t9\tEurope/London\t2026-01-01\n", name, name, others, code, population)
}

func TestConvert(t *testing.T) {
	for _, c := range []struct{ line, row string }{
		{line("Leeds", "LBA,Лидс,Leeds,Loidis,https://en.wikipedia.org/wiki/Leeds", "PPL", 516298), "Leeds,51.5,-0.1,516298,,LBA;Loidis"},
		{line("Leeds Railway Station", "", "RSTN", 0), "Leeds Railway Station,51.5,-0.1,0,,Leeds station;Leeds train station"},
		{line("Oxford Circus", "", "MTRO", 0), "Oxford Circus,51.5,-0.1,0,,Oxford Circus station;Oxford Circus railway station;Oxford Circus train station"},
		{line("Warwick Castle", "", "CSTL", 0), "Warwick Castle,51.5,-0.1,0,,"},
		{line("Heathrow", "LHR", "AIRP", 0), "Heathrow,51.5,-0.1,0,,Heathrow airport;LHR"},
		{line("England", "", "ADM1", 55619400), "England,51.5,-0.1,55619400,210,"},
		{line("Greater London", "", "ADM2", 8908081), "Greater London,51.5,-0.1,8908081,45,"},
		{line("Rutland", "", "ADM3", 0), "Rutland,51.5,-0.1,0,10,"},
		{line("Some Hill", "", "HLL", 0), ""},
	} {
		var out strings.Builder
		testkit.Must(Convert(strings.NewReader(c.line), &out))(t)
		want := "name,latitude,longitude,population,radius_km,aliases\n"
		if c.row != "" {
			want += c.row + "\n"
		}
		testkit.Equal(t, c.line, out.String(), want)
	}
	said := testkit.Must(Convert(strings.NewReader(line("A", "", "PPL", 0)+line("B", "", "RSTN", 0)+line("C", "", "PPL", 0)), new(strings.Builder)))(t)
	testkit.Equal(t, "said", said, "2 populated places, 1 stations")
}

func TestErrors(t *testing.T) {
	for dump, want := range map[string]string{
		"name,latitude\n": "1: has 1 columns: must be a dump of GeoNames, with 19, separated by tabs",
		line("A", "", "PPL", 0) + strings.Replace(line("A", "", "PPL", 7), "\t7\t", "\tmany\t", 1): `2: population "many": must be a number`,
	} {
		_, err := Convert(strings.NewReader(dump), new(strings.Builder))
		testkit.Equal(t, dump, fmt.Sprint(err), want)
	}
}
