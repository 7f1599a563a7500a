package convert

import (
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/coordinate"
	"pubd/cmd/pubd/lists/heading"
	"pubd/cmd/pubd/lists/list"
	"pubd/index/hours"
	"pubd/index/schema"
	"pubd/loader"
)

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
			if value := cell.Value("", schema.Text, cells[0][:min(len(cells[0]), most)]); value != "" && !yield(value) {
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
	case of == cell.LatitudeColumn || of == cell.LongitudeColumn:
		if is, most = isAngle, half; isOurs {
			return true
		}
	case of == cell.TradingColumn && p.list.Columns[field] != cell.TradingColumn:
		is, most = isStatus, nearlyAll
	case of == schema.Columns[schema.ColumnTimeZone].Name:
		is = hours.IsZone
	case kind == schema.Decimal:
		is, most = isRating, nearlyAll
	case kind == schema.Whole:
		is, most = isCount, nearlyAll
	case of == heading.BothCoordinates && strings.Contains(p.list.Columns[field], "."):
		is = isPair
	case of == heading.BothCoordinates:
		is = mayBePair
	case !slices.Contains(textParts, of):
		return true
	}
	if isOurs {
		most = half
	}
	share := p.share(field, is)
	return share < 0 || share >= most
}

// textParts are the columns and parts that have texts for people.
var textParts = []string{cell.NameColumn, cell.LocationColumn, cell.AreaColumn, cell.TradingColumn, cell.CategoryColumn, cell.AddressColumn, cell.AltNamesColumn, cell.FeaturesColumn, cell.BrandColumn,
	heading.Street, heading.FurtherLine, heading.HouseName, heading.Operator, heading.Country}

// isText reports whether a value is no number, no code, no link, no yes or no, and no list of objects.
func isText(value string) bool {
	isLetter := len(value) == 1 && !strings.Contains("yYnN", value) || len(value) == 2 && value == strings.ToUpper(value) // NO is Norway
	return !numeric.MatchString(value) && !code.MatchString(value) && !strings.HasPrefix(value, "[{") && !link.MatchString(value) && (isLetter || !cell.IsYes(value) && !cell.IsNo(value))
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
	value = strings.ToLower(cell.Value(cell.TradingColumn, schema.Text, value))
	return value == "open" || value == "closed" || value == "temporarily_closed"
}

// isRating reports whether a value is a rating from 0 to 10, and isCount whether it is a number of reviews.
func isRating(value string) bool {
	rating, ok := schema.ParseDecimal([]byte(cell.Value(schema.Metric(0).String(), schema.Decimal, value)))
	return ok && 0 <= rating && rating <= 10
}

func isCount(value string) bool {
	count, ok := schema.ParseDecimal([]byte(cell.Value("", schema.Whole, value)))
	return ok && count >= 0 && count == math.Trunc(count)
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
