package survey

import (
	"cmp"
	"math"
	"slices"

	"pubd/index"
)

// Coverage says how many pubs have a column.
type Coverage struct {
	Column string `json:"column"`
	Pubs   int    `json:"pubs"`
}

// coverage returns how many pubs have each column; those after the alternative names only if any has.
func coverage(directory *index.Directory) (list []Coverage) {
	var has []func(pub *index.Pub) bool // by column
	add := func(name string, hasColumn func(pub *index.Pub) bool) {
		list, has = append(list, Coverage{Column: name}), append(has, hasColumn)
	}
	for column := index.ColumnName; column < index.ColumnCount; column++ {
		switch c := &index.Columns[column]; column {
		case index.ColumnLatitude:
			add("coordinates", c.Has)
		case index.ColumnLongitude:
		default:
			add(c.Name, c.Has)
		}
	}
	for i, column := range directory.Extra {
		add(column.Name(), func(pub *index.Pub) bool { return pub.Extra != nil && pub.Extra[i] != "" })
	}
	for i := range directory.Pubs {
		for column, has := range has {
			if has(&directory.Pubs[i]) {
				list[column].Pubs++
			}
		}
	}
	return slices.DeleteFunc(list, func(c Coverage) bool {
		return c.Pubs == 0 && slices.ContainsFunc(index.Columns[index.ColumnFeatures:], func(rare index.Column) bool { return rare.Name == c.Column })
	})
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

// folds numbers the folded forms of a column's texts, in order of first appearance.
type folds struct {
	folded    []string
	pubs      []int
	spelling  []string // the most frequent one
	spellings []int    // how many there are
}

// newFolds folds texts and returns the number of each. Empty texts have none.
func newFolds(count int, text func(pub int) string) (f folds, numbers []uint32) {
	type spelling struct {
		number uint32
		pubs   int
	}
	spellings, byFold := map[string]*spelling{}, map[string]uint32{}
	numbers = make([]uint32, count)
	for i := range count {
		text := text(i)
		if text == "" {
			numbers[i] = none
			continue
		}
		s := spellings[text]
		if s == nil {
			folded := cmp.Or(string(index.AppendFolded(nil, []byte(text))), text)
			number, known := byFold[folded]
			if !known {
				number = uint32(len(f.folded))
				byFold[folded] = number
				f.folded, f.pubs = append(f.folded, folded), append(f.pubs, 0)
			}
			s = &spelling{number: number}
			spellings[text] = s
		}
		s.pubs++
		f.pubs[s.number]++
		numbers[i] = s.number
	}
	f.spelling, f.spellings = make([]string, len(f.folded)), make([]int, len(f.folded))
	for text, s := range spellings {
		f.spellings[s.number]++
		was := f.spelling[s.number]
		if was == "" || s.pubs > spellings[was].pubs || s.pubs == spellings[was].pubs && text < was {
			f.spelling[s.number] = text
		}
	}
	return f, numbers
}

const none = math.MaxUint32

// most returns the most frequent values; ties are ordered by folded form.
func (f *folds) most() []Value {
	numbers := make([]int, len(f.folded))
	for number := range numbers {
		numbers[number] = number
	}
	slices.SortFunc(numbers, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.pubs[b], f.pubs[a]), cmp.Compare(f.folded[a], f.folded[b]))
	})
	most := []Value{}
	for _, number := range numbers[:min(len(numbers), maxMost)] {
		most = append(most, Value{f.spelling[number], f.pubs[number], f.spellings[number]})
	}
	return most
}

// values returns the most frequent values of the facets, and numbers the names and locations.
func (f *finder) values() []Values {
	var all []Values
	for facet := range index.Features { // each has one value a pub
		folds, numbers := newFolds(len(f.pubs), func(pub int) string { return facet.Value(&f.pubs[pub]) })
		all = append(all, Values{facet.String(), len(folds.folded), folds.most()})
		if facet == index.Location {
			f.located = numbers
		}
	}
	f.names, f.named = newFolds(len(f.pubs), func(pub int) string { return f.pubs[pub].Name })
	return all
}
