// Package geonames makes a gazetteer of GeoNames' dump of a country: populated places, and what people look for near.
package geonames

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pubd/index/text"
)

// A kind is places of some feature codes of GeoNames (https://www.geonames.org/export/codes.html).
type kind struct {
	name  string // in the plural
	codes string
	// nouns end names of such places: one is also found by its name without any of them and with each.
	nouns []string
	// radius has, in km, the least and the most; it is that of a circle in which people live as densely as in a country. A
	// place without a population has the middle of both.
	radius [2]float64
}

var kinds = []kind{
	{name: "populated places", codes: "PPL PPLA PPLA2 PPLA3 PPLA4 PPLA5 PPLC PPLF PPLG PPLL PPLR PPLS PPLX STLMT"},
	{name: "stations", codes: "RSTN MTRO", nouns: []string{"station", "railway station", "train station"}},
	{name: "airports", codes: "AIRP AIRQ", nouns: []string{"airport"}},
	{name: "castles", codes: "CSTL", nouns: []string{"castle"}},
	{name: "palaces", codes: "PAL", nouns: []string{"palace"}},
	{name: "stadiums", codes: "STDM", nouns: []string{"stadium"}},
	{name: "universities", codes: "UNIV", nouns: []string{"university"}},
	{name: "hospitals", codes: "HSP", nouns: []string{"hospital"}},
	{name: "museums", codes: "MUS", nouns: []string{"museum"}},
	{name: "piers", codes: "PIER", nouns: []string{"pier"}},
	{name: "parks", codes: "PRK", nouns: []string{"park"}},
	{name: "nations", codes: "ADM1 PCLI PCLD PCLS", radius: [2]float64{40, 300}},
	{name: "counties", codes: "ADM2", radius: [2]float64{8, 45}},
	{name: "districts", codes: "ADM3", radius: [2]float64{4, 15}},
}

// density is how many people live in a square kilometre.
const density = 400

// ofCode are the kinds by feature code.
var ofCode = func() map[string]*kind {
	all := map[string]*kind{}
	for i := range kinds {
		for code := range strings.FieldsSeq(kinds[i].codes) {
			all[code] = &kinds[i]
		}
	}
	return all
}()

// The columns of a dump.
const (
	columnName       = 1
	columnOthers     = 3
	columnLatitude   = 4
	columnLongitude  = 5
	columnCode       = 7
	columnPopulation = 14
	columnCount      = 19
)

const (
	maxLine = 1 << 20
	// maxAliases is the maximum number of bytes of the aliases of a row, as a gazetteer allows.
	maxAliases = 1000
)

// Convert writes a gazetteer of a dump, and returns how many places it has: by kind, in words. An error of a line names
// its number.
func Convert(dump io.Reader, w io.Writer) (said string, err error) {
	out := csv.NewWriter(w)
	out.Write([]string{"name", "latitude", "longitude", "population", "radius_km", "aliases"})
	counts := map[*kind]int{}
	lines := bufio.NewScanner(dump)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		cells := strings.Split(string(bytes.TrimSuffix(lines.Bytes(), []byte("\r"))), "\t")
		if len(cells) != columnCount {
			return "", fmt.Errorf("%d: has %d columns: must be a dump of GeoNames, with %d, separated by tabs", number, len(cells), columnCount)
		}
		k, population := ofCode[cells[columnCode]], 0.0
		if k == nil || len(cells[columnName]) > maxAliases {
			continue
		}
		if value := cells[columnPopulation]; value != "" {
			if population, err = strconv.ParseFloat(value, 64); err != nil {
				return "", fmt.Errorf("%d: population %q: must be a number", number, value)
			}
		}
		counts[k]++
		name := cells[columnName]
		out.Write([]string{name, cells[columnLatitude], cells[columnLongitude], cells[columnPopulation], k.radiusOf(population),
			strings.Join(k.aliases(name, strings.Split(cells[columnOthers], ",")), ";")})
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("%d: %w", number+1, err)
	}
	var parts []string
	for i := range kinds {
		if n := counts[&kinds[i]]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kinds[i].name))
		}
	}
	out.Flush()
	return strings.Join(parts, ", "), out.Error()
}

// radiusOf returns the radius of a place with a population, as text; empty if it is a point.
func (k *kind) radiusOf(population float64) string {
	least, most := k.radius[0], k.radius[1]
	if most == 0 {
		return ""
	}
	radius := (least + most) / 2
	if population > 0 {
		radius = min(max(math.Sqrt(population/(math.Pi*density)), least), most)
	}
	return strconv.FormatFloat(math.Round(radius), 'f', -1, 64)
}

// aliases returns the other names of a place that are written in Latin letters: with and without the nouns of its kind,
// then those given.
func (k *kind) aliases(name string, given []string) (all []string) {
	fold := func(written string) string { return string(text.AppendFolded(nil, []byte(written))) }
	known, size := []string{fold(name)}, 0
	add := func(alias string) {
		folded := fold(alias)
		if folded == "" || slices.Contains(known, folded) || strings.Contains(alias, ";") || size+len(alias) >= maxAliases || !isLatin(alias) {
			return
		}
		known, all, size = append(known, folded), append(all, alias), size+len(alias)+1
	}
	bare := name
	for _, noun := range slices.SortedFunc(slices.Values(k.nouns), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		if cut := len(name) - len(noun); cut > 1 && name[cut-1] == ' ' && strings.EqualFold(name[cut:], noun) {
			bare = strings.TrimSpace(name[:cut])
			break
		}
	}
	for _, noun := range k.nouns {
		add(bare + " " + noun)
	}
	for _, alias := range given {
		add(strings.TrimSpace(alias))
	}
	return all
}

// isLatin reports whether a text has Latin letters and no others, and is no link.
func isLatin(text string) bool {
	has := false
	for _, r := range text {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) {
			return false
		}
		has = has || unicode.IsLetter(r)
	}
	return has && !strings.Contains(text, "://")
}
