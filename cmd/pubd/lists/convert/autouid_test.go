package convert

import (
	"maps"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/loader"
)

// A pub keeps its automatic UID when rows and columns change their order, ratings change, and columns are added.
func TestAutoUIDStays(t *testing.T) {
	const first = "name,town,address,postcode,latitude,longitude,beer\n" +
		"Red Lion,Ely,1 High Street,CB7 4LS,52.3990,0.262,7\nRED  LION,Ely,,,52.1,0.262,7\n" +
		"Bell,Ely,1 High Street,CB7 4LS,,,7\nBell,Ely,2 High Street,,,,7\nBell,Soham,,,,,7\n居酒屋,,,,,,7\n"
	const second = "note,beer,longitude,latitude,postcode,address,town,name\n" +
		"a,1,,,,,,居酒屋\nb,2,,,,2 High Street,Ely,Bell\nc,3,0.262,52.39901,CB7 4LS,1 High Street,Ely,Red Lion\n" +
		"d,4,,,,,Soham,Bell\ne,5,,,CB7 4LS,1 High Street,Ely,Bell\nf,6,0.262,52.1,,,Ely,RED LION\n"
	var uids [2]map[string]bool
	for i, text := range []string{first, second} {
		uids[i] = map[string]bool{}
		result := testkit.Must(Convert("in", []byte(text), Options{AutoUID: true}))(t)
		checkResult(t, result)
		for _, uid := range rows(result.Snapshot, "UID") {
			uids[i][uid] = true
		}
	}
	testkit.FailIf(t, len(uids[0]) != 6 || !maps.Equal(uids[0], uids[1]),
		"got %v, and %v in another order", uids[0], uids[1])
}

// Pubs that agree in name and place are numbered in the order of their postcodes and addresses, whatever their order.
func TestTwinsAreNumbered(t *testing.T) {
	rows := []string{"Bell,52,0.2,CB1 1AA,1 High Street", "Bell,52,0.2,CB1 1AA,2 High Street", "Bell,52,0.2,CB1 1AB,1 High Street", "bell,52,0.2,,"}
	for range 8 {
		rows = append(rows[1:], rows[0])
		text := "name,lat,lng,postcode,address\n" + strings.Join(rows, "\n")
		result := testkit.Must(Convert("list.csv", []byte(text), Options{AutoUID: true}))(t)
		loaded := testkit.Must(loader.Load("out.csv", []byte(textOf(result.Snapshot)), loader.Options{}))(t)
		for i, pub := range loaded.Directory.Pubs {
			_, number, _ := strings.Cut(strings.TrimPrefix(pub.UID, "auto-"), "-")
			want := map[string]string{"CB1 1AA,1 High Street": "", "CB1 1AA,2 High Street": "2", "CB1 1AB,1 High Street": "3", ",": "4"}[pub.Postcode+","+pub.Address]
			testkit.FailIf(t, number != want,
				"row %d, %s, %s: number %q, want %q", i+2, pub.Postcode, pub.Address, number, want)
		}
	}
}
