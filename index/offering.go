package index

import (
	"strings"

	"pubd/index/features"
	"pubd/index/postings"
)

// eachFeature calls do with the features of a list that a pub has or, with denied, is said not to have: by name if the
// vocabulary knows them, else as they are written.
func eachFeature(list string, denied bool, do func(feature string)) {
	for feature := range strings.SplitSeq(list, ";") {
		feature = strings.TrimSpace(feature)
		rest, isDenied := strings.CutPrefix(feature, "-")
		if isDenied != denied || rest == "" {
			continue
		}
		if name, ok := features.BuiltIn().Named(rest); ok {
			rest = name
		}
		do(rest)
	}
}

// eachDenied calls do with the features that a pub is said not to have.
func eachDenied(pub *Pub, do func(feature string)) { eachFeature(pub.Features, true, do) }

// offering returns the pubs that have a feature, given as folded text: its name, or a phrase of the vocabulary.
func (s *Snapshot) offering(feature []byte, v *features.Vocabulary) postings.Set {
	having := &s.facets[Features]
	number, ok := having.values.Find(feature)
	if !ok {
		var name string
		if name, ok = v.Named(string(feature)); ok {
			number, ok = having.values.Find(AppendFolded(nil, []byte(name)))
		}
	}
	if !ok {
		return postings.Set{}
	}
	return having.pubs.At(number)
}

// deniedFeatures begins the names of the sections of features that pubs are said not to have.
const deniedFeatures = "features.denied"

// numberFeatures finds the numbers of the features, by their names in a vocabulary, and what the snapshot tells of.
func (s *Snapshot) numberFeatures() {
	s.featureNumbers, s.match.Tells = map[string][2]int{}, map[string]bool{}
	for i, v := range [...]*valueIndex{&s.facets[Features], &s.denied} {
		for number := range uint32(v.values.Len()) {
			name := strings.ReplaceAll(string(v.values.At(number)), " ", "_")
			numbers, known := s.featureNumbers[name]
			if !known {
				numbers = [2]int{-1, -1}
			}
			numbers[i] = int(number)
			s.featureNumbers[name], s.match.Tells[name] = numbers, true
		}
	}
	for _, asked := range [...]string{features.OpenNow, features.OpenLate} {
		if delete(s.match.Tells, asked); s.openings.any() {
			s.match.Tells[asked] = true
		}
	}
}

// wished returns the pubs that are known to be as the query wishes, and those that are known not to be: that have a
// feature, or are open.
func (s search) wished(feature string) (having, denied postings.Set) {
	snapshot, at := s.snapshot, s.query.At
	if feature == features.OpenLate {
		at = at.Late()
	}
	if feature == features.OpenNow || feature == features.OpenLate {
		found := snapshot.openings.at(&at, snapshot.Len())
		return found.open, found.closed
	}
	numbers := snapshot.featureNumbers[feature]
	if numbers[0] >= 0 {
		having = snapshot.facets[Features].pubs.At(uint32(numbers[0]))
	}
	if numbers[1] >= 0 {
		denied = s.w.sets.Difference(snapshot.denied.pubs.At(uint32(numbers[1])), having)
	}
	return having, denied
}
