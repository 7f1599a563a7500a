package main

import (
	"cmp"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"pubd/geo"
	"pubd/index"
)

// A target is the pub that a person means, and where they say it is.
type target struct {
	pub *index.Pub
	at  geo.Point
}

// A question is the corrupted name of a target.
type question struct {
	target
	text     string
	hasPlace bool // the text includes the location
}

// targetsOf returns the pubs that have coordinates and a location, in an order that is independent of the snapshot's. The points are 0.2 km
// away from the pubs.
func targetsOf(pubs []index.Pub) (all []target) {
	for i := range pubs {
		if pub := &pubs[i]; pub.Location != "" && !math.IsNaN(pub.Latitude) {
			t := target{pub, geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}}
			all = append(all, target{pub, aside(t, 0.2)})
		}
	}
	slices.SortFunc(all, func(a, b target) int {
		return cmp.Or(cmp.Compare(hash(a.pub.UID, a.pub.Name), hash(b.pub.UID, b.pub.Name)), strings.Compare(a.pub.UID, b.pub.UID))
	})
	return all
}

func hash(texts ...string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, strings.Join(texts, "\x00"))
	x := h.Sum64() // mixed again: texts that differ only in the last character have similar sums
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return x ^ x>>33
}

// dice returns a random number generator. The same texts give the same numbers.
func dice(texts ...string) *rand.Rand { return rand.New(rand.NewPCG(hash(texts...), 1)) }

// kilometresPerDegree is the length of a degree of a meridian.
const kilometresPerDegree = math.Pi * float64(geo.EarthRadius) / 180

// aside returns a point some kilometres away from a target, in a direction that depends on the pub.
func aside(t target, kilometres float64) geo.Point {
	sin, cos := math.Sincos(2 * math.Pi * dice(t.pub.UID, "aside").Float64())
	degrees := kilometres / kilometresPerDegree
	return geo.Point{Lat: max(-90, min(90, t.at.Lat+degrees*cos)),
		Lng: math.Remainder(t.at.Lng+degrees*sin/max(0.01, math.Cos(t.at.Lat*math.Pi/180)), 360)}
}

// questionsAbout returns, for each class, questions about the first targets to which it applies.
func questionsAbout(all []target, count int) map[string][]question {
	questions := map[string][]question{}
	for _, class := range classes {
		for _, t := range all {
			if len(questions[class.name]) == count {
				break
			}
			if text := class.spoil(dice(t.pub.UID, t.pub.Name, class.name), t.pub); text != "" {
				questions[class.name] = append(questions[class.name], question{t, text, class.hasPlace})
			}
		}
	}
	return questions
}

// strangerKinds are the kinds of questions about pubs that do not exist.
var strangerKinds = [...]string{"the name of a pub elsewhere", "X Arms, X of a name elsewhere", "X Arms, X made up"}

// strangersTo returns questions of each kind. No pub within 5 km has the name of the pub elsewhere, or the word X, in its name or location: X is
// the first long word of that name, or made up.
func strangersTo(all []target, pubs []index.Pub, count int) map[string][]question {
	points := make([]geo.Point, len(pubs))
	for i := range pubs {
		points[i] = geo.Point{Lat: pubs[i].Latitude, Lng: pubs[i].Longitude}
	}
	places := geo.NewIndex(points, func(uint32) bool { return false })
	folded := func(text string) []string { return strings.Fields(string(index.AppendFolded(nil, []byte(text)))) }
	strangers := map[string][]question{}
	for i, t := range all {
		if len(strangers[strangerKinds[0]]) == count || len(all) < 2 {
			break
		}
		circle := geo.NewCircle(t.at, 6)
		near := map[string]bool{}
		for _, pub := range places.AppendWithin(nil, &circle, false) {
			for _, word := range folded(pubs[pub].Name + " " + pubs[pub].Location) {
				near[word] = true
			}
		}
		other := all[(i+1+len(all)/2)%len(all)].pub.Name
		at := slices.IndexFunc(folded(other), func(word string) bool { return len(word) >= 5 && word != "hotel" && !near[word] })
		if at < 0 {
			continue
		}
		for kind, text := range []string{other, title(folded(other)[at]) + " Arms", title(madeUp(dice(t.pub.UID))) + " Arms"} {
			strangers[strangerKinds[kind]] = append(strangers[strangerKinds[kind]], question{target: t, text: text})
		}
	}
	return strangers
}

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// madeUp returns a pronounceable word.
func madeUp(rng *rand.Rand) (word string) {
	for range 2 + rng.IntN(2) {
		word += string("bdfgjklmnprstvwz"[rng.IntN(16)]) + string("aeiou"[rng.IntN(5)])
	}
	return word + string("dklmnrst"[rng.IntN(8)])
}
