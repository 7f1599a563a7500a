package coordinate

import (
	"regexp"
	"strings"
)

var linkForm = regexp.MustCompile(`(?i)^(?:https?://|www\.|maps\.|goo\.gl/)[^\s]*$`)

// linkForms find a latitude and a longitude in a link to a map: those of a marker before those of the middle of the
// map.
var linkForms = func() (forms []*regexp.Regexp) {
	const number = `([-+]?[0-9.]+)`
	for _, form := range []string{
		`!3dN!4dN`,
		`[?&](?:mlat|lat|latitude)=N&(?:.*&)?(?:mlon|lng|lon|longitude)=N`,
		`[?&](?:q|query|ll|destination|daddr|center|cp)=(?:loc:)?N(?:,|~|%2C)(?:\+|%20)?N`,
		`/@N,N`,
		`#map=[0-9.]+/N/N`,
	} {
		forms = append(forms, regexp.MustCompile(strings.ReplaceAll(`(?i)`+form, "N", number)))
	}
	return forms
}()

// fromLink reads a link to a map.
func fromLink(text string) (result, bool) {
	if !linkForm.MatchString(text) {
		return result{}, false
	}
	for _, form := range linkForms {
		if m := form.FindStringSubmatch(text); m != nil {
			lat, okLat := decimal(m[1])
			lng, okLng := decimal(m[2])
			if okLat && okLng {
				return degrees(lat, lng), true
			}
		}
	}
	return refused("is a link without coordinates: open it, and copy those of the place, such as %s", example), true
}
