package survey

import (
	"cmp"
	"maps"
	"slices"

	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/index/text"
)

// Coverage says how many pubs have a column.
type Coverage struct {
	Column string `json:"column"`
	Pubs   int    `json:"pubs"`
}

// coverage returns how many pubs have each column; those after the alternative names only if any has.
func coverage(directory *corpus.Directory) (list []Coverage) {
	add := func(name string, isRare bool, has func(pub *schema.Pub) bool) {
		count := 0
		for i := range directory.Pubs {
			if has(&directory.Pubs[i]) {
				count++
			}
		}
		if count > 0 || !isRare {
			list = append(list, Coverage{name, count})
		}
	}
	for column := schema.ColumnName; column < schema.ColumnCount; column++ {
		switch c := &schema.Columns[column]; column {
		case schema.ColumnLatitude:
			add("coordinates", false, c.Has)
		case schema.ColumnLongitude:
		default:
			add(c.Name, column >= schema.ColumnFeatures, c.Has)
		}
	}
	for i, column := range directory.Extra {
		add(column.Name(), false, func(pub *schema.Pub) bool { return pub.Extra != nil && pub.Extra[i] != "" })
	}
	return list
}

// Values are the most frequent values of a column.
type Values struct {
	Column string `json:"column"`
	// Distinct counts all values; those with the same folded form count as one.
	Distinct int     `json:"distinct"`
	Most     []Value `json:"most"`
}

// A Value is a text that some pubs have.
type Value struct {
	Value string `json:"value"` // in its most frequent spelling
	Pubs  int    `json:"pubs"`
	// Spellings counts the different spellings with the same folded form, 1 or more.
	Spellings int `json:"spellings"`
}

// maxMost is how many of the most frequent values are listed.
const maxMost = 10

// byCount returns texts by how many there are of each, the most first, and those of which there are equally many in the
// order of the alphabet.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
}

// valuesOf returns the values of a facet, each in its most frequent spelling, in the order of [byCount].
func valuesOf(pubs []schema.Pub, facet schema.Facet) Values {
	spellings := map[string]int{} // how many pubs have each
	for i := range pubs {
		if text := facet.Value(&pubs[i]); text != "" {
			spellings[text]++
		}
	}
	byFold := map[string]*Value{}
	for _, text := range byCount(spellings) {
		key := folded(text)
		v := byFold[key]
		if v == nil {
			v = &Value{Value: text}
			byFold[key] = v
		}
		v.Pubs += spellings[text]
		v.Spellings++
	}
	counts := map[string]int{}
	for key, v := range byFold {
		counts[key] = v.Pubs
	}
	values := Values{Column: facet.String(), Distinct: len(counts), Most: []Value{}}
	for _, key := range byCount(counts)[:min(len(counts), maxMost)] {
		values.Most = append(values.Most, *byFold[key])
	}
	return values
}

// folded returns the folded form of a text, or the text if nothing is left of it.
func folded(written string) string {
	return cmp.Or(string(text.AppendFolded(nil, []byte(written))), written)
}
