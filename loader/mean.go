package loader

import (
	"math"
	"math/big"
	"strconv"

	"pubd/index/schema"
)

// mean returns the mean of the ratings without the total that are not NaN, rounded to 2 decimals; NaN if there are
// none. A rating stands for the shortest decimal number that reads back to it, so that the mean of 8.01 and 8 is 8.005
// and rounds, half up, to 8.01.
func mean(ratings *schema.Ratings) float64 {
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
	if count == 0 {
		return math.NaN()
	}
	value, _ := strconv.ParseFloat(sum.Quo(sum, new(big.Rat).SetInt64(count)).FloatString(2), 64)
	return value
}
