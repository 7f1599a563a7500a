// Package survey shows people what to look at in a directory: the content of its columns, mistakes of the whole file,
// and pubs that are probably mistakes. [Of] is the only entry point: a directory that the loader has accepted goes in,
// and a [Survey] comes out, which marshals to JSON. It changes nothing and rejects nothing, as each finding is only
// likely; each has advice.
//
//	columns    how many pubs have them, and their most frequent values
//	findTexts  garbled characters, HTML, spaces, names that say nothing, coordinates as the location
//	findPlaces, findTwins
//	           coordinates, rows of the same pub
//	findFeatures, findHours
//	           features that are not known, opening hours that cannot be read
//	findShortened, findScale
//	           what most rows have in common, and should not
//
// The data says what is odd, so that one rule suits a city and a continent: far is twenty times the distance within
// which nine of ten pubs have a neighbour, at least 50 km, and a pub is exchanged if it would then be among the others.
// Only where most are wrong in the same way must the land of package world decide. It takes about 10 µs and 400 bytes
// per pub: neighbours are found by package geo, so that no pub is compared with all others. Calls share nothing.
package survey

import (
	"math"

	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/features"
	"pubd/index/schema"
)

// Options configure a survey. The zero value is ready to use.
type Options struct {
	// Lines has the line of each pub in its file; if nil, the lines of findings are 0.
	Lines []int
	// Vocabulary has the features that pubs may have; nil is the built-in one.
	Vocabulary *features.Vocabulary
}

// A Survey is the result. It marshals to JSON.
type Survey struct {
	Pubs    int `json:"pubs"`
	Rated   int `json:"rated"`
	Nowhere int `json:"without_coordinates"`
	// FileFindings has the findings about the whole file, those about places first.
	FileFindings []FileFinding `json:"file_findings"`
	// Coverage has each column of a snapshot except UID, in the order of a response, and then the extra ones.
	Coverage []Coverage `json:"coverage"`
	// Values has trading, common_category and location, in this order.
	Values []Values `json:"values"`
	// Spacing describes the distances between pubs; nil if fewer than 20 have coordinates.
	Spacing *Spacing `json:"spacing"`
	// Counts has the number of findings of each kind that has any.
	Counts map[Kind]int `json:"counts"`
	// Findings are in the order of Kinds, then of the directory; a pub has at most one finding of each kind.
	Findings []Finding `json:"findings"`
}

// Of surveys a directory, which it does not change. The lines in the options are those of its pubs. It takes about 10
// µs and 400 bytes per pub, and a few hundred bytes per finding.
func Of(directory *corpus.Directory, options Options) *Survey {
	pubs := directory.Pubs
	s := &Survey{Pubs: len(pubs), FileFindings: []FileFinding{}}
	f := &finder{pubs: pubs, lines: options.Lines, found: []Finding{}}
	for i := range pubs {
		f.points = append(f.points, geo.Point{Lat: pubs[i].Latitude, Lng: pubs[i].Longitude})
		if directory.IsRated(&pubs[i]) {
			s.Rated++
		}
		if math.IsNaN(pubs[i].Latitude) {
			s.Nowhere++
		}
	}
	s.Coverage = coverage(directory)
	for facet := range schema.Features { // each has one value a pub
		s.Values = append(s.Values, valuesOf(pubs, facet))
	}
	f.findTexts()
	s.Spacing = f.findPlaces()
	f.findTwins()
	f.findFeatures(options.Vocabulary)
	f.findHours()
	f.findShortened()
	f.findScale()
	s.FileFindings = append(s.FileFindings, f.whole...)
	s.Findings, s.Counts = f.findings()
	return s
}
