// Package heading says what the names of the columns of lists may mean: columns of a snapshot and parts of them, by their
// usual names in several languages.
package heading

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pubd/cmd/pubd/lists/cell"
	"pubd/index/schema"
	"pubd/index/text"
	"pubd/loader"
)

// The columns of a list that are none of a snapshot, but that one is made from.
const (
	BothCoordinates = "coordinates"
	LatitudeFirst   = "latitude,longitude" // both, in this order
	LongitudeFirst  = "longitude,latitude"
	Easting         = "easting"
	Northing        = "northing"
	Identifier      = "identifier"
	HouseName       = "house name"
	HouseNumber     = "house number"
	Street          = "street"
	FurtherLine     = "further line"
	Tag             = "tag" // of OpenStreetMap, which the category is made from
	Operator        = "operator"
	Country         = "country"
)

// Parts are their usual names.
var Parts = map[string][]string{
	BothCoordinates: {"geometry", "coordinates", "coordinate", "coords", "coord", "latlng", "lat_lon", "lat_long", "latitude_longitude", "geom",
		"the_geom", "wkt", "point", "geo_point", "geo_point_2d", "geolocation", "georeference", "gps", "position", "geo", "grid_reference",
		"grid_ref", "os_grid", "google_maps_link", "map_link", "Koordinaten", "coordonnées", "coordenadas", "souřadnice"},
	Easting:  {"easting", "eastings", "os_easting", "x_coordinate", "geox"},
	Northing: {"northing", "northings", "os_northing", "y_coordinate", "geoy"},
	Identifier: {"full_id", "osm_id", "business_id", "place_id", "object_id", "external_id", "fhrsid", "fsq_id", "fsq_place_id",
		"licence_number", "license_number"},
	HouseName:   {"addr:housename", "housename", "building_name"},
	HouseNumber: {"addr:housenumber", "housenumber", "street_number", "Hausnummer", "numéro", "číslo popisné"},
	Street:      {"street", "street_name", "addr:street", "addr:place", "Straße", "rue", "calle", "ulice"},
	FurtherLine: {"address_line_2", "address_2", "address_line_3", "address_3"},
	Tag:         {"amenity", "cuisine", "microbrewery", "craft", "industrial"},
	Operator:    {"operator"},
	Country:     {"addr:country"},
}

// A Meaning is the role of a column of a list: a column of a snapshot or a part of one. Of several columns that
// mean the same, the one of the lowest rank is the best.
type Meaning struct {
	Of   string
	Rank int
}

// meanings has those of all usual names, in the form of [loader.PlainName].
var meanings = func() map[string][]Meaning {
	all := map[string][]Meaning{}
	add := func(of string, names []string) {
		for rank, name := range names {
			name = loader.PlainName(name)
			if !slices.ContainsFunc(all[name], func(m Meaning) bool { return m.Of == of }) {
				all[name] = append(all[name], Meaning{of, rank})
			}
		}
	}
	for _, c := range schema.Columns {
		add(c.Name, slices.Concat([]string{c.Name}, c.Aliases, c.Usual))
	}
	for part, names := range Parts {
		add(part, names)
	}
	return all
}()

// Words of names: see the lists of these names in words.txt.
var heldNames, wrapperNames = cell.Words("held"), cell.Words("wrappers")

// Nested is added to the rank of a member of an object inside a row.
const Nested = 1000

