package hours

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"sync"
	"time"
)

//go:generate cp ${GOROOT}/lib/time/zoneinfo.zip .

// zoneFile is the time zone database of the Go release.
//
//go:embed zoneinfo.zip
var zoneFile []byte

// zones has the files of the database by name.
var zones = sync.OnceValue(func() fs.FS {
	files, err := zip.NewReader(bytes.NewReader(zoneFile), int64(len(zoneFile)))
	if err != nil {
		panic(err)
	}
	return files
})

// IsZone reports whether a text names a time zone, such as Europe/London: one of those that the program carries, not of
// the machine, so that hours mean the same on all machines.
func IsZone(name string) bool {
	info, err := fs.Stat(zones(), name)
	return err == nil && info.Mode().IsRegular()
}

// Zone returns a time zone by its name.
func Zone(name string) (*time.Location, error) {
	content, err := fs.ReadFile(zones(), name)
	if err != nil {
		return nil, fmt.Errorf("time zone %q: must be a name such as Europe/London", name)
	}
	return time.LoadLocationFromTZData(name, content)
}
