package index

import (
	"bytes"
	"runtime"
	"strings"

	"pubd/index/features"
	"pubd/index/postings"
	"pubd/index/schema"
	"pubd/index/text"
)

// named returns the folded name under which the snapshot tells of a feature, given as folded text: itself or, of a phrase
// of the vocabulary, the name that it means. It reports false if neither the snapshot nor the vocabulary knows it.
func (s *Snapshot) named(feature []byte, v *features.Vocabulary) (folded []byte, known bool) {
	_, has := s.facets[schema.Features].values.Find(feature)
	if _, denies := s.denied.values.Find(feature); has || denies {
		return feature, true
	}
	name, known := v.Named(string(feature))
	return text.AppendFolded(nil, []byte(name)), known
}

// KnowsFeature reports whether a feature, given as folded text, is known to the snapshot or the vocabulary.
func (s *Snapshot) KnowsFeature(folded []byte, v *features.Vocabulary) bool {
	_, known := s.named(folded, v)
	runtime.KeepAlive(s)
	return known
}

// having returns the pubs that have a feature, given by its folded name.
func (s *Snapshot) having(folded []byte) (pubs postings.Set) {
	if number, ok := s.facets[schema.Features].values.Find(folded); ok {
		pubs = s.facets[schema.Features].pubs.At(number)
	}
	return pubs
}

// lacking returns the pubs that are known not to have a feature, given by its folded name.
func (s *Snapshot) lacking(folded []byte, pool *postings.Pool) (pubs postings.Set) {
	if number, ok := s.denied.values.Find(folded); ok {
		pubs = s.denied.pubs.At(number)
		pubs = pool.Difference(pubs, pool.Both(pubs, s.having(folded)))
	}
	return pubs
}

// offeringAny returns the pubs that meet one of the alternatives of a value of the filter by features.
func (s *Snapshot) offeringAny(alternatives []byte, v *features.Vocabulary, pool *postings.Pool) (pubs postings.Set) {
	for alternative := range bytes.SplitSeq(alternatives, []byte("|")) {
		feature, lacks := bytes.CutPrefix(alternative, []byte("-"))
		folded, _ := s.named(feature, v)
		if lacks {
			pubs = pool.Either(pubs, s.lacking(folded, pool))
		} else {
			pubs = pool.Either(pubs, s.having(folded))
		}
	}
	return pubs
}

// deniedFeatures begins the names of the sections of features that pubs are said not to have.
const deniedFeatures = "features.denied"

// findTold finds out what the snapshot tells of.
func (s *Snapshot) findTold() {
	s.match.Tells = map[string]bool{}
	for _, v := range [...]*valueIndex{&s.facets[schema.Features], &s.denied} {
		for number := range uint32(v.values.Len()) {
			s.match.Tells[strings.ReplaceAll(string(v.values.At(number)), " ", "_")] = true
		}
	}
	for _, asked := range [...]string{features.OpenNow, features.OpenLate, features.OpenAt} {
		if delete(s.match.Tells, asked); s.openings.any() {
			s.match.Tells[asked] = true
		}
	}
}

// wished returns the pubs that are known to be as the query wishes, and those that are known not to be: that have a
// feature, or are open.
func (s search) wished(feature string, time features.Time) (having, denied postings.Set) {
	switch feature {
	case features.OpenNow, features.OpenLate, features.OpenAt:
		found := s.openAt(feature, time)
		return found.open, found.closed
	}
	folded := text.AppendFolded(nil, []byte(feature))
	return s.snapshot.having(folded), s.snapshot.lacking(folded, &s.w.sets)
}
