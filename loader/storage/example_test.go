package storage_test

import (
	"fmt"

	"pubd/loader/storage"
)

func ExampleParse() {
	for _, text := range []string{"pubs.csv", "https://user:password@example.org/pubs.csv?token=secret", "s3://directory/2026/pubs.idx"} {
		location, err := storage.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(location, location.Base(), location.IsLocal())
	}
	_, err := storage.Parse("http://example.org/pubs.csv")
	fmt.Println(err)
	// Output:
	// pubs.csv pubs.csv true
	// https://example.org/pubs.csv pubs.csv false
	// s3://directory/2026/pubs.idx pubs.idx false
	// http://example.org/pubs.csv: http:// is for loopback only: use https://
}
