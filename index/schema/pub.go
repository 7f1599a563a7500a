package schema

import "slices"

// Pub is one pub of a snapshot file. Strings are valid UTF-8 without control characters; an empty
// one means missing, which UID and Name never are.
type Pub struct {
	UID      string
	Name     string
	Location string
	Trading  string // see [HasClosed]
	// Latitude and Longitude are degrees in [-90, 90] and [-180, 180]; both are NaN when unknown.
	Latitude, Longitude float64
	Category            string
	Ratings             Ratings
	// ReviewCount is the number of reviews, 0 or more.
	ReviewCount int64

	Address  string
	Postcode string
	// Area is a place larger than Location: a county, an authority, a region or a country.
	Area string
	// AltNames are other names, separated by semicolons.
	AltNames string
	// Features are what the pub offers or, after a minus, does not, separated by semicolons.
	Features string
	// OpeningHours is in the notation of package hours, local time of TimeZone or, if that is empty, of the server.
	OpeningHours string
	// Brand is a chain: a name by which the pub is found.
	Brand    string
	TimeZone string
	// Extra has the value of each extra column of the directory; nil if the pub has none.
	Extra []string
}

// IsUnrated reports whether a pub has no ratings and no reviews.
func (p *Pub) IsUnrated() bool {
	return p.ReviewCount == 0 && !slices.ContainsFunc(p.Ratings[:], IsPresent)
}
