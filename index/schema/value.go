package schema

import (
	"bytes"
	"math"
	"strconv"
)

// ParseDecimal parses a finite decimal number: [+-]? digits [. digits] [e [+-]? digits], where the digits before
// or after the point may be absent but not both. Hexadecimal, underscores, white space, NaN and infinities are
// rejected; a value too small for a float64 is 0. It never returns a negative zero.
func ParseDecimal(text []byte) (value float64, ok bool) {
	if len(bytes.Trim(text, "+-.0123456789Ee")) > 0 {
		return 0, false
	}
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, false
	}
	return value + 0, true
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

// AppendNumber appends a number as JSON, in the shortest form that parses to the same value, or null for NaN and
// infinities.
func AppendNumber(dst []byte, value float64) []byte {
	if value-value != 0 { // not a number, or infinite
		return append(dst, "null"...)
	}
	if abs := math.Abs(value); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, value, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, value, 'f', -1, 64)
}

// IsPresent reports whether a number is not missing.
func IsPresent(value float64) bool { return !math.IsNaN(value) }

// AppendString appends valid UTF-8 as a JSON string, byte for byte except for the escapes that JSON requires.
func AppendString[T string | []byte](dst []byte, text T) []byte {
	return append(AppendEscaped(append(dst, '"'), text), '"')
}

// AppendEscaped appends the content of a JSON string.
func AppendEscaped[T string | []byte](dst []byte, text T) []byte {
	plain := 0 // where what needs no escapes begins
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[plain:i]...)
		if plain = i + 1; c < 0x20 {
			dst = append(dst, `\u00`...)
			dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(dst, text[plain:]...)
}

// AppendUnescaped appends a string of a snapshot, whose only escapes are those of quotes and backslashes, without
// them.
func AppendUnescaped(dst, text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return append(dst, text...)
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		}
		dst = append(dst, text[i])
	}
	return dst
}
