package cli

import (
	"fmt"
	"os"

	"pubd/loader"
	"pubd/loader/feed/worker"
)

// PlacesFlag is the flag for the gazetteer of a snapshot.
type PlacesFlag struct {
	Places string `placeholder:"FILE" predictor:"file" help:"A gazetteer of places to search in: CSV with name, latitude, longitude and, optional, population; plain, .gz or .zst."`
}

// ExtraFlag is the flag for the extra columns of a snapshot.
type ExtraFlag struct {
	Extra []string `placeholder:"COLUMN" help:"Extra columns to keep, such as website,opening_hours; include=extra shows them."`
}

// Validate implements kong's check of a flag.
func (f *ExtraFlag) Validate() error {
	if err := loader.CheckExtra(f.Extra); err != nil {
		return fmt.Errorf("--extra: %w", err)
	}
	return nil
}

// WatchMemory ends the program with figures when a snapshot takes more memory than there is, before the kernel does.
func WatchMemory(t Terminal, name string) (stop func()) {
	worker.LimitMemory()
	return worker.Watch(worker.FreeMemory(), nil, func(took int64, room worker.Room) {
		fmt.Fprintln(t.Err, "pubd:", &worker.OutOfMemory{Name: name, Took: took, Free: room})
		os.Exit(ExitError)
	})
}
