package main

import (
	"cmp"
	"encoding/csv"
	"errors"
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

// A pair is a pub that is meant and how somebody who means it calls it.
type pair struct {
	asked, place string
	uid          string
	at           geo.Point // where they say it is
	pub          *index.Pub
}

// A question is the spoiled name of a pair.
type question struct {
	pair
	text     string
	hasPlace bool // in the text
}

// ownPairs returns the pubs of a snapshot that are somewhere, by their own names, in an order that the snapshot's does not change.
func ownPairs(pubs []index.Pub) (all []pair) {
	for i := range pubs {
		if pub := &pubs[i]; pub.Location != "" && !math.IsNaN(pub.Latitude) {
			p := pair{pub.Name, pub.Location, pub.UID, geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}, pub}
			p.at = aside(p, 0.2)
			all = append(all, p)
		}
	}
	return shuffled(all)
}

func shuffled(all []pair) []pair {
	slices.SortFunc(all, func(a, b pair) int {
		return cmp.Or(cmp.Compare(hash(a.uid, a.asked), hash(b.uid, b.asked)), strings.Compare(a.uid, b.uid), strings.Compare(a.asked, b.asked))
	})
	return all
}

func hash(texts ...string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, strings.Join(texts, "\x00"))
	x := h.Sum64() // mixed once more, as texts that differ in their last character alone are near one another
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return x ^ x>>33
}

// dice returns random numbers, the same ones for the same texts.
func dice(texts ...string) *rand.Rand { return rand.New(rand.NewPCG(hash(texts...), 1)) }

// kilometresOfDegree is how long a degree of a meridian is.
const kilometresOfDegree = math.Pi * float64(geo.EarthRadius) / 180

// aside returns a point some kilometres from where a pair is, in a direction that is its own.
func aside(p pair, kilometres float64) geo.Point {
	sin, cos := math.Sincos(2 * math.Pi * dice(p.uid, "aside").Float64())
	degrees := kilometres / kilometresOfDegree
	return geo.Point{Lat: max(-90, min(90, p.at.Lat+degrees*cos)),
		Lng: math.Remainder(p.at.Lng+degrees*sin/max(0.01, math.Cos(p.at.Lat*math.Pi/180)), 360)}
}

// readPairs reads the columns asked, uid, lat, lng and place of a CSV file, in any order. Each uid must be a pub's.
func readPairs(path string, pubs []index.Pub) (all []pair, err error) {
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
			return nil, fmt.Errorf("%s:1: column %s is missing: it must have asked, uid, lat, lng and place", path, name)
		}
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := rows.FieldPos(0)
		p := pair{asked: row[at[0]], uid: row[at[1]], place: row[at[4]]}
		for i, degrees := range []*float64{&p.at.Lat, &p.at.Lng} {
			if *degrees, err = strconv.ParseFloat(row[at[2+i]], 64); err != nil || !(math.Abs(*degrees) <= []float64{90, 180}[i]) {
				return nil, fmt.Errorf("%s:%d: %s %q: must be degrees", path, line, []string{"lat", "lng"}[i], row[at[2+i]])
			}
		}
		if p.pub = known[p.uid]; p.pub == nil {
			return nil, fmt.Errorf("%s:%d: uid %q: no pub of the snapshot has it", path, line, p.uid)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: it has no pair", path)
	}
	return shuffled(all), nil
}

// askedOf is for each class the first pairs to which it applies.
func askedOf(all []pair, count int) map[string][]question {
	questions := map[string][]question{}
	for _, class := range classes {
		for _, p := range all {
			if len(questions[class.name]) == count {
				break
			}
			if text := class.spoil(dice(p.uid, p.asked, class.name), p); text != "" {
				questions[class.name] = append(questions[class.name], question{p, text, class.hasPlace})
			}
		}
	}
	return questions
}

// strangerKinds are the kinds of questions for pubs that do not exist.
var strangerKinds = [...]string{"the name of a pub elsewhere", "X Arms, X of a name elsewhere", "X Arms, X made up"}

// strangersOf asks for what no pub within 5 km has in its name or location: the names of pubs elsewhere, "X Arms" where X is the first
// long word of such a name, and where it is made up.
func strangersOf(all []pair, pubs []index.Pub, count int) map[string][]question {
	points := make([]geo.Point, len(pubs))
	for i := range pubs {
		points[i] = geo.Point{Lat: pubs[i].Latitude, Lng: pubs[i].Longitude}
	}
	places := geo.NewIndex(points, func(uint32) bool { return false })
	folded := func(text string) []string { return strings.Fields(string(index.AppendFolded(nil, []byte(text)))) }
	strangers := map[string][]question{}
	for i, p := range all {
		if len(strangers[strangerKinds[0]]) == count || len(all) < 2 {
			break
		}
		circle := geo.NewCircle(p.at, 6)
		near := map[string]bool{}
		for _, pub := range places.AppendWithin(nil, &circle, false) {
			for _, word := range folded(pubs[pub].Name + " " + pubs[pub].Location) {
				near[word] = true
			}
		}
		other := all[(i+1+len(all)/2)%len(all)].asked
		at := slices.IndexFunc(folded(other), func(word string) bool { return len(word) >= 5 && word != "hotel" && !near[word] })
		if at < 0 {
			continue
		}
		for kind, text := range []string{other, title(folded(other)[at]) + " Arms", title(madeUp(dice(p.uid))) + " Arms"} {
			strangers[strangerKinds[kind]] = append(strangers[strangerKinds[kind]], question{pair: p, text: text})
		}
	}
	return strangers
}

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// madeUp returns a word that sounds like one.
func madeUp(rng *rand.Rand) (word string) {
	for range 2 + rng.IntN(2) {
		word += string("bdfgjklmnprstvwz"[rng.IntN(16)]) + string("aeiou"[rng.IntN(5)])
	}
	return word + string("dklmnrst"[rng.IntN(8)])
}
