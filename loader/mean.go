package loader

import (
	"math"
	"math/big"
	"strconv"

	"pubd/index"
)

// mean returns the mean of the ratings without the total that are not NaN, rounded to 2 decimals; NaN if there are
// none. A rating stands for the shortest decimal number that reads back to it, so that the mean of 8.01 and 8 is 8.005
// and rounds, half up, to 8.01.
func mean(ratings *index.Ratings) float64 {
	const unit = 1_000_000
	sum, count := int64(0), int64(0)
	for _, rating := range ratings.Parts() {
		if math.IsNaN(rating) {
			continue
		}
		scaled := math.Round(rating * unit)
		// A decimal number of at most 15 digits is the shortest one of its nearest float64.
		if scaled/unit != rating {
			return exactMean(ratings)
		}
		sum += int64(scaled)
		count++
	}
	if count == 0 {
		return math.NaN()
	}
	const hundredth = unit / 100
	return float64((2*sum+count*hundredth)/(2*count*hundredth)) / 100
}

// exactMean is mean for ratings with any number of digits. It is about twenty times slower.
func exactMean(ratings *index.Ratings) float64 {
	sum, count := new(big.Rat), int64(0)
	for _, rating := range ratings.Parts() {
		if math.IsNaN(rating) {
			continue
		}
		if term, ok := new(big.Rat).SetString(strconv.FormatFloat(rating, 'g', -1, 64)); ok {
			sum.Add(sum, term)
		}
		count++
	}
	sum.Quo(sum, new(big.Rat).SetInt64(count))
	value, _ := strconv.ParseFloat(sum.FloatString(2), 64)
	return value
}
