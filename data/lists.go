package data

import (
	"embed"
	"strconv"
	"strings"
)

// words.txt and names.txt say how they are written. places.csv has a header, and no quotes.
//
//go:embed lists
var files embed.FS

// A country determines the names of pubs; ulster is Northern Ireland.
type country uint8

const (
	england country = iota
	wales
	scotland
	ulster
	ireland
)

// countries are those of places.csv, in order.
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
