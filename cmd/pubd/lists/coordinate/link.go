package coordinate

import (
	"net/url"
	"regexp"
	"strings"
)

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
	var places []string // the best first
	add := func(form *regexp.Regexp, of string) {
		if m := form.FindStringSubmatch(of); m != nil {
			places = append(places, m[1]+", "+m[2])
		}
	}
	add(markerForm, u.Path)
	for _, names := range [][2]string{{"mlat", "mlon"}, {"lat", "lng"}, {"lat", "lon"}, {"latitude", "longitude"}} {
		places = append(places, query.Get(names[0])+", "+query.Get(names[1]))
	}
	for _, name := range []string{"q", "query", "ll", "destination", "daddr", "center", "cp"} {
		places = append(places, strings.Replace(strings.TrimPrefix(query.Get(name), "loc:"), "~", ",", 1))
	}
	add(middleForm, u.Path)
	add(mapForm, u.Fragment)
	for _, place := range places {
		if r, ok := plain(place); ok {
			return r, true
		}
	}
	return without, true
}