// Meanings returns what a name of a list may stand for. A member of a member means what its parents say: the city of
// an address is the town, and so is the name of a city, but the status of an entrance is not that of the pub. Names that
// begin with @, but identifier and coordinates, are about the row.
func Meanings(name string) []Meaning {
	if last := name[strings.LastIndexByte(name, '.')+1:]; strings.HasPrefix(last, "@") && !slices.Contains([]string{"@id", "@lat", "@lon"}, last) {
		return nil
	}
	if label, found := strings.CutSuffix(name, "Label"); found && meanings[loader.PlainName(name)] == nil { // of Wikidata
		name = label
	}
	names := strings.Split(name, ".")
	held := len(names)
	for held > 1 && heldNames[loader.PlainName(names[held-1])] {
		held--
	}
	for ; held <= len(names); held++ { // the name of a city is the city, and that of a venue its name
		if found := meaningsIn(names[:held], len(names)-held); found != nil {
			return found
		}
	}
	words := strings.FieldsFunc(strings.ToLower(Split(name)), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, of := range []string{cell.LatitudeColumn, cell.LongitudeColumn} {
		if known := coordinateWords[of]; len(words) > 1 && (slices.Contains(known, words[0]) || slices.Contains(known, words[len(words)-1])) {
			return []Meaning{{of, Nested - 1}}
		}
	}
	return nil
}

// coordinateWords begin or end names of coordinates, such as decimalLatitude and "Latitude (WGS84)".
var coordinateWords = map[string][]string{cell.LatitudeColumn: {"latitude", "lat"}, cell.LongitudeColumn: {"longitude", "lng", "lon", "long"}}

// meaningsIn returns those of names that lead to a member, of which some are above or below it. A rating in ratings is no
// count of them: the total of ratings.total.
func meaningsIn(names []string, above int) (found []Meaning) {
	last := len(names) - 1
	for _, m := range meanings[loader.PlainName(strings.Join(names, "."))] {
		if last > 0 && m.Of == schema.Columns[schema.ColumnReviewCount].Name && loader.KindOf(loader.ColumnName(names[last])) == schema.Decimal {
			break
		}
		found = append(found, Meaning{m.Of, m.Rank + Nested*(above+last)})
	}
	if found != nil || last == 0 {
		return found
	}
	parent := loader.PlainName(names[0])
	for _, m := range meaningsIn(names[1:], above+1) {
		isOfItself := slices.Contains(ofItself, m.Of) || loader.KindOf(m.Of) == schema.Decimal && m.Of != cell.LatitudeColumn && m.Of != cell.LongitudeColumn
		if wrapperNames[parent] || !isOfItself && !IsPersonal(parent) {
			found = append(found, m)
		}
	}
	return found
}

// ofItself has what a member says of its parent only, be that the pub or something that it has, as ratings do: not where it
// is.
var ofItself = []string{cell.UIDColumn, cell.NameColumn, cell.TradingColumn, cell.CategoryColumn, cell.BrandColumn, cell.FeaturesColumn, cell.AltNamesColumn, Identifier}

// OfPub returns the name of a column without the names of members around it that say nothing about it.
func OfPub(name string) string {
	for {
		outer, inner, isNested := strings.Cut(name, ".")
		if !isNested || !wrapperNames[loader.PlainName(outer)] {
			return name
		}
		name = inner
	}
}

// Split divides the words of a name such as hasBeerGarden.
func Split(name string) string { return humps.ReplaceAllString(name, "$1 $2") }

var (
	humps    = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
	personal = regexp.MustCompile(`licen[cs]ee|applicant|owner|holder|contact|manager|director|operator|person|agent|firstname|lastname|surname|forename`)
)

// IsPersonal reports whether a plain name is that of a column about a person.
func IsPersonal(plain string) bool { return personal.MatchString(plain) }

// IsKnown reports whether a plain name means something.
func IsKnown(plain string) bool { return meanings[plain] != nil }

// Near returns the column of a snapshot that a name nearly means, of those that may be meant; empty if there is none.
func Near(name string, may func(of string) bool) (of string) {
	const shortest = 4
	name = loader.PlainName(name)
	least := len(name) // which is 0 for a name without letters
	for _, known := range slices.Sorted(maps.Keys(meanings)) {
		most := 1
		if loader.ColumnName(known) != "" {
			most = min(2, (len(known)-1)/3)
		}
		if len(known) < shortest || max(len(known)-len(name), len(name)-len(known)) > most || name[0] != known[0] {
			continue
		}
		edits := text.Edits(name, known)
		for _, m := range meanings[known] {
			if 0 < edits && edits <= most && edits < least && loader.ColumnName(m.Of) != "" && may(m.Of) {
				of, least = m.Of, edits
			}
		}
	}
	return of
}
