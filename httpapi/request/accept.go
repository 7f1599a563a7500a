package request

import (
	"bytes"
	"iter"
)

// Items returns the items of a list, each as its name and its weight in thousandths.
func Items(list []byte) iter.Seq2[[]byte, int] {
	return func(yield func(name []byte, weight int) bool) {
		for len(list) > 0 {
			var item []byte
			item, list, _ = bytes.Cut(list, []byte(","))
			name, parameters, _ := bytes.Cut(item, []byte(";"))
			if !yield(bytes.TrimSpace(name), quality(parameters)) {
				return
			}
		}
	}
}

// PrefersPage reports whether the request names text/html, as that of a browser that opens a page does, and does not prefer
// JSON.
func (r *Request) PrefersPage() bool {
	q := weightOf(r.Accept, "text/html")
	return q > 0 && q >= weightOf(r.Accept, "application/json")
}

// AcceptsGzip reports whether a response may be compressed with gzip (RFC 9110, section 12.5.3).
func (r *Request) AcceptsGzip() bool { return weightOf(r.Encodings, "gzip") > 0 }

// weightOf returns the weight of a name in a list, in thousandths; 0 if the list does not have it.
func weightOf(list []byte, of string) int {
	for name, weight := range Items(list) {
		if EqualLower(name, of) {
			return weight
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
