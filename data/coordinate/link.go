package coordinate

import (
	"net/url"
	"regexp"
	"strings"
)

// between reads a latitude and a longitude as programs write them.
func between(lat, lng string) (result, bool) {
	a, okA := decimal(lat)
	b, okB := decimal(lng)
	if !okA || !okB {
		return refused(unreadable), true
	}
	return degrees(a, b), true
}

const parameter = `([-+]?[0-9.]+)`

var (
	linkForm = regexp.MustCompile(`(?i)^(?:https?://|www\.|maps\.|goo\.gl/)[^\s]*$`)
	// Google's links have the place in their data, and the middle of the map after the @.
	markerForm = regexp.MustCompile(`!3d` + parameter + `!4d` + parameter)
	middleForm = regexp.MustCompile(`/@` + parameter + `,` + parameter)
	// OpenStreetMap's have zoom, latitude and longitude.
	mapForm = regexp.MustCompile(`map=[0-9.]+/` + parameter + `/` + parameter)
)

// fromLink reads a link to a map: of a marker if it has one, otherwise of the middle of the map.
func fromLink(text string) (result, bool) {
	if !linkForm.MatchString(text) {
		return result{}, false
	}
	without := refused("is a link without coordinates: open it, and copy those of the place, such as %s", example)
	u, err := url.Parse(text)
	if err != nil {
		return without, true
	}
	query := u.Query()
	if m := markerForm.FindStringSubmatch(u.Path); m != nil {
		return between(m[1], m[2])
	}
	for _, names := range [][2]string{{"mlat", "mlon"}, {"lat", "lng"}, {"lat", "lon"}, {"latitude", "longitude"}} {
		if query.Has(names[0]) && query.Has(names[1]) {
			return between(query.Get(names[0]), query.Get(names[1]))
		}
	}
	for _, name := range []string{"q", "query", "ll", "destination", "daddr", "center", "cp"} {
		value := strings.Replace(strings.TrimPrefix(query.Get(name), "loc:"), "~", ",", 1)
		if r, ok := plain(value); ok {
			return r, true
		}
	}
	if m := middleForm.FindStringSubmatch(u.Path); m != nil {
		return between(m[1], m[2])
	}
	if m := mapForm.FindStringSubmatch(u.Fragment); m != nil {
		return between(m[1], m[2])
	}
	return without, true
}
