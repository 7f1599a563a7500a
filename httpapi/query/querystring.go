package query

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"pubd/httpapi/params"
	"pubd/httpapi/request"
)

// A queryString is a decoded raw query string. It is reused, and valid until the next read.
type queryString struct {
	// given are the known parameters that were given, present those with a value: one that is empty or white space
	// counts as absent. values has the values of the present ones; the others are left over. unknown are the others, and
	// those that the resource does not have.
	given, present params.Set
	values         [params.ParamCount][]byte
	repeated       []params.Param // known ones that were given again
	unknown        []pair
	decoded        []byte
}

// A pair is a parameter by its name and value, both decoded.
type pair struct{ name, value []byte }

// has reports whether a parameter has a value.
func (q *queryString) has(p params.Param) bool { return q.present.Has(p) }

// value returns the value of a parameter; nil if it has none.
func (q *queryString) value(p params.Param) []byte {
	if !q.has(p) {
		return nil
	}
	return q.values[p]
}

// read decodes a raw query string; ok is false if percent-encoding or UTF-8 is invalid. The cost is linear in its
// length.
func (q *queryString) read(raw []byte) (ok bool) {
	q.given, q.present, q.repeated = 0, 0, q.repeated[:0]
	q.unknown, q.decoded = q.unknown[:0], slices.Grow(q.decoded[:0], len(raw))
	for len(raw) > 0 {
		var part []byte
		part, raw, _ = bytes.Cut(raw, []byte("&"))
		if len(part) == 0 {
			continue
		}
		name, value, _ := bytes.Cut(part, []byte("="))
		if name, ok = q.decode(name); !ok {
			return false
		}
		if value, ok = q.decode(value); !ok {
			return false
		}
		p, known := params.ByName[string(name)]
		switch {
		case !known:
			q.unknown = append(q.unknown, pair{name, value})
		case q.given.Has(p):
			q.repeated = append(q.repeated, p)
		default:
			q.given |= 1 << p
			if len(bytes.TrimSpace(value)) > 0 {
				q.present |= 1 << p
				q.values[p] = value
			}
		}
	}
	return true
}

// decode decodes a name or a value, in place: decoding never makes it longer. It returns nil if percent-encoding is
// invalid, and ok is false if that or UTF-8 is.
func (q *queryString) decode(text []byte) (decoded []byte, ok bool) {
	start := len(q.decoded)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '+':
			c = ' '
		case '%':
			if i+2 >= len(text) {
				return nil, false
			}
			high, low := unhex(text[i+1]), unhex(text[i+2])
			if high > 15 || low > 15 {
				return nil, false
			}
			c = high<<4 | low
			i += 2
		}
		q.decoded = append(q.decoded, c)
	}
	decoded = q.decoded[start:len(q.decoded):len(q.decoded)]
	return decoded, utf8.Valid(decoded)
}

// unhex returns the value of a hexadecimal digit, or more than 15.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// AppendIgnored appends the names of the parameters that have no effect on the resource, percent-encoded, once each, in ascending order.
func (p *Params) AppendIgnored(dst []byte) []byte {
	q := p.values
	slices.SortFunc(q.unknown, func(a, b pair) int { return bytes.Compare(a.name, b.name) })
	start := len(dst)
	for i, one := range q.unknown {
		name := one.name
		if len(name) == 0 || i > 0 && bytes.Equal(name, q.unknown[i-1].name) {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
		dst = request.AppendEscaped(dst, name, "")
	}
	return dst
}
