package coordinate

import (
	"regexp"
	"strings"
)

var isoForm = regexp.MustCompile(`^([-+])([0-9]+)(\.[0-9]+)?([-+])([0-9]+)(\.[0-9]+)?(?:[-+][0-9.]+)?(?:CRS([^/]*))?/?$`)

// fromISO6709 reads the strings of ISO 6709, annex H: "+51.5-000.12/", "+5130.4-00007.7/", "+513026-0000739/", with an
// altitude and the reference system at their end.
func fromISO6709(text string) (result, bool) {
	m := isoForm.FindStringSubmatch(text)
	if m == nil {
		return result{}, false
	}
	lat, okLat := compact(m[1], m[2], m[3], 2)
	lng, okLng := compact(m[4], m[5], m[6], 3)
	if !okLat || !okLng || m[7] != "" && m[7] != "WGS_84" {
		return refused(unreadable), true
	}
	return degrees(lat, lng), true
}

// compact reads degrees of at most the given number of digits; or of exactly as many, with two digits each of minutes and
// seconds.
func compact(sign, whole, fraction string, digits int) (number, bool) {
	if len(whole) <= digits {
		return decimal(sign + whole + fraction)
	}
	parts := []string{whole[:digits]}
	for rest := whole[digits:]; rest != ""; rest = rest[2:] {
		if len(rest) == 1 || len(parts) == 3 {
			return number{}, false
		}
		parts = append(parts, rest[:2])
	}
	a, ok := readAngle(sign + strings.Join(parts, " ") + fraction)
	return a.number, ok
}
