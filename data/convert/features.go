package convert

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pubd/index"
)

// An offer is a column of a list that says which pubs have a feature.
type offer struct {
	field   int
	feature string
	yes, no string // as those of a TagOffer
}

// What columns of yes and no say, in lower case. An x is a tick, unless the column has other ones.
const (
	yesWords = "yes y true t 1 x ✓ ✔ ☑ ✅ ja j oui o sí si s sim tak ano"
	noWords  = "no n false f 0 ✗ ✘ ✕ ❌ nein nee non não nao nie ne"
)

// isOneOf reports whether a value, or one of several separated by semicolons, is one of some words.
func isOneOf(value, words string) bool {
	for part := range strings.SplitSeq(strings.ToLower(value), ";") {
		part = strings.TrimSpace(part)
		for word := range strings.FieldsSeq(words) {
			if part == word || word == "*" && part != "" && part != "no" {
				return true
			}
		}
	}
	return false
}

// findOffers finds the columns that tell of features: tags of OpenStreetMap, and those whose name means a feature and
// whose values say yes or no. A column that something else is known about tells of none.
func (p *plan) findOffers() {
	known := map[int]bool{}
	for of, fields := range p.fields {
		for _, field := range fields {
			known[field] = known[field] || of != featuresColumn && !slices.Contains(p.extra, of)
		}
	}
	var may []offer
	for field, name := range p.list.Columns {
		isTag := false
		for _, t := range TagOffers {
			if p.isTagged && t.Tag == name {
				isTag, may = true, append(may, offer{field, t.Feature, t.Yes, t.No})
			}
		}
		if feature := p.featureOf(name[strings.LastIndexByte(name, '.')+1:]); feature != "" && !isTag && !known[field] {
			may = append(may, offer{field, feature, yesWords, noWords})
		}
	}
	says := make([]struct{ yes, no, other, x int }, len(may)) // by offer, how many values do
	for cells := range p.list.Cells() {
		for i, o := range may {
			switch value := valueOf(featuresColumn, index.Text, cells[o.field]); {
			case value == "":
			case strings.EqualFold(value, "x"):
				says[i].x++
			case isOneOf(value, o.yes):
				says[i].yes++
			case isOneOf(value, o.no):
				says[i].no++
			default:
				says[i].other++
			}
		}
	}
	for i, o := range may {
		told := says[i].yes + says[i].no + says[i].x
		isYesOrNo := 9*says[i].other <= told && (says[i].x == 0 || says[i].yes == 0)
		if isTag := o.yes != yesWords; told > 0 && (isTag || isYesOrNo) {
			p.offers = append(p.offers, o)
			p.used[o.field] = true
			p.fields[featuresColumn] = slices.DeleteFunc(p.fields[featuresColumn], func(field int) bool { return field == o.field })
		}
	}
	slices.SortStableFunc(p.offers, func(a, b offer) int { return strings.Compare(a.feature, b.feature) })
}

// humps matches where words begin in a name such as hasBeerGarden.
var humps = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// featureOf returns the feature of pubs that a text means, such as "Beer garden" and hasBeerGarden; empty if none.
func (p *plan) featureOf(text string) string {
	text = strings.ToLower(humps.ReplaceAllString(text, "$1 $2"))
	for _, verb := range []string{"", "has", "is"} {
		rest, found := strings.CutPrefix(text, verb)
		if feature, ok := p.vocabulary.Named(rest); found && ok {
			return feature
		}
	}
	return ""
}

// maxFeature is the maximum length of a feature that is not in the vocabulary, in bytes: a longer one is a sentence.
const maxFeature = 32

// features returns what lists of features say, in their order, and then other columns. A pub has what one of them says
// that it has. What the vocabulary does not know is kept as it is written, and so is a column of a snapshot.
func (f *filler) features() string {
	var own string
	var words []string
	has := map[string]bool{}
	note := func(feature string, is bool) {
		if _, noted := has[feature]; !noted {
			words = append(words, feature)
		}
		has[feature] = has[feature] || is
	}
	for _, field := range f.fields[featuresColumn] {
		text := valueOf(featuresColumn, index.Text, f.cells[field])
		if f.list.Columns[field] == featuresColumn {
			own, text = text, ""
		}
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";,|\n", r) }) {
			word, isMinus := strings.CutPrefix(strings.TrimSpace(word), "-")
			if feature := cmp.Or(f.featureOf(word), word); feature != "" && len(feature) <= maxFeature {
				note(feature, !isMinus)
			}
		}
	}
	for _, o := range f.offers {
		switch value := f.cells[o.field]; {
		case value == "":
		case isOneOf(value, o.yes):
			note(o.feature, true)
		case isOneOf(value, o.no):
			note(o.feature, false)
		}
	}
	for i, word := range words {
		if !has[word] {
			words[i] = "-" + word
		}
	}
	words = words[:min(len(words), maxText/(maxFeature+2))]
	if own != "" {
		words = append([]string{own}, words...)
	}
	return strings.Join(words, ";")
}

// featuresStep says which columns tell of which features.
func (p *plan) featuresStep() string {
	fields := map[string][]int{}
	for _, o := range p.offers {
		fields[o.feature] = append(fields[o.feature], o.field)
	}
	var steps []string
	if lists := p.fields[featuresColumn]; len(lists) > 0 {
		steps = append(steps, p.names(lists, ", "))
	}
	for _, feature := range slices.Sorted(maps.Keys(fields)) {
		from := p.names(fields[feature], ", ")
		if from != feature {
			from = feature + " from " + from
		}
		steps = append(steps, from)
	}
	return strings.Join(steps, "; ")
}
