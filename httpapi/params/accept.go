package params

import (
	"bytes"
	"iter"
)

// A Format is an output format.
type Format uint8

// The formats that requests can name.
const (
	JSON Format = iota
	GeoJSON
	CSV
	NDJSON
	Spreadsheet
	FormatCount
)

// formats has the names of the formats in requests, and their media types in the Accept header.
var formats = [FormatCount]struct{ name, mediaType string }{
	JSON:        {"json", "application/json"},
	GeoJSON:     {"geojson", "application/geo+json"},
	CSV:         {"csv", "text/csv"},
	NDJSON:      {"ndjson", "application/x-ndjson"},
	Spreadsheet: {"spreadsheet", "text/csv"},
}

// String returns the name of the format in requests.
func (f Format) String() string { return formats[f].name }

// acceptedFormat returns the preferred format of an Accept header (RFC 9110, section 12.5.1): the first of equally
// preferred ones, JSON if it names none. */* and application/* stand for JSON.
func acceptedFormat(accept []byte) Format {
	best, most := JSON, 0
	for name, parameters := range items(accept) {
		for f := range FormatCount {
			isNamed := EqualLower(name, formats[f].mediaType) || f == JSON && (string(name) == "*/*" || EqualLower(name, "application/*"))
			if !isNamed {
				continue
			}
			if q := quality(parameters); q > most {
				best, most = f, q
			}
		}
	}
	return best
}

// items returns the items of a list, each as its name and its parameters.
func items(list []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, parameters []byte) bool) {
		for len(list) > 0 {
			var item []byte
			item, list, _ = bytes.Cut(list, []byte(","))
			name, parameters, _ := bytes.Cut(item, []byte(";"))
			if !yield(bytes.TrimSpace(name), parameters) {
				return
			}
		}
	}
}

// PrefersPage reports whether an Accept header names text/html, as that of a browser that opens a page does, and does
// not prefer JSON.
func PrefersPage(accept []byte) bool {
	q := weightOf(accept, "text/html")
	return q > 0 && q >= weightOf(accept, formats[JSON].mediaType)
}

// AcceptsGzip reports whether an Accept-Encoding list (RFC 9110, section 12.5.3) accepts gzip.
func AcceptsGzip(list []byte) bool { return weightOf(list, "gzip") > 0 }

// weightOf returns the weight of a name in a list, in thousandths; 0 if the list does not have it.
func weightOf(list []byte, of string) int {
	for name, parameters := range items(list) {
		if EqualLower(name, of) {
			return quality(parameters)
		}
	}
	return 0
}

// quality returns the weight among the parameters of a media type in thousandths, from 0 to 1000: 1000 if there is no
// valid one.
func quality(parameters []byte) int {
	for len(parameters) > 0 {
		var one []byte
		one, parameters, _ = bytes.Cut(parameters, []byte(";"))
		name, value, _ := bytes.Cut(one, []byte("="))
		if !EqualLower(bytes.TrimSpace(name), "q") {
			continue
		}
		if weight, ok := parseWeight(bytes.TrimSpace(value)); ok {
			return weight
		}
	}
	return 1000
}

// parseWeight parses a weight such as 0.8 (RFC 9110, section 12.4.2), also without the leading 0, as Java sends it. It
// ignores digits after the third. It avoids strconv.ParseFloat because a header may have a thousand weights, and that
// takes 20 µs for some texts.
func parseWeight(text []byte) (thousandths int, ok bool) {
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	switch {
	case len(whole)+len(fraction) == 0:
		return 0, false
	case string(whole) == "1":
		thousandths = 1000
	case len(whole) > 0 && string(whole) != "0":
		return 0, false
	}
	unit := 100
	for _, digit := range fraction {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		thousandths += int(digit-'0') * unit
		unit /= 10
	}
	return thousandths, thousandths <= 1000
}
