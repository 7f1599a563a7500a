package convert

import (
	"slices"
	"strings"

	"pubd/cmd/pubd/lists/cell"
)

// presets are what the columns of published lists mean, and the names of those of a table that lacks them.
var presets = map[string]struct {
	mappings []Mapping
	header   []string
}{
	// Open Brewery DB, as JSON or a table: an area is a state and its country.
	"breweries": {mappings: []Mapping{
		{Ours: "area", Theirs: "state", IfThere: true},
		{Ours: "area", Theirs: "state_province", IfThere: true},
		{Ours: "area", Theirs: "country", IfThere: true},
	}},
	// Open Pubs, with or without the line of names.
	"openpubs": {
		mappings: []Mapping{{Ours: "UID", Theirs: "fas_id", IfThere: true}},
		header:   strings.Split("fas_id,name,address,postcode,easting,northing,latitude,longitude,local_authority", ","),
	},
}

// Preset returns what the columns of a published list mean, and the names of those of a table as [list.Options.Header]
// has them, if it needs them; ok is false if there is no preset of that name.
func Preset(name string) (mappings []Mapping, header []string, ok bool) {
	preset, ok := presets[name]
	return preset.mappings, preset.header, ok
}

// presetFlag returns the --map of the published list that a list is by the names of its columns or, without them, by as
// many columns with a name and coordinates where that has them; empty if it is none.
func (p *plan) presetFlag() string {
	for name, preset := range presets {
		if len(preset.header) == 0 || len(preset.header) != len(p.list.Columns) {
			continue
		}
		isLike := func(of string, is func(string) bool) bool { return is(p.list.Columns[slices.Index(preset.header, of)]) }
		if slices.Equal(p.list.Columns, preset.header) || isLike(cell.NameColumn, hasLetter.MatchString) && isLike(cell.LatitudeColumn, numeric.MatchString) && isLike(cell.LongitudeColumn, numeric.MatchString) {
			return "--map " + name
		}
	}
	return ""
}
