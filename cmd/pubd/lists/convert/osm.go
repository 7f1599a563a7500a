package convert

import (
	"strconv"
	"strings"

	"pubd/data/world"
	"pubd/geo"
)

// A TagOffer is a tag of OpenStreetMap that tells of a feature. Yes and No are the values that say that a pub has it or
// does not, separated by blanks; * is any but no.
type TagOffer struct{ Tag, Feature, Yes, No string }

// TagOffers are the tags of OpenStreetMap that tell of features.
var TagOffers = []TagOffer{
	{"outdoor_seating", "outdoor", "*", "no"},
	{"outdoor_seating", "garden", "garden", ""},
	{"beer_garden", "garden", "*", "no"},
	{"garden", "garden", "*", "no"},
	{"amenity", "garden", "biergarten", ""},
	{"amenity", "outdoor", "biergarten", ""},
	{"dog", "dog", "yes leashed", "no"},
	{"dogs", "dog", "yes leashed", "no"},
	{"food", "food", "*", "no"},
	{"cuisine", "food", "*", ""},
	{"lunch", "food", "*", ""},
	{"opening_hours:kitchen", "food", "*", ""},
	{"real_ale", "real_ale", "*", "no"},
	{"craft_beer", "craft", "*", "no"},
	{"live_music", "live_music", "*", "no"},
	{"sport", "sport", "*", ""},
	{"quiz", "quiz", "*", "no"},
	{"wheelchair", "wheelchair", "yes designated", "no"}, // not limited
	{"internet_access", "wifi", "wlan yes wifi", "no"},
	{"wifi", "wifi", "yes free", "no"},
	{"tourism", "rooms", "hotel guest_house motel hostel", ""},
	{"accommodation", "rooms", "*", "no"},
	{"microbrewery", "brewery", "*", "no"},
}

// chain returns the operator of a pub in the United Kingdom, where it is the chain; empty elsewhere.
func (f *filler) chain(latitude, longitude string) string {
	chain, where := f.text(operator), f.text(country)
	if chain != "" && where == "" {
		lat, errLat := strconv.ParseFloat(latitude, 64)
		lng, errLng := strconv.ParseFloat(longitude, 64)
		if errLat == nil && errLng == nil {
			where = world.Country(geo.Point{Lat: lat, Lng: lng})
		}
	}
	switch strings.ToLower(where) {
	case "gb", "uk", "united kingdom":
		return chain
	}
	return ""
}
