package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pubd/httpapi/query"
	"pubd/index/features"
	"pubd/index/schema"
	"pubd/loader"
	"pubd/loader/disk"
)

// PlacesFlag is the flag for the gazetteer of a snapshot.
type PlacesFlag struct {
	Places string `placeholder:"FILE" predictor:"file" help:"A gazetteer of places to search in: CSV with name, latitude, longitude and, optional, population, radius_km and aliases; plain, .gz or .zst."`
}

// FeaturesFlag is the flag for the words that mean features.
type FeaturesFlag struct {
	Features string `placeholder:"FILE" predictor:"file" help:"More words for what pubs offer, a feature a line, such as \"darts: darts, dart board\"; they add to the built-in ones."`
}

// Vocabulary returns the built-in vocabulary with the lines of the file, if there is one.
func (f *FeaturesFlag) Vocabulary() (*features.Vocabulary, error) {
	if f.Features == "" {
		return features.BuiltIn(), nil
	}
	const most = 16 << 20 // bytes
	content, _, err := disk.ReadFile(context.Background(), f.Features, most)
	if err != nil {
		return nil, fmt.Errorf("--features %w", err)
	}
	return features.BuiltIn().With(content, f.Features)
}

// ExtraFlag is the flag for the extra columns of a snapshot.
type ExtraFlag struct {
	Extra []string `placeholder:"COLUMN" help:"Extra columns to keep, such as website,phone; include=extra shows them."`
}

// Kept returns the extra columns to keep.
func (f *ExtraFlag) Kept() []schema.ExtraColumn { return schema.ExtraColumns(f.Extra) }

// Validate implements kong's check of a flag.
func (f *ExtraFlag) Validate() error {
	if err := loader.CheckExtra(f.Kept()); err != nil {
		return fmt.Errorf("--extra: %w", err)
	}
	return nil
}

// FacetFlag is the flag for the extra columns of a snapshot that answers filter by.
type FacetFlag struct {
	ExtraFlag
	Facet []string `placeholder:"COLUMN" help:"Extra columns to keep that are also filters and facets, such as style:text,price:number. Without a type, the values of each snapshot decide."`
}

// Kept returns the extra columns to keep, each once.
func (f *FacetFlag) Kept() (columns []schema.ExtraColumn) {
	facets := f.facets()
	for _, column := range f.ExtraFlag.Kept() {
		if !slices.ContainsFunc(facets, func(facet schema.ExtraColumn) bool { return facet.Name() == column.Name() }) {
			columns = append(columns, column)
		}
	}
	return append(columns, facets...)
}

func (f *FacetFlag) facets() (columns []schema.ExtraColumn) {
	for _, name := range f.Facet {
		columns = append(columns, schema.FacetPrefix+schema.ExtraColumn(name))
	}
	return columns
}

// Validate implements kong's check of a flag.
func (f *FacetFlag) Validate() error {
	if err := f.ExtraFlag.Validate(); err != nil {
		return err
	}
	if err := loader.CheckExtra(f.Kept()); err != nil {
		return fmt.Errorf("--facet: %w", err)
	}
	for _, column := range f.facets() {
		name, kind, _ := strings.Cut(column.Name(), ":")
		if kind != "" {
			return fmt.Errorf("--facet: column %q: the type %q must be number or text", name, kind)
		}
		if err := query.CheckColumn(column.Name()); err != nil {
			return fmt.Errorf("--facet: %w", err)
		}
	}
	return nil
}
