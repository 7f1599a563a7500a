package data

import (
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// words.txt and names.txt say how they are written. The tables are CSV with a header.
//
//go:embed lists
var files embed.FS

// A country determines the names of villages and pubs; ulster is Northern Ireland.
type country uint8

const (
	england country = iota
	wales
	scotland
	ulster
	ireland
)

// countries are those of towns.csv, in order.
var countries = []string{"england", "wales", "scotland", "ulster", "ireland"}

// words are the lists of words.txt by name.
type words map[string][]string

func readWords() words { return ReadLists(read("words.txt")) }

// ReadLists reads lists of words by name. [name] at the beginning of a line begins a list; each line after it is an
// entry, in which _ stands for a space. Empty lines, and those before the first list, say nothing.
func ReadLists(text string) map[string][]string {
	lists := map[string][]string{}
	var name string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if about, header := strings.CutPrefix(line, "["); header {
			name, _, _ = strings.Cut(about, "]")
		} else if name != "" && line != "" {
			lists[name] = append(lists[name], strings.ReplaceAll(line, "_", " "))
		}
	}
	return lists
}

// A town is a real town, with its centre in degrees and its people in thousands. Two
// towns may have the same name, such as Newport.
type town struct {
	name     string
	lat, lng float64
	people   int64
	country  country
}

func readTowns() (list []town) {
	for _, r := range table("towns.csv") {
		list = append(list, town{r[0], number(r[1]), number(r[2]), int64(number(r[3])), country(slices.Index(countries, r[4]))})
	}
	return list
}

// A district is a real part of a large town, with its centre in degrees.
type district struct {
	name     string
	lat, lng float64
}

// readDistricts returns districts by the name of the town; other towns get some of the quarters.
func readDistricts() map[string][]district {
	byTown := map[string][]district{}
	for _, r := range table("districts.csv") {
		byTown[r[0]] = append(byTown[r[0]], district{r[1], number(r[2]), number(r[3])})
	}
	return byTown
}

// readFerries returns neighbouring towns with only water between them, at least in a straight line.
func readFerries() [][]string { return table("ferries.csv") }

// table returns the rows of an embedded table without its header.
func table(name string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(read(name))).ReadAll()
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	return rows[1:]
}

func read(name string) string {
	text, err := files.ReadFile("lists/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return n
}
