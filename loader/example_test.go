package loader_test

import (
	"fmt"

	"pubd/loader"
)

func Example() {
	result, err := loader.Load("pubs.csv", []byte("UID,name,latitude,longitude\nu1,The Bell,51.5,-0.1\n"), loader.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pub := result.Directory.Pubs[0]
	fmt.Println(pub.UID, pub.Name, pub.Latitude, pub.Longitude)

	_, err = loader.Load("pubs.csv", []byte("UID,name,latitude,longitude\nu1,The Bell,91.5,-0.1\n"), loader.Options{})
	fmt.Println(err)
	// Output:
	// u1 The Bell 51.5 -0.1
	// pubs.csv:2: latitude "91.5": must be from -90 to 90
}
