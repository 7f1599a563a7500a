package segment

import (
	"bytes"
	"strings"

	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/postings"
	"pubd/index/schema"
	"pubd/index/text"
)

// Named returns the folded name under which the snapshot tells of a feature, given as folded text: itself or, of a phrase
// of the vocabulary, the name that it means. It reports false if neither the snapshot nor the vocabulary knows it.
func (s *Segment) Named(feature []byte, v *features.Vocabulary) (folded []byte, known bool) {
	_, has := s.Facets[schema.Features].Terms.Find(feature)
	if _, denies := s.denied.Terms.Find(feature); has || denies {
		return feature, true
	}
	name, known := v.Named(string(feature))
	return text.AppendFolded(nil, []byte(name)), known
}

// Having returns the pubs that have a feature, given by its folded name.
func (s *Segment) Having(folded []byte) (pubs postings.Set) {
	if number, ok := s.Facets[schema.Features].Terms.Find(folded); ok {
		pubs = s.Facets[schema.Features].Pubs.At(number)
	}
	return pubs
}

// Lacking returns the pubs that are known not to have a feature, given by its folded name.
func (s *Segment) Lacking(folded []byte, pool *postings.Pool) (pubs postings.Set) {
	if number, ok := s.denied.Terms.Find(folded); ok {
		pubs = s.denied.Pubs.At(number)
		pubs = pool.Difference(pubs, pool.Both(pubs, s.Having(folded)))
	}
	return pubs
}

// OfferingAny returns the pubs that meet one of the alternatives of a value of the filter by features.
func (s *Segment) OfferingAny(alternatives []byte, v *features.Vocabulary, pool *postings.Pool) (pubs postings.Set) {
	for alternative := range bytes.SplitSeq(alternatives, []byte("|")) {
		feature, lacks := bytes.CutPrefix(alternative, []byte("-"))
		folded, _ := s.Named(feature, v)
		if lacks {
			pubs = pool.Either(pubs, s.Lacking(folded, pool))
		} else {
			pubs = pool.Either(pubs, s.Having(folded))
		}
	}
	return pubs
}

// Wished returns the pubs that are known to be as a query wishes, and those that are known not to be: that have a feature,
// or are open, as OpenAs.
func (s *Segment) Wished(feature string, time features.Time, now *hours.Moment, m *OpenMemory, pool *postings.Pool) (having, lacking postings.Set) {
	switch feature {
	case features.OpenNow, features.OpenLate, features.OpenAt:
		found := s.OpenAs(feature, time, now, m)
		return found.Open, found.Closed
	}
	folded := text.AppendFolded(nil, []byte(feature))
	return s.Having(folded), s.Lacking(folded, pool)
}

// OpenAs returns the pubs that are known to be open as a feature asks: [features.OpenLate], [features.OpenAt], which is a
// time, or, for any other, now; and those that are known to be closed.
func (s *Segment) OpenAs(feature string, time features.Time, now *hours.Moment, m *OpenMemory) *OpenPubs {
	moment, at := Now, *now
	switch feature {
	case features.OpenLate:
		moment, at = Late, at.Late()
	case features.OpenAt:
		moment, at = Asked, MomentOf(time)
	}
	return s.Openings.OpenAt(moment, &at, m, s.size)
}

// MomentOf returns the moment for which words ask.
func MomentOf(t features.Time) hours.Moment {
	return hours.Moment{Wall: t.From, IsWall: true, Minutes: int(t.To - t.From), Always: t.Always}
}

// deniedFeatures begins the names of the sections of features that pubs are said not to have.
const deniedFeatures = "features.denied"

// findTold finds out what the snapshot tells of.
func (s *Segment) findTold() {
	s.Match.Tells = map[string]bool{}
	for _, v := range [...]*Values{&s.Facets[schema.Features], &s.denied} {
		for number := range uint32(v.Terms.Len()) {
			s.Match.Tells[strings.ReplaceAll(string(v.Terms.At(number)), " ", "_")] = true
		}
	}
	for _, asked := range [...]string{features.OpenNow, features.OpenLate, features.OpenAt} {
		if delete(s.Match.Tells, asked); s.Openings.Any() {
			s.Match.Tells[asked] = true
		}
	}
}
