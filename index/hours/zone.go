package hours

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"sync"
	"time"
)

//go:generate cp ${GOROOT}/lib/time/zoneinfo.zip .

// zoneFile is the time zone database of the Go release.
//
//go:embed zoneinfo.zip
var zoneFile []byte

// zones are the files of the database by name.
var zones = sync.OnceValue(func() map[string]*zip.File {
	archive, err := zip.NewReader(bytes.NewReader(zoneFile), int64(len(zoneFile)))
	if err != nil {
		panic(err)
	}
	files := map[string]*zip.File{}
	for _, file := range archive.File {
		files[file.Name] = file
	}
	return files
})

// IsZone reports whether a text names a time zone, such as Europe/London: one of those that the program carries, not of
// the machine, so that hours mean the same on all machines.
func IsZone(name string) bool { return zones()[name] != nil }

// Zone returns a time zone by its name.
func Zone(name string) (*time.Location, error) {
	file := zones()[name]
	if file == nil {
		return nil, fmt.Errorf("time zone %q: must be a name such as Europe/London", name)
	}
	r, err := file.Open()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(name, content)
}
