// Package cell says what the cells of a list mean: words for yes, no and nothing in eleven languages, numbers, ratings and
// trading statuses as people write them, and tags of OpenStreetMap.
package cell

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pubd/data"
	"pubd/index/schema"
	"pubd/loader"
)

// The names of columns of a snapshot.
var (
	UIDColumn       = schema.Columns[schema.ColumnUID].Name
	NameColumn      = schema.Columns[schema.ColumnName].Name
	LocationColumn  = schema.Columns[schema.ColumnLocation].Name
	TradingColumn   = schema.Columns[schema.ColumnTrading].Name
	LatitudeColumn  = schema.Columns[schema.ColumnLatitude].Name
	LongitudeColumn = schema.Columns[schema.ColumnLongitude].Name
	CategoryColumn  = schema.Columns[schema.ColumnCategory].Name
	AddressColumn   = schema.Columns[schema.ColumnAddress].Name
	PostcodeColumn  = schema.Columns[schema.ColumnPostcode].Name
	AreaColumn      = schema.Columns[schema.ColumnArea].Name
	AltNamesColumn  = schema.Columns[schema.ColumnAltNames].Name
	FeaturesColumn  = schema.Columns[schema.ColumnFeatures].Name
	HoursColumn     = schema.Columns[schema.ColumnHours].Name
	BrandColumn     = schema.Columns[schema.ColumnBrand].Name
)

const (
	// MaxText is the maximum length of a text in a snapshot, in bytes.
	MaxText = 1000
	// MaxLength is up to what length a value is tidied, which may make it shorter: a workbook may repeat a long one in every
	// row.
	MaxLength = 100_000
)

// Of returns the cell of a row in the column with a name; empty if there is none.
func Of(columns, cells []string, name string) string {
	if at := slices.Index(columns, name); at >= 0 {
		return cells[at]
	}
	return ""
}

//go:embed words.txt
var wordsText string

var (
	lists   = data.ReadLists(wordsText)
	missing = Words("missing")
	yes     = Words("yes")
	no      = Words("no")
)

// Words returns the entries of a list of words.txt, which describes each.
func Words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.SplitSeq(strings.Join(lists[list], ", "), ", ") {
		set[word] = true
	}
	return set
}

// IsYes reports whether a value says yes, in any case of its letters, and IsNo whether it says no.
func IsYes(value string) bool { return yes[strings.ToLower(value)] }
func IsNo(value string) bool  { return no[strings.ToLower(value)] }

// Value returns a value of a list as a snapshot has it in a column of a kind. A value that stands for none is empty;
// one that is not understood is returned as it is, so that the rules of snapshots refuse it.
func Value(column string, kind schema.Kind, value string) string {
	value = strings.TrimSpace(value)
	if value == "" || len(value) > MaxLength || column == UIDColumn || column == NameColumn {
		return value
	}
	folded := strings.ToLower(value)
	switch {
	case missing[value], missing[folded], folded == "none" && column != FeaturesColumn, strings.HasPrefix(value, "[{") && column != HoursColumn && loader.ColumnName(column) != "": // or a list
		return ""
	case kind == schema.Whole:
		return Whole(value)
	case kind == schema.Decimal:
		return ratingOf(value, folded)
	case column == TradingColumn:
		return schema.Status(value)
	}
	return value
}

// grouped matches a whole number with separators between thousands.
var grouped = regexp.MustCompile(`^\d{1,3}(?:,\d{3}|\.\d{3}|[ '’\x{a0}\x{202f}]\d{3})+$`)

// Whole returns a whole number without separators between thousands; any other text as it is.
func Whole(value string) string {
	if grouped.MatchString(value) {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, value)
	}
	return value
}

// scaled matches a rating that says out of how much it is.
var scaled = regexp.MustCompile(`^(\d+(?:[.,]\d+)?)\s*(?:/|out of|von|sur|de|z)\s*(5|10|20|25|50|100|1000)$`)

func ratingOf(value, folded string) string {
	if number := loader.WithPoint(value); number != "" {
		return number
	}
	most, number := 0.0, ""
	if m := scaled.FindStringSubmatch(folded); m != nil {
		number = m[1]
		most, _ = strconv.ParseFloat(m[2], 64)
	} else if share, ok := strings.CutSuffix(value, "%"); ok {
		number, most = strings.TrimSpace(share), 100
	}
	rating, err := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
	if most == 0 || err != nil || rating < 0 || rating > most {
		return value
	}
	if most == 10 {
		return strings.Replace(number, ",", ".", 1)
	}
	return strconv.FormatFloat(rating*10/most, 'f', -1, 64)
}
