package convert

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/loader"
)

// A listed pub has the values of a row by column.
type listed map[string]string

// listedPubs draws pubs, some of which have the same name and place and differ in the postcode or the address, and the
// columns that lists of them have.
func listedPubs(t *rapid.T) (pubs []listed, columns []string) {
	columns = []string{"name", "town", "address", "postcode", "beer"}
	if rapid.Bool().Draw(t, "has coordinates") {
		columns = append(columns, "latitude", "longitude")
	}
	seen := map[string]bool{}
	for range rapid.IntRange(1, 12).Draw(t, "pubs") {
		pub := listed{
			"name":      rapid.SampledFrom([]string{"Red Lion", "RED  LION", "Bell", "Zum Löwen", "居酒屋"}).Draw(t, "name"),
			"town":      rapid.SampledFrom([]string{"Ely", "Soham", ""}).Draw(t, "town"),
			"address":   rapid.SampledFrom([]string{"1 High Street", "2 High Street", "9 Mill Lane", ""}).Draw(t, "address"),
			"postcode":  rapid.SampledFrom([]string{"CB7 4LS", "CB7 5HD", ""}).Draw(t, "postcode"),
			"latitude":  rapid.SampledFrom([]string{"52.3990", "52.39901", "52.1", ""}).Draw(t, "latitude"),
			"beer":      "7.5",
			"longitude": "0.262",
		}
		if pub["latitude"] == "" {
			pub["longitude"] = ""
		}
		key := ""
		for _, column := range columns {
			key += pub[column] + "\x00"
		}
		if !seen[key] { // which of two equal rows is the first, nothing tells
			seen[key] = true
			pubs = append(pubs, pub)
		}
	}
	return pubs, columns
}

// importedUIDs returns the UID that each pub gets in a list with some columns.
func importedUIDs(t *rapid.T, pubs []listed, columns []string) map[string]string {
	var text bytes.Buffer
	writer := csv.NewWriter(&text)
	writer.Write(columns)
	for _, pub := range pubs {
		var cells []string
		for _, column := range columns {
			cells = append(cells, pub[column])
		}
		writer.Write(cells)
	}
	writer.Flush()
	result, err := Convert(context.Background(), "list.csv", text.Bytes(), Options{AutoUID: true})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := loader.Load("out.csv", []byte(textOf(result.Snapshot)), loader.Options{})
	if err != nil || len(loaded.Directory.Pubs) != len(pubs) {
		t.Fatalf("%v, complaints %v, want %d pubs of\n%s", err, result.Complaints, len(pubs), text.String())
	}
	uids := map[string]string{}
	for i, pub := range loaded.Directory.Pubs { // in the order of the list
		uids[fmt.Sprint(pubs[i]["name"], pubs[i]["town"], pubs[i]["address"], pubs[i]["postcode"], pubs[i]["latitude"])] = pub.UID
	}
	return uids
}

// A pub keeps its automatic UID when rows and columns change their order, ratings change, and columns are added.
func TestAutoUIDStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pubs, columns := listedPubs(t)
		want := importedUIDs(t, pubs, columns)
		for range 3 {
			shuffled := rapid.Permutation(pubs).Draw(t, "rows")
			for i, pub := range shuffled {
				changed := listed{"note": fmt.Sprint("note ", i), "stars": "5", "beer": fmt.Sprint(i % 10)}
				for column, value := range pub {
					if column != "beer" {
						changed[column] = value
					}
				}
				shuffled[i] = changed
			}
			reordered := rapid.Permutation(append(slices.Clone(columns), "note", "stars")).Draw(t, "columns")
			got := importedUIDs(t, shuffled, reordered)
			for pub, uid := range want {
				if got[pub] != uid {
					t.Fatalf("%q has the UID %s with columns %v, want %s", pub, got[pub], reordered, uid)
				}
			}
		}
	})
}

// Pubs that agree in name and place are numbered in the order of their postcodes and addresses, whatever their order.
func TestTwinsAreNumbered(t *testing.T) {
	rows := []string{"Bell,52,0.2,CB1 1AA,1 High Street", "Bell,52,0.2,CB1 1AA,2 High Street", "Bell,52,0.2,CB1 1AB,1 High Street", "bell,52,0.2,,"}
	for range 8 {
		rows = append(rows[1:], rows[0])
		result, err := Convert(t.Context(), "list.csv", []byte("name,lat,lng,postcode,address\n"+strings.Join(rows, "\n")), Options{AutoUID: true})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := loader.Load("out.csv", []byte(textOf(result.Snapshot)), loader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, pub := range loaded.Directory.Pubs {
			_, number, _ := strings.Cut(strings.TrimPrefix(pub.UID, "auto-"), "-")
			want := map[string]string{"CB1 1AA,1 High Street": "", "CB1 1AA,2 High Street": "2", "CB1 1AB,1 High Street": "3", ",": "4"}[pub.Postcode+","+pub.Address]
			if number != want {
				t.Errorf("row %d, %s, %s: number %q, want %q", i+2, pub.Postcode, pub.Address, number, want)
			}
		}
	}
}
