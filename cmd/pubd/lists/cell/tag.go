package cell

import (
	"fmt"
	"slices"
	"strings"

	"pubd/loader"
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

// Category returns the category that tags of OpenStreetMap say; empty if none.
func Category(tag func(name string) string) string {
	amenity, _, _ := strings.Cut(tag("amenity"), ";")
	cuisine, _, _ := strings.Cut(tag("cuisine"), ";")
	cuisine = strings.TrimSpace(strings.ReplaceAll(cuisine, "_", " "))
	if IsNo(cuisine) {
		cuisine = ""
	}
	switch {
	case IsYes(tag("microbrewery")):
		return "Brewpub"
	case amenity == "pub" && cuisine != "":
		return "Gastropub"
	case amenity == "pub":
		return "Pub"
	case amenity == "bar" && cuisine != "" && !IsYes(cuisine):
		return fmt.Sprintf("%s bar", strings.ToUpper(cuisine[:1])+cuisine[1:])
	case amenity == "bar":
		return "Bar"
	case amenity == "biergarten":
		return "Beer garden"
	case tag("craft") == "brewery" || tag("industrial") == "brewery":
		return "Brewery"
	case amenity != "":
		return strings.ToUpper(amenity[:1]) + strings.ReplaceAll(amenity[1:], "_", " ")
	}
	return ""
}

// UsualKinds are the kinds of elements of OpenStreetMap that are kept if none are asked for.
var UsualKinds = []string{"pub", "bar", "biergarten"}

// The kinds of elements that --kinds cannot name.
const Nameless, Unclear = "without a name", "something else"

// pastKinds are tags of OpenStreetMap for what a place was.
var pastKinds = []string{"disused:amenity", "abandoned:amenity", "demolished:amenity", "removed:amenity", "razed:amenity", "was:amenity"}

// mainTags are those of OpenStreetMap that say what something is, of which presentTags say what a place is now.
var mainTags = []string{"amenity", "craft", "shop", "tourism", "leisure", "building", "highway"}

const presentTags = 5

// OtherKind returns the kind of an element of OpenStreetMap that is not one of some kinds, or has no name; empty
// if it is to be kept. mustSay is set if one that does not say what it is is no pub.
func OtherKind(kinds []string, mustSay bool, tag func(name string) string) string {
	named := ""
	if mustSay && strings.TrimSpace(tag("name")) == "" {
		named = Nameless
	}
	amenities := tag("amenity")
	for _, past := range pastKinds {
		if amenities == "" && !IsPresent(tag) {
			amenities = tag(past)
		}
	}
	for amenity := range strings.FieldsFuncSeq(amenities, func(r rune) bool { return r == ';' || r == '/' }) {
		if slices.Contains(kinds, strings.TrimSpace(amenity)) {
			return named
		}
	}
	if brews := tag("craft") == "brewery" || tag("industrial") == "brewery" || tag("microbrewery") == "yes"; brews {
		if slices.Contains(kinds, "brewery") {
			return named
		}
		if amenities == "" {
			return "brewery"
		}
	}
	if amenities == "" && !mustSay {
		return ""
	}
	for _, name := range mainTags {
		if kind := tag(name); slices.Contains(kinds, kind) {
			return named
		} else if kind != "" && kind != "yes" {
			return loader.Visible(loader.Shorten(kind))
		}
	}
	return Unclear
}

// IsPresent reports whether tags of OpenStreetMap say what a place is now.
func IsPresent(tag func(name string) string) bool {
	return slices.ContainsFunc(mainTags[:presentTags], func(name string) bool { return tag(name) != "" })
}
