package atomicfile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"pubd/loader/atomicfile"
)

func Example() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	place := filepath.Join(folder, "pubs.csv")
	file, err := atomicfile.Create(place)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := file.WriteString("UID,name\nu1,The Bell\n"); err != nil {
		file.Abort()
		fmt.Println(err)
		return
	}
	_, err = os.Stat(place)
	fmt.Println("before:", os.IsNotExist(err))
	if err := file.Commit(); err != nil {
		fmt.Println(err)
		return
	}
	content, _ := os.ReadFile(place)
	fmt.Printf("after:\n%s", content)
	// Output:
	// before: true
	// after:
	// UID,name
	// u1,The Bell
}
