package segment

import (
	"maps"
	"math"
	"slices"
	"strings"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/schema"
	"pubd/index/text"
)

// Orders has the order of all pubs by each sort key that has one; that of texts has only its Order.
type Orders [schema.SortCount]ranking.Numeric

func orderSection(key schema.Sort) string { return "orders." + key.String() }

const fairScaleSection = "fair.scale"

// WriteOrder writes the order of a key, and returns it if it is one of numbers, in memory for a number of each pub.
func WriteOrder(file *indexfile.Writer, key schema.Sort, pubs *corpus.Rows, rated postings.Bitmap, memory []float64) (order ranking.Numeric) {
	coded, column := indexfile.Writing(file), &schema.Columns[key.Column()]
	switch {
	case key == schema.SortName:
		order.Order = ranking.NewOrder(nameKeys(pubs), rated)
	case key == schema.SortLocation:
		order.Order = ranking.NewOrder(locationKeys(pubs), rated)
	case key == schema.SortFair:
		scale := fairScores(memory, pubs, rated)
		indexfile.Put(file, fairScaleSection, []float64{scale.Mean, scale.Reviews})
	default:
		var pub schema.Pub
		for i := range memory {
			memory[i] = column.Number(pubs.Get(i, &pub))
		}
	}
	if key.Order() == schema.OrderOfTexts {
		order.Order.Code(coded, orderSection(key), pubs.Len())
		return order
	}
	order = ranking.NewNumeric(memory, rated)
	order.Code(coded, orderSection(key), pubs.Len())
	return order
}

// readOrders reads the orders of a number of pubs, and the scale of fair scores.
func readOrders(r *indexfile.Reader, size int) (o Orders, fair ranking.FairScale) {
	f := indexfile.Reading(r)
	for key := range schema.SortCount {
		switch key.Order() {
		case schema.OrderOfTexts:
			o[key].Order.Code(f, orderSection(key), size)
		case schema.OrderOfNumbers:
			o[key].Code(f, orderSection(key), size)
		}
	}
	if scale := indexfile.TakeN[float64](r, fairScaleSection, 2); r.Err() == nil {
		fair = ranking.FairScale{Mean: scale[0], Reviews: scale[1]}
	}
	return o, fair
}

// nameKeys returns keys that order pubs by their names.
func nameKeys(pubs *corpus.Rows) []uint32 {
	keys := make([]uint32, pubs.Len())
	for i := 1; i < len(keys); i++ {
		keys[i] = keys[i-1]
		if pubs.Name(i) != pubs.Name(i-1) {
			keys[i]++
		}
	}
	return keys
}

// locationKeys returns keys that order pubs by their folded locations, then by the locations themselves.
func locationKeys(pubs *corpus.Rows) []uint32 {
	composed := map[string]string{} // the folded form comes first; no word has a NUL
	for i := range pubs.Len() {
		location := pubs.Location(i)
		if _, known := composed[location]; !known && location != "" {
			composed[location] = string(text.AppendFolded(nil, []byte(location))) + "\x00" + location
		}
	}
	numbers := map[string]uint32{"": ranking.Missing}
	for i, location := range slices.SortedFunc(maps.Keys(composed), func(a, b string) int { return strings.Compare(composed[a], composed[b]) }) {
		numbers[location] = uint32(i)
	}
	keys := make([]uint32, pubs.Len())
	for i := range keys {
		keys[i] = numbers[pubs.Location(i)]
	}
	return keys
}

// fairScores sets scores to the fair scores of pubs, NaN for those that are not rated, and returns their scale.
func fairScores(scores []float64, pubs *corpus.Rows, rated postings.Bitmap) ranking.FairScale {
	var totals []float64
	var reviews []int64
	var pub schema.Pub
	for i := range scores {
		if pubs.Get(i, &pub); rated.Has(uint32(i)) && schema.IsPresent(pub.Ratings[schema.Total]) {
			totals, reviews = append(totals, pub.Ratings[schema.Total]), append(reviews, pub.ReviewCount)
		}
	}
	scale := ranking.NewFairScale(totals, reviews)
	for i := range scores {
		if scores[i] = math.NaN(); rated.Has(uint32(i)) {
			pubs.Get(i, &pub)
			scores[i] = scale.Score(pub.Ratings[schema.Total], pub.ReviewCount)
		}
	}
	return scale
}
