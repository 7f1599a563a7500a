package merge

import (
	"fmt"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/lists/cell"
	"pubd/geo"
)

// Finding towns takes time by the number of pubs, wherever they are: comparing each with all would take minutes.
func TestTownsOfMany(t *testing.T) {
	testkit.Long(t, "finds the towns of 80,000 pubs")
	for name, where := range map[string]func(i int) geo.Point{
		"at one point":  func(int) geo.Point { return geo.Point{Lat: 51.5} },
		"at two points": func(i int) geo.Point { return geo.Point{Lat: 51.5 + float64(i%2)/1000} },
		"around one": func(i int) geo.Point {
			return geo.Point{Lat: 51.5 + float64(i%2*(i%997))/1e5, Lng: float64(i%2*(i%991)) / 1e5}
		},
		"in one square mile": func(i int) geo.Point { return geo.Point{Lat: 51.5 + float64(i%997)/7e4, Lng: float64(i%991) / 5e4} },
	} {
		const pubs = 80_000
		d := &Draft{columns: []string{cell.LocationColumn, cell.LatitudeColumn, cell.LongitudeColumn}}
		for i := range pubs {
			d.rows = append(d.rows, []string{[]string{"", "Diss"}[i%2], fmt.Sprint(where(i).Lat), fmt.Sprint(where(i).Lng)})
		}
		if located := d.locate(TownsOfAll, nil); located != pubs/2 {
			t.Errorf("%s: %d of %d pubs were located, want half", name, located, pubs)
		}
	}
}
