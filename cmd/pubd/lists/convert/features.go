package convert

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/heading"
	"pubd/index/schema"
	"pubd/index/text"
)

// An offer is a column of a list that says which pubs have a feature.
type offer struct {
	field   int
	feature string
	yes, no string // as those of a TagOffer
	isTag   bool
}

// says returns whether a value, or one of several separated by semicolons, says that a pub has the feature, and whether
// it says anything of it.
func (o offer) says(value string) (has, known bool) {
	for part := range strings.SplitSeq(value, ";") {
		part = strings.ToLower(cell.Value(cell.FeaturesColumn, schema.Text, part))
		words := strings.Fields(o.yes)
		switch {
		case part == "":
		case cell.IsNo(part):
			known = known || o.no != ""
		case o.yes == "*", slices.Contains(words, part), slices.Contains(words, "yes") && cell.IsYes(part):
			return true, true
		}
	}
	return false, known
}

// findOffers finds the columns that tell of features: tags of OpenStreetMap, and those whose name means a feature and
// whose values say yes or no. A column that something else is known about tells of none.
func (p *plan) findOffers() {
	known := map[int]bool{}
	for of, fields := range p.fields {
		for _, field := range fields {
			known[field] = known[field] || of != cell.FeaturesColumn && !slices.Contains(p.extra, of)
		}
	}
	var may []offer
	for field, name := range p.list.Columns {
		isTag := false
		for _, t := range cell.TagOffers {
			if p.isTagged && t.Tag == name {
				isTag, may = true, append(may, offer{field, t.Feature, t.Yes, t.No, true})
			}
		}
		outer, inner := name[:max(0, strings.LastIndexByte(name, '.'))], name[strings.LastIndexByte(name, '.')+1:]
		if saysWhether.MatchString(inner) { // wheelchairAccess.status
			inner = outer[strings.LastIndexByte(outer, '.')+1:]
		}
		if feature := p.featureOf(inner); feature != "" && !isTag && !known[field] {
			may = append(may, offer{field: field, feature: feature, yes: "yes", no: "no"})
		}
	}
	says := make([]struct{ yes, no, other, x int }, len(may)) // by offer, how many values do
	for cells := range p.list.Cells() {
		for i, o := range may {
			value := cell.Value(cell.FeaturesColumn, schema.Text, cells[o.field])
			switch has, known := o.says(value); {
			case value == "":
			case strings.EqualFold(value, "x"):
				says[i].x++
			case has:
				says[i].yes++
			case known:
				says[i].no++
			default:
				says[i].other++
			}
		}
	}
	for i, o := range may {
		known := says[i].yes + says[i].no + says[i].x
		isYesOrNo := 9*says[i].other <= known && (says[i].x == 0 || says[i].yes == 0)
		if known > 0 && (o.isTag || isYesOrNo) {
			p.offers = append(p.offers, o)
			p.used[o.field] = true
			p.fields[cell.FeaturesColumn] = slices.DeleteFunc(p.fields[cell.FeaturesColumn], func(field int) bool { return field == o.field })
		}
	}
	slices.SortStableFunc(p.offers, func(a, b offer) int { return strings.Compare(a.feature, b.feature) })
}

// saysWhether matches the name of a member that says whether the one around it is so.
var saysWhether = regexp.MustCompile(`(?i)^(?:status|value|available|allowed)$`)

// featureOf returns the feature of pubs that a text means, such as "Beer garden" and hasBeerGarden; empty if none.
func (p *plan) featureOf(text string) string {
	text = strings.ToLower(heading.Split(text))
	for _, verb := range []string{"", "has", "is"} {
		rest, found := strings.CutPrefix(text, verb)
		if feature, ok := p.vocabulary.Named(rest); found && ok {
			return feature
		}
	}
	return ""
}

// inBrackets matches what is added to a feature, such as "(free)".
var inBrackets = regexp.MustCompile(`\s*\([^()]*\)$`)

var without = cell.Words("without")

// offered returns the feature that a phrase means, and whether it says that it is there: "No dogs" is dog, and not. Of a
// sentence, the words at its beginning count. A phrase that is not known is returned as it is.
func (p *plan) offered(phrase string) (feature string, is bool) {
	plain, isMinus := strings.CutPrefix(phrase, "-")
	plain = inBrackets.ReplaceAllString(plain, "")
	if feature := p.featureOf(plain); feature != "" {
		return feature, !isMinus
	}
	words := strings.Fields(strings.ToLower(plain))
	denies := slices.IndexFunc(words, func(word string) bool { return without[word] })
	if denies == 0 {
		if feature := p.featureOf(strings.Join(words[1:], " ")); feature != "" {
			return feature, isMinus
		}
	}
	if feature, n := p.vocabulary.Find(bytes.Fields(text.AppendFolded(nil, []byte(plain)))); n > 0 && denies < 0 && len(phrase) > maxFeature {
		return feature, !isMinus
	}
	return strings.TrimPrefix(phrase, "-"), !isMinus
}

// maxFeature is the length of the longest feature that is no sentence, in bytes.
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
	for _, field := range f.fields[cell.FeaturesColumn] {
		text := cell.Value(cell.FeaturesColumn, schema.Text, f.cells[field])
		if f.list.Columns[field] == cell.FeaturesColumn {
			own, text = text, ""
		}
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";,|\n", r) }) {
			if feature, is := f.offered(strings.TrimSpace(word)); feature != "" && !numeric.MatchString(feature) {
				note(feature, is)
			}
		}
	}
	for _, o := range f.offers {
		if is, known := o.says(f.cells[o.field]); known {
			note(o.feature, is)
		}
	}
	for i, word := range words {
		if !has[word] {
			words[i] = "-" + word
		}
	}
	if own != "" {
		words = append([]string{own}, words...)
	}
	length := 0
	for i, word := range words {
		if length += len(word) + 1; length > cell.MaxText && i > 0 {
			words = words[:i]
			break
		}
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
	if lists := p.fields[cell.FeaturesColumn]; len(lists) > 0 {
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
