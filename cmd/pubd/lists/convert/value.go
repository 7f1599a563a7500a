package convert

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pubd/data"
	"pubd/index"
	"pubd/loader"
)

//go:embed words.txt
var wordsText string

// What cells say: words.txt describes each list.
var (
	lists    = data.ReadLists(wordsText)
	missing  = wordsOf("missing")
	yesWords = wordsOf("yes")
	noWords  = wordsOf("no")
	without  = wordsOf("without")

	heldNames, wrapperNames = wordsOf("held"), wordsOf("wrappers")
)

// wordsOf returns the entries of a list.
func wordsOf(list string) map[string]bool {
	return setOf(strings.Split(strings.ReplaceAll(strings.Join(lists[list], ", "), ", ", "\n"), "\n")...)
}

// valueOf returns a value of a list as a snapshot has it in a column of a kind. A value that is none is empty; one that
// is not understood is returned as it is, so that the rules of snapshots refuse it.
func valueOf(column string, kind index.Kind, value string) string {
	value = strings.TrimSpace(value)
	if value == "" || len(value) > maxCell || column == uidColumn || column == nameColumn {
		return value
	}
	folded := strings.ToLower(value)
	switch {
	case missing[value], missing[folded], folded == "none" && column != featuresColumn, strings.HasPrefix(value, "[{") && column != hoursColumn && loader.ColumnName(column) != "": // or a list
		return ""
	case kind == index.Whole:
		return wholeOf(value)
	case kind == index.Decimal:
		return ratingOf(value, folded)
	case column == tradingColumn:
		return index.Status(value)
	}
	return value
}

// grouped matches a whole number with separators between thousands.
var grouped = regexp.MustCompile(`^\d{1,3}(?:,\d{3}|\.\d{3}|[ '’\x{a0}\x{202f}]\d{3})+$`)

func wholeOf(value string) string {
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

// categoryOf returns the category that tags of OpenStreetMap say; empty if none.
func categoryOf(tag func(name string) string) string {
	amenity, _, _ := strings.Cut(tag("amenity"), ";")
	cuisine, _, _ := strings.Cut(tag("cuisine"), ";")
	cuisine = strings.TrimSpace(strings.ReplaceAll(cuisine, "_", " "))
	if noWords[strings.ToLower(cuisine)] {
		cuisine = ""
	}
	switch {
	case yesWords[strings.ToLower(tag("microbrewery"))]:
		return "Brewpub"
	case amenity == "pub" && cuisine != "":
		return "Gastropub"
	case amenity == "pub":
		return "Pub"
	case amenity == "bar" && cuisine != "" && !yesWords[cuisine]:
		return fmt.Sprintf("%s bar", strings.ToUpper(cuisine[:1])+cuisine[1:])
	case amenity == "bar":
		return "Bar"
	case amenity == "biergarten":
		return "Beer garden"
	case tag("craft") == "brewery" || tag("industrial") == "brewery":
		return "Brewery"
	case amenity != "":
		return strings.ToUpper(amenity[:1]) + strings.ReplaceAll(amenity[1:], "_", " ")
	}
	return ""
}

// usualKinds are the kinds of elements of OpenStreetMap that are kept if none are asked for.
var usualKinds = []string{"pub", "bar", "biergarten"}

// The kinds of elements that --kinds cannot name.
const nameless, unclear = "without a name", "something else"

// CountedKinds returns the most frequent of some kinds with their counts, such as "cafe 12".
func CountedKinds(counts map[string]int) string { return counted(counts, 20) }

// counted returns the most frequent of some names with their counts.
func counted(counts map[string]int, most int) string {
	var all []string
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }) {
		all = append(all, fmt.Sprint(name, " ", counts[name]))
	}
	if len(all) > most {
		all = append(all[:most], "…")
	}
	return strings.Join(all, ", ")
}

// mainTags are those of OpenStreetMap that say what something is, of which presentTags say what a place is now.
var mainTags = []string{"amenity", "craft", "shop", "tourism", "leisure", "building", "highway"}

const presentTags = 5

// otherKind returns what an element of OpenStreetMap with some tags is if it is none of some kinds, or has no name; empty
// if it is to be kept. mustSay is set if one that does not say what it is is no pub.
func otherKind(kinds []string, mustSay bool, tag func(name string) string) string {
	named := ""
	if mustSay && strings.TrimSpace(tag("name")) == "" {
		named = nameless
	}
	amenities := tag("amenity")
	for _, past := range pastKinds {
		if amenities == "" && !isPresent(tag) {
			amenities = tag(past)
		}
	}
	for amenity := range strings.FieldsFuncSeq(amenities, func(r rune) bool { return r == ';' || r == '/' }) {
		if slices.Contains(kinds, strings.TrimSpace(amenity)) {
			return named
		}
	}
	if brews := tag("craft") == "brewery" || tag("industrial") == "brewery" || tag("microbrewery") == "yes"; brews {
		if slices.Contains(kinds, "brewery") {
			return named
		}
		if amenities == "" {
			return "brewery"
		}
	}
	if amenities == "" && !mustSay {
		return ""
	}
	for _, name := range mainTags {
		if kind := tag(name); slices.Contains(kinds, kind) {
			return named
		} else if kind != "" && kind != "yes" {
			return loader.Visible(loader.Shorten(kind))
		}
	}
	return unclear
}
