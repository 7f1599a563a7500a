// Package segment has what an index file stores of pubs: a file each column, with what is written at a build (New or Write),
// its sections (Code) and what is read at a request.
package segment

import (
	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/match"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/reading"
	"pubd/index/schema"
	"pubd/index/terms"
	"pubd/index/text"
)

// Segment has the columns of an index file. It is immutable, but for the pubs that were open at the last requests.
type Segment struct {
	size int // number of pubs
	All  postings.Set

	Pubs    Pubs
	Details Details
	UIDs    text.Slots
	Names   Names
	// Rated and located are the rated pubs and the pubs with coordinates.
	Rated, Located postings.Set
	Points         *geo.Index

	Terms     *terms.Index
	Match     *match.Index
	Places    *places.Index
	Titles    Titles
	NameWords NameWords

	Orders     Orders
	FairScale  ranking.FairScale
	Facets     [schema.FacetCount]Values
	LocalRanks [schema.MetricCount]LocalRanks
	labels     Labels
	denied     Values // pubs by the features that they are said not to have
	Openings   Openings
	// ExtraFacets are the names of the extra columns that are facets. Those whose bit is set in areNumbers have an order.
	ExtraFacets  []string
	areNumbers   uint32
	extraNumbers [schema.MaxExtraFacets]ranking.Numeric
}

// Read reads all sections of a file.
func Read(file *indexfile.File) (*Segment, error) {
	r := indexfile.NewReader(file)
	size := file.Pubs
	s := &Segment{size: size}
	s.Pubs, s.Details = readPubJSON(r, size), readDetails(r, size)
	f := indexfile.Reading(r)
	s.UIDs.Code(f, uidSlots, size)
	s.Names.Code(f, size)
	s.Rated, s.Located = readSet(r, "rated", size), readSet(r, "located", size)
	var flat geo.Flat
	codePoints(f, &flat)

	s.Terms = terms.Read(r, size)
	s.Match = &match.Index{Index: reading.Index{Terms: s.Terms}, Rows: indexfile.TakeN[uint32](r, "pubs.rows", size)}
	s.NameWords.Code(f, s.Names.Folded.Len(), s.Terms.Words.Terms.Len(), size)
	s.Titles.Code(f, size)
	s.labels.Code(f, size)

	s.Orders, s.FairScale = readOrders(r, size)
	for facet := range schema.ExtraFacet {
		s.Facets[facet].Code(f, facetSection(facet), facet != schema.Features, size)
	}
	s.readExtraFacets(r, size)
	s.denied.Code(f, deniedFeatures, false, size)
	s.Openings.read(r, size)
	for metric := range schema.Metric(schema.MetricCount) {
		groups := s.Orders[metric.Sort()].Groups()
		s.LocalRanks[metric].code(f, "local."+metric.String(), s.Facets[schema.Location].Terms.Len(), groups)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	s.All = allOf(size)
	s.findTold()
	points, err := geo.Open(flat)
	if err != nil {
		return nil, err
	}
	s.Points = points
	s.Places = places.Read(r, size, &text.Vocabulary{Terms: s.Terms.Words.Terms, Layer: s.Terms.Local}, points)
	s.Match.Places, s.Match.Points, s.Match.HasBrands = s.Places, points, s.NameWords.hasBrands()
	if err := r.Err(); err != nil {
		return nil, err
	}
	return s, nil
}
