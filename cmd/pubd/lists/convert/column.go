package convert

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pubd/cmd/pubd/lists/coordinate"
	"pubd/cmd/pubd/lists/list"
	"pubd/index"
	"pubd/loader"
)

// A meaning is what a column of a list stands for: a column of a snapshot or a part of one. Of several columns that
// mean the same, the one of the lowest rank is the best.
type meaning struct {
	of   string
	rank int
}

// meanings has those of all usual names, in the form of [loader.PlainName].
var meanings = func() map[string][]meaning {
	all := map[string][]meaning{}
	add := func(of string, names []string) {
		for rank, name := range names {
			name = loader.PlainName(name)
			if !slices.ContainsFunc(all[name], func(m meaning) bool { return m.of == of }) {
				all[name] = append(all[name], meaning{of, rank})
			}
		}
	}
	for _, c := range index.Columns {
		add(c.Name, slices.Concat([]string{c.Name}, c.Aliases, c.Usual))
	}
	for part, names := range parts {
		add(part, names)
	}
	return all
}()

// nested is added to the rank of a member of an object inside a row.
const nested = 1000

// meaningsOf returns what a name of a list may stand for. A member of a member means what its parents say: the city of
// an address is the town, and so is the name of a city, but the status of an entrance is not that of the pub. Names that
// begin with @, but the identifier, are about the row.
func meaningsOf(name string) []meaning {
	if last := name[strings.LastIndexByte(name, '.')+1:]; strings.HasPrefix(last, "@") && last != "@id" {
		return nil
	}
	if label, found := strings.CutSuffix(name, "Label"); found && meanings[loader.PlainName(name)] == nil { // of Wikidata
		name = label
	}
	names := strings.Split(name, ".")
	held := len(names)
	for held > 1 && heldNames[loader.PlainName(names[held-1])] {
		held--
	}
	for ; held <= len(names); held++ { // the name of a city is the city, and that of a venue its name
		if found := meaningsIn(names[:held], len(names)-held); found != nil {
			return found
		}
	}
	words := strings.FieldsFunc(strings.ToLower(humps.ReplaceAllString(name, "$1 $2")), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, of := range []string{latitudeColumn, longitudeColumn} {
		if known := coordinateWords[of]; len(words) > 1 && (slices.Contains(known, words[0]) || slices.Contains(known, words[len(words)-1])) {
			return []meaning{{of, nested - 1}}
		}
	}
	return nil
}

// coordinateWords begin or end names of coordinates, such as decimalLatitude and "Latitude (WGS84)".
var coordinateWords = map[string][]string{latitudeColumn: {"latitude", "lat"}, longitudeColumn: {"longitude", "lng", "lon", "long"}}

// meaningsIn returns those of names that lead to a member, of which some are above or below it.
func meaningsIn(names []string, above int) (found []meaning) {
	last := len(names) - 1
	for _, m := range meanings[loader.PlainName(strings.Join(names, "."))] {
		found = append(found, meaning{m.of, m.rank + nested*(above+last)})
	}
	if found != nil || last == 0 {
		return found
	}
	parent := loader.PlainName(names[0])
	for _, m := range meaningsIn(names[1:], above+1) {
		if wrapperNames[parent] || !ofItself[m.of] && !personal.MatchString(parent) {
			found = append(found, m)
		}
	}
	return found
}

// ofItself has what a member says of its parent only, be that the pub or something that it has: not where it is.
var ofItself = func() map[string]bool {
	set := setOf(uidColumn, nameColumn, tradingColumn, categoryColumn, brandColumn, featuresColumn, altNamesColumn, identifier)
	for metric := range index.Metric(index.MetricCount) {
		set[metric.String()] = true
	}
	return set
}()

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// otherTags are tags of OpenStreetMap that mean something else than columns of their names: location=rooftop.
var otherTags = []string{"location", "area"}

// elementID matches the identifier of an element of OpenStreetMap.
var elementID = regexp.MustCompile(`^(?:node|way|relation)/[0-9]+$`)

// findTags reports whether columns are tags of OpenStreetMap: those of its elements, or of any list with one that is
// amenity.
func (p *plan) findTags() bool {
	if p.list.Form == list.OSM || slices.Contains(p.list.Columns, "amenity") {
		return true
	}
	field := slices.Index(p.list.Columns, "UID")
	return field >= 0 && p.share(field, elementID.MatchString) >= nearlyAll
}

// values yields the values of a field in the sample of the list that are not missing, without what is beyond any point.
func (p *plan) values(field int) iter.Seq[string] {
	const most = 10_000 // bytes of a polygon
	return func(yield func(string) bool) {
		for cells := range p.list.Sample(field) {
			if value := valueOf("", index.Text, cells[0][:min(len(cells[0]), most)]); value != "" && !yield(value) {
				return
			}
		}
	}
}

// share returns the share of the values of a field that are of a kind, from 0 to 1; -1 if there are none.
func (p *plan) share(field int, is func(value string) bool) float64 {
	all, found := 0, 0
	for value := range p.values(field) {
		if all++; is(value) {
			found++
		}
	}
	if all == 0 {
		return -1
	}
	return float64(found) / float64(all)
}

// nearlyAll is which share of the values must be of a kind for a column to be of it; half is for columns with a name of
// a snapshot, and for texts, of which some may be anything.
const nearlyAll, half = 0.9, 0.5

// fits reports whether the values of a field may be those of a column or a part.
func (p *plan) fits(of string, field int) bool {
	is, most, isOurs := isText, half, loader.ColumnName(p.list.Columns[field]) == of
	switch kind := loader.KindOf(of); {
	case of == latitudeColumn || of == longitudeColumn:
		if is, most = isAngle, half; isOurs {
			return true
		}
	case of == tradingColumn && p.list.Columns[field] != tradingColumn:
		is, most = isStatus, nearlyAll
	case kind == index.Decimal:
		is, most = isRating, nearlyAll
	case kind == index.Whole:
		is, most = isCount, nearlyAll
	case of == bothCoordinates && strings.Contains(p.list.Columns[field], "."):
		is = isPair
	case !textParts[of]:
		return true
	}
	if isOurs {
		most = half
	}
	share := p.share(field, is)
	return share < 0 || share >= most
}

// textParts are the columns and parts that have texts for people.
var textParts = setOf(nameColumn, locationColumn, areaColumn, tradingColumn, categoryColumn, addressColumn, altNamesColumn, featuresColumn, brandColumn,
	street, furtherLine, houseName, operator, country)

// isText reports whether a value is no number, no code, no link, no yes or no, and no list of objects.
func isText(value string) bool {
	isLetter := len(value) == 1 && !strings.Contains("yYnN", value) || len(value) == 2 && value == strings.ToUpper(value) // NO is Norway
	return !numeric.MatchString(value) && !code.MatchString(value) && !strings.HasPrefix(value, "[{") && !link.MatchString(value) && (isLetter || !yesWords[strings.ToLower(value)] && !noWords[strings.ToLower(value)])
}

var code = regexp.MustCompile(`^(?:[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9a-f]{16,})\b`)

var link = regexp.MustCompile(`(?i)^(?:https?://|www\.)|^\S+@\S+$`)

// isAngle reports whether a value is a number or an angle.
func isAngle(value string) bool {
	_, isLatitude := coordinate.Latitude(value)
	_, isLongitude := coordinate.Longitude(value)
	return isLatitude || isLongitude || numeric.MatchString(value)
}

// isStatus reports whether a value is a trading status.
func isStatus(value string) bool {
	value = strings.ToLower(valueOf(tradingColumn, index.Text, value))
	return value == "open" || value == "closed" || value == "temporarily_closed"
}

// isRating reports whether a value is a rating from 0 to 10, and isCount whether it is a number of reviews.
func isRating(value string) bool {
	rating, ok := index.ParseDecimal([]byte(valueOf(index.Metric(0).String(), index.Decimal, value)))
	return ok && 0 <= rating && rating <= 10
}

func isCount(value string) bool {
	count, ok := index.ParseDecimal([]byte(valueOf("", index.Whole, value)))
	return ok && count >= 0
}

// example returns the first value of a field; empty if it has none.
func (p *plan) example(field int) (value string) {
	for cells := range p.list.Cells() {
		if value = strings.TrimSpace(cells[field]); value != "" {
			break
		}
	}
	return value
}
