package cli

import (
	"fmt"

	"pubd/loader"
)

// PlacesFlag is the flag for the gazetteer of a snapshot.
type PlacesFlag struct {
	Places string `placeholder:"FILE" predictor:"file" help:"A gazetteer of places to search in: CSV with name, latitude, longitude and, optional, population, radius_km and aliases; plain, .gz or .zst."`
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
