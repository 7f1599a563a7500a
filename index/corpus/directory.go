// Package corpus has what an index is built of: a [Directory], whose pubs are [Rows], outside of the Go heap.
package corpus

import (
	"slices"

	"pubd/index/places"
	"pubd/index/schema"
)

// Directory is the content of one snapshot file, in any order. Its pubs are in Rows or, if that is nil, in Pubs.
type Directory struct {
	Rows *Rows
	Pubs []schema.Pub
	// CountsReviews reports whether the file has review counts. If not, a pub with any rating is rated.
	CountsReviews bool
	// Extra are the extra columns, at most [MaxExtra], whose values are kept unchanged; at most [MaxExtraFacets] are
	// facets.
	Extra []schema.ExtraColumn
	// Gazetteer has places that queries may name besides those of the pubs.
	Gazetteer []GazetteerPlace
}

// GazetteerPlace is a place of a gazetteer.
type GazetteerPlace = places.Row

// Len returns the number of pubs.
func (d *Directory) Len() int {
	if d.Rows != nil {
		return d.Rows.Len()
	}
	return len(d.Pubs)
}

// IsRated reports whether a pub of the directory is rated: it has any rating and, if the directory counts reviews, at
// least one review.
func (d *Directory) IsRated(pub *schema.Pub) bool {
	return (pub.ReviewCount > 0 || !d.CountsReviews) && slices.ContainsFunc(pub.Ratings[:], schema.IsPresent)
}

// InRows returns the pubs in rows.
func (d *Directory) InRows() *Rows {
	rows := d.Rows
	if rows == nil {
		rows = NewRows(len(d.Extra), "", 0)
		for i := range d.Pubs {
			rows.add(&d.Pubs[i], 0)
		}
	}
	return rows
}
