// Command relevance measures how often sort=relevance finds the pub that a person means: it draws pubs from a snapshot,
// disturbs their names as people do, and looks at which place of the answer each is.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pubd/index"
	"pubd/loader"
)

func main() {
	file := flag.String("data", "", "the snapshot")
	flag.Parse()
	if err := run(*file, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		os.Exit(1)
	}
}

// queries is how many queries are asked, first how many pubs of an answer count.
const (
	queries = 2000
	first   = 10
)

// run writes the report about a snapshot. It is the same every time.
func run(file string, out io.Writer) error {
	if file == "" {
		return errors.New("--data FILE: is needed")
	}
	loaded, err := loader.LoadFile(file, loader.Options{})
	if err != nil {
		return err
	}
	s, err := index.InMemory(loaded.Directory, index.BuildOptions{Workers: 2})
	if err != nil {
		return err
	}
	withTown, alone := measure(s, true), measure(s, false)
	fmt.Fprintf(out, `# Relevance

`+"`go run ./bench/relevance --data %s`"+`: %d pubs drawn from %d, those with a name to which it applies for each way to disturb it,
then asked for with sort=relevance, with its town and without. Unique are those whose name and town together, or whose name,
no other pub has when folded. A misspelling is an insertion, deletion, substitution or swap anywhere in a word of four letters or more.

`, filepath.Base(file), queries, s.Len())
	withTown.write(out, "Name and town")
	alone.write(out, "Name alone")
	_, err = fmt.Fprintf(out, "A name alone does not tell a pub from its namesakes: %.1f %% of these pubs have %d or more.\n", alone.crowded*100, first)
	return err
}

// A disturbance changes a name in a way that people do; it gives "" where it does not apply.
type disturbance struct {
	name  string
	apply func(rng *rand.Rand, name string) string
}

var disturbances = []disturbance{
	{"an apostrophe lost", func(_ *rand.Rand, name string) string {
		return changed(name, strings.NewReplacer("'", "", "’", "").Replace(name))
	}},
	{"& for and, and for &", func(_ *rand.Rand, name string) string {
		return changed(name, strings.NewReplacer(" & ", " and ", " and ", " & ", " And ", " & ").Replace(name))
	}},
	{"one misspelling", misspelt},
	{"Inn added", func(_ *rand.Rand, name string) string { return name + " Inn" }},
	{"The added", func(_ *rand.Rand, name string) string { return "The " + name }},
}

func changed(before, after string) string {
	if before == after {
		return ""
	}
	return after
}

func misspelt(rng *rand.Rand, name string) string {
	words := strings.Fields(name)
	var long []int
	for i, word := range words {
		if len([]rune(word)) >= 4 {
			long = append(long, i)
		}
	}
	if len(long) == 0 {
		return ""
	}
	at := long[rng.IntN(len(long))]
	word := []rune(words[at])
	place := rng.IntN(len(word))
	letter := 'a' + rune(rng.IntN(26))
	switch rng.IntN(4) {
	case 0:
		word = slices.Insert(word, place, letter)
	case 1:
		word = slices.Delete(word, place, place+1)
	case 2:
		word[place] = letter
	default:
		place = min(place, len(word)-2)
		word[place], word[place+1] = word[place+1], word[place]
	}
	words[at] = string(word)
	return strings.Join(words, " ")
}

// A count is how often the pub that was meant came where.
type count struct{ asked, found, unique, firstOfUnique int }

type report struct {
	counts  map[string]*count // by disturbance
	crowded float64           // share of pubs with so many namesakes that not all are shown
}

func measure(s *index.Snapshot, town bool) report {
	rng := rand.New(rand.NewPCG(1, 2))
	r := report{counts: map[string]*count{}}
	known := map[string]int{} // folded names, with towns or without
	key := func(pub *index.Pub) string {
		text := pub.Name
		if town {
			text += "\x00" + pub.Location
		}
		return string(index.AppendFolded(nil, []byte(text)))
	}
	for i := range uint32(s.Len()) {
		known[key(s.Pub(i))]++
	}
	var w index.Workspace
	for asked := 0; asked < queries; {
		ordinal := uint32(rng.IntN(s.Len()))
		pub := s.Pub(ordinal)
		d := disturbances[asked%len(disturbances)]
		text := d.apply(rng, pub.Name)
		if text == "" || pub.Location == "" {
			continue
		}
		if town {
			text += " " + pub.Location
		}
		asked++
		a := s.Search(&index.Query{Text: []byte(text), Sort: index.SortRelevance, Descending: true, Amount: first}, &w)
		c := r.counts[d.name]
		if c == nil {
			c = &count{}
			r.counts[d.name] = c
		}
		place := slices.Index(a.Pubs, ordinal)
		c.asked++
		c.found += one(place >= 0)
		unique := known[key(pub)] == 1
		c.unique += one(unique)
		c.firstOfUnique += one(unique && place == 0)
		r.crowded += float64(one(s.Namesakes(ordinal) >= first)) / queries
	}
	return r
}

func one(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

func (r *report) write(out io.Writer, title string) {
	fmt.Fprintf(out, "## %s\n\n| disturbed by | asked | among the first %d | unique | first of the unique |\n|---|--:|--:|--:|--:|\n", title, first)
	var sum count
	row := func(name string, c count) {
		fmt.Fprintf(out, "| %s | %d | %d (%.1f %%) | %d | %d (%.1f %%) |\n", name, c.asked, c.found, share(c.found, c.asked), c.unique,
			c.firstOfUnique, share(c.firstOfUnique, c.unique))
	}
	for _, d := range disturbances {
		if c := r.counts[d.name]; c != nil {
			row(d.name, *c)
			sum.asked, sum.found = sum.asked+c.asked, sum.found+c.found
			sum.unique, sum.firstOfUnique = sum.unique+c.unique, sum.firstOfUnique+c.firstOfUnique
		}
	}
	row("all", sum)
	fmt.Fprintln(out)
}

func share(part, whole int) float64 { return 100 * float64(part) / float64(max(1, whole)) }
