// Package jsonappend appends to JSON bodies what several of them have: lists, numbers, distances, counts.
package jsonappend

import (
	"math"
	"strconv"

	"pubd/geo"
	"pubd/index"
	"pubd/index/schema"
)

// Metres appends a distance in kilometres, rounded to 3 decimals, without trailing zeros.
func Metres(dst []byte, distance geo.Kilometres) []byte {
	metres := uint64(math.Round(float64(distance) * 1000))
	dst = strconv.AppendUint(dst, metres/1000, 10)
	if metres %= 1000; metres > 0 {
		dst = append(dst, '.', byte('0'+metres/100), byte('0'+metres/10%10), byte('0'+metres%10))
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

// List appends a JSON array.
func List[T any](dst []byte, list []T, appendItem func(dst []byte, item T) []byte) []byte {
	dst = append(dst, '[')
	for i, item := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendItem(dst, item)
	}
	return append(dst, ']')
}

// Object appends a name and an object whose members are those of a list; nothing if it is empty.
func Object[T any](dst []byte, name string, list []T, appendMember func(dst []byte, i int, of T) []byte) []byte {
	for i, of := range list {
		if i == 0 {
			dst = append(append(dst, name...), '{')
		} else {
			dst = append(dst, ',')
		}
		dst = appendMember(dst, i, of)
	}
	if len(list) > 0 {
		dst = append(dst, '}')
	}
	return dst
}

// Integer appends a name, as it is, and an integer.
func Integer(dst []byte, name string, value int) []byte {
	return strconv.AppendInt(append(dst, name...), int64(value), 10)
}

// Int appends an integer.
func Int(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// Counts appends values with their number of pubs.
func Counts(dst []byte, counts []index.Count) []byte {
	return List(dst, counts, func(dst []byte, c index.Count) []byte {
		dst = schema.AppendString(append(dst, `{"value":`...), c.Value)
		return append(Integer(dst, `,"count":`, c.Pubs), '}')
	})
}

// ByMetric appends an object with a member for each metric.
func ByMetric(dst []byte, value func(dst []byte, metric schema.Metric) []byte) []byte {
	dst = append(dst, '{')
	for metric := range schema.Metric(schema.MetricCount) {
		if metric > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), metric.String()...), `":`...)
		dst = value(dst, metric)
	}
	return append(dst, '}')
}
