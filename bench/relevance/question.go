package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"pubd/geo"
	"pubd/index"
)

// A target is the pub that a person means, what they call it, and where they say it is.
type target struct {
	pub         *index.Pub
	name, place string
	at          geo.Point
}

// A question is the corrupted name of a target.
type question struct {
	target
	text     string
	hasPlace bool // the text includes the location
}

// targetsOf returns the pubs that have coordinates and a location, by their own names. The points are 0.2 km away from
// the pubs.
func targetsOf(pubs []index.Pub) (all []target) {
	for i := range pubs {
		if pub := &pubs[i]; pub.Location != "" && !math.IsNaN(pub.Latitude) {
			t := target{pub, pub.Name, pub.Location, geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}}
			t.at = aside(t, 0.2)
			all = append(all, t)
		}
	}
	return shuffled(all)
}

// readTargets reads the columns asked, uid, lat, lng and place of a CSV file, in any order. Each uid must be that of a
// pub.
func readTargets(path string, pubs []index.Pub) (all []target, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	known := map[string]*index.Pub{}
	for i := range pubs {
		known[pubs[i].UID] = &pubs[i]
	}
	rows := csv.NewReader(file)
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var at [5]int
	for i, name := range []string{"asked", "uid", "lat", "lng", "place"} {
		if at[i] = slices.IndexFunc(header, func(cell string) bool { return strings.EqualFold(strings.TrimPrefix(cell, "\ufeff"), name) }); at[i] < 0 {
			return nil, fmt.Errorf("%s:1: column %s is missing: the columns must be asked, uid, lat, lng and place", path, name)
		}
	}
	for row, err := rows.Read(); err != io.EOF; row, err = rows.Read() {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := rows.FieldPos(0)
		t := target{pub: known[row[at[1]]], name: row[at[0]], place: row[at[4]]}
		if t.pub == nil {
			return nil, fmt.Errorf("%s:%d: uid %q: no pub of the snapshot has it", path, line, row[at[1]])
		}
		for i, degrees := range []*float64{&t.at.Lat, &t.at.Lng} {
			if *degrees, err = strconv.ParseFloat(row[at[2+i]], 64); err != nil || !(math.Abs(*degrees) <= []float64{90, 180}[i]) {
				return nil, fmt.Errorf("%s:%d: %s %q: must be degrees, from -%d to %[5]d", path, line, header[at[2+i]], row[at[2+i]], []int{90, 180}[i])
			}
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no row follows the header", path)
	}
	return shuffled(all), nil
}

// shuffled sorts targets by a hash, so that their order depends only on the targets.
func shuffled(all []target) []target {
	slices.SortFunc(all, func(a, b target) int {
		return cmp.Or(cmp.Compare(hash(a.pub.UID, a.name), hash(b.pub.UID, b.name)), strings.Compare(a.pub.UID, b.pub.UID), strings.Compare(a.name, b.name))
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
			if text := class.spoil(dice(t.pub.UID, t.name, class.name), t); text != "" {
				questions[class.name] = append(questions[class.name], question{t, text, class.hasPlace})
			}
		}
	}
	return questions
}

// strangerKinds are the kinds of questions about pubs that do not exist.
var strangerKinds = [...]string{"the name of a pub elsewhere", "X Arms, X of a name elsewhere", "X Arms, X made up"}

// strangersTo returns questions of each kind. No pub within 5 km has the name of the pub elsewhere, or the word X, in
// its name or location: X is the first long word of that name, or made up.
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
		other := all[(i+1+len(all)/2)%len(all)].name
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
