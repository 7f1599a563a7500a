package convert

import (
	"crypto/sha256"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/index"
)

// identifiers are columns of other programs that identify a place, in the spelling of squeezed.
var identifiers = []string{"fullid", "osmid", "businessid", "placeid", "objectid", "externalid"}

func isIdentifier(column string) bool { return slices.Contains(identifiers, squeezed(column)) }

// pairs are names of columns with both coordinates, in the spelling of squeezed.
var pairs = []string{"coordinates", "coordinate", "coords", "coord", "latlng", "latlon", "latlong", "latitudelongitude", "geom", "geometry", "thegeom",
	"wkt", "point", "geopoint", "geolocation", "georeference", "position"}

func isPair(column string) bool { return slices.Contains(pairs, squeezed(column)) }

// squeezed returns the letters and digits of a name, in lower case.
func squeezed(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "", ".", "", ":", "", ",", "", "/", "").Replace(name))
}

const decimal = `([-+]?[0-9]+(?:\.[0-9]*)?)`

var (
	pointForm = regexp.MustCompile(`(?i)^(?:SRID=4326;)?\s*POINT\s*Z?\s*\(\s*` + decimal + `\s+` + decimal + `(?:\s+[-+0-9.]+)?\s*\)$`)
	pairForm  = regexp.MustCompile(`^[([]?\s*` + decimal + `\s*[,; ]\s*` + decimal + `\s*[)\]]?$`)
)

// coordinates returns the latitude or longitude of a field with both: "51.5, -0.12" or, as PostGIS and Wikidata write
// it, "Point(-0.12 51.5)". Any other text is returned as it is, so that it is rejected as a coordinate.
func coordinates(text, member string) string {
	text = strings.TrimSpace(text)
	lat, lng := text, text
	if m := pointForm.FindStringSubmatch(text); m != nil {
		lat, lng = m[2], m[1]
	} else if m := pairForm.FindStringSubmatch(text); m != nil {
		lat, lng = m[1], m[2]
	}
	if member == "latitude" {
		return lat
	}
	return lng
}

// uidOf makes a UID from the name of a row and its coordinates, rounded to about 100 m, or without them its other
// texts that say where it is. It depends neither on other columns nor on the order of columns and rows; of pubs that
// agree in all that, the second one has -2 at its end.
func (d *draft) uidOf(cells []string) string {
	cell := func(member string) string {
		if at := slices.Index(d.members, member); at >= 0 {
			return cells[at]
		}
		return ""
	}
	key := folded(cell("name"))
	if key == "" {
		return "" // which has its own complaint
	}
	lat, errLat := strconv.ParseFloat(cell("latitude"), 64)
	lng, errLng := strconv.ParseFloat(cell("longitude"), 64)
	if errLat == nil && errLng == nil {
		key += fmt.Sprintf("\x00%.0f %.0f", math.Round(lat*1000), math.Round(lng*1000))
	} else {
		for _, member := range []string{"postcode", "address", "location"} {
			key += "\x00" + folded(cell(member))
		}
	}
	uid := fmt.Sprintf("auto-%x", sha256.Sum256([]byte(key)))[:len("auto-")+16]
	d.twins[uid]++
	if n := d.twins[uid]; n > 1 {
		uid = fmt.Sprintf("%s-%d", uid, n)
	}
	return uid
}

func folded(text string) string { return string(index.AppendFolded(nil, []byte(text))) }
