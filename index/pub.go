package index

import (
	"math"
	"slices"

	"pubd/index/places"
)

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

// Directory is the content of one snapshot file, in any order. Its pubs are in Rows or, if that is nil, in Pubs.
type Directory struct {
	Rows *Rows
	Pubs []Pub
	// CountsReviews reports whether the file has review counts. If not, a pub with any rating is rated.
	CountsReviews bool
	// Extra are the extra columns, at most [MaxExtra], whose values are kept unchanged; at most [MaxExtraFacets] are
	// facets.
	Extra []ExtraColumn
	// Gazetteer has places that queries may name besides those of the pubs.
	Gazetteer []GazetteerPlace
}

// GazetteerPlace is a place of a gazetteer.
type GazetteerPlace = places.Row

// MaxExtra is the maximum number of extra columns of a directory.
const MaxExtra = 32

// Len returns the number of pubs.
func (d *Directory) Len() int {
	if d.Rows != nil {
		return d.Rows.Len()
	}
	return len(d.Pubs)
}

// IsRated reports whether a pub of the directory is rated: it has any rating and, if the directory counts reviews, at
// least one review.
func (d *Directory) IsRated(pub *Pub) bool {
	return (pub.ReviewCount > 0 || !d.CountsReviews) && slices.ContainsFunc(pub.Ratings[:], isPresent)
}

func isPresent(value float64) bool { return !math.IsNaN(value) }
