package index

import (
	"math"
	"strconv"
)

// ParseDecimal parses a finite decimal number: [+-]? digits [. digits] [e [+-]? digits], where the digits before
// or after the point may be absent but not both. Hexadecimal, underscores, white space, NaN and infinities are
// rejected; a value too small for a float64 is 0. It never returns a negative zero.
func ParseDecimal(text []byte) (value float64, ok bool) {
	if !isDecimal(text) {
		return 0, false
	}
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil && math.IsInf(value, 0) {
		return 0, false
	}
	return value + 0, true
}

func isDecimal(text []byte) bool {
	rest := skipSign(text)
	whole := countDigits(rest)
	rest = rest[whole:]
	fraction := 0
	if len(rest) > 0 && rest[0] == '.' {
		fraction = countDigits(rest[1:])
		rest = rest[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if len(rest) > 0 && (rest[0] == 'e' || rest[0] == 'E') {
		rest = skipSign(rest[1:])
		exponent := countDigits(rest)
		if exponent == 0 {
			return false
		}
		rest = rest[exponent:]
	}
	return len(rest) == 0
}

func skipSign(text []byte) []byte {
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		return text[1:]
	}
	return text
}

func countDigits(text []byte) int {
	for i, c := range text {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(text)
}

// ParseInteger parses a decimal integer, +? digits, that fits into an int64. It does not allocate.
func ParseInteger(text []byte) (value int64, ok bool) {
	if len(text) > 0 && text[0] == '+' {
		text = text[1:]
	}
	if len(text) == 0 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' || value > (math.MaxInt64-int64(c-'0'))/10 {
			return 0, false
		}
		value = value*10 + int64(c-'0')
	}
	return value, true
}

// AppendNumber appends a finite number as JSON, in the shortest form that parses to the same value, or null for NaN.
func AppendNumber(dst []byte, value float64) []byte {
	if value != value {
		return append(dst, "null"...)
	}
	if abs := math.Abs(value); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, value, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, value, 'f', -1, 64)
}
