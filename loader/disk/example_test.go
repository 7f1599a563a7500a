package disk_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"pubd/loader/disk"
)

func ExampleDo() {
	files := &disk.Clock{Limit: time.Minute}
	_, err := disk.Do(context.Background(), files, "pubs.csv", func(context.Context) (os.FileInfo, error) { return os.Stat("pubs.csv") })
	fmt.Println("absent:", os.IsNotExist(err), "late:", disk.IsLate(err))
	// Output: absent: true late: false
}
