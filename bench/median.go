package bench

import "github.com/aclements/go-moremath/stats"

// Median returns the middle of the values, the mean of the two of an even number.
func Median(values []float64) float64 { return stats.Sample{Xs: values}.Quantile(0.5) }
