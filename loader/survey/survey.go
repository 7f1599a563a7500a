// Package survey tells what a person should look at in a directory: what its columns hold, and which pubs are likely mistakes.
package survey

import (
	"math"

	"pubd/index"
)

// Options say how a survey is made. The zero value is ready.
type Options struct {
	// Lines has the line of each pub in its file; nil leaves the lines of findings at 0.
	Lines []int
	// Progress is called now and then, and at the end, with how much of the work is done; nil means nobody asks.
	Progress func(done, total int64)
}

// Survey is what was found. It marshals to JSON.
type Survey struct {
	Pubs    int `json:"pubs"`
	Rated   int `json:"rated"`
	Nowhere int `json:"without_coordinates"`
	// Coverage has each column of a snapshot but UID, in the order of an answer.
	Coverage []Coverage `json:"coverage"`
	// Metrics has those that any rated pub has.
	Metrics []Distribution `json:"metrics"`
	// Values has trading, common_category and location, in this order.
	Values    []Values  `json:"values"`
	Namesakes Namesakes `json:"namesakes"`
	// Spacing tells how far pubs are from each other; nil with fewer than 20 that have coordinates.
	Spacing *Spacing `json:"spacing"`
	// Counts has how many findings there are of each kind that has any.
	Counts map[Kind]int `json:"counts"`
	// Findings are in the order of Kinds, then of the directory; a pub is found once of each kind at most.
	Findings []Finding `json:"findings"`
}

// Of surveys a directory, which it does not change. The lines of the options are those of its pubs. It takes some 10 µs and
// 400 bytes a pub, and a few hundred bytes a finding.
func Of(directory *index.Directory, options Options) *Survey {
	pubs := directory.Pubs
	s := &Survey{Pubs: len(pubs), Metrics: []Distribution{}}
	for i := range pubs {
		if directory.IsRated(&pubs[i]) {
			s.Rated++
		}
		if math.IsNaN(pubs[i].Latitude) {
			s.Nowhere++
		}
	}
	s.Coverage = coverage(directory)
	for metric := range index.Metric(index.MetricCount) {
		if d := distribution(directory, metric); d.Count > 0 {
			s.Metrics = append(s.Metrics, d)
		}
	}
	f := newFinder(pubs, options)
	s.Values, s.Namesakes = f.values(), f.namesakes()
	f.findTexts()
	f.findTotals()
	s.Spacing = f.findPlaces()
	f.findTwins()
	f.findMisspelt()
	f.work.finish()
	s.Findings, s.Counts = f.findings()
	return s
}

// work counts what is done of the steps that take long.
type work struct {
	done, total int64
	progress    func(done, total int64)
}

func (w *work) step() {
	const often = 1 << 12
	if w.done++; w.progress != nil && w.done%often == 0 {
		w.progress(min(w.done, w.total), w.total)
	}
}

func (w *work) finish() {
	if w.progress != nil {
		w.progress(w.total, w.total)
	}
}
