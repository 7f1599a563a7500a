package request

import (
	"bytes"
	"slices"
)

// FailsPrecondition reports whether the request asks for another response than the one with an entity tag (If-Match;
// RFC 9110, section 13.1.1). Weak tags never match.
func (r *Request) FailsPrecondition(etag []byte) bool {
	return len(r.IfMatch) > 0 && !hasETag(r.IfMatch, etag, false)
}

// IsUnchanged reports whether the client has the response with an entity tag (If-None-Match; RFC 9110, section
// 13.1.2).
func (r *Request) IsUnchanged(etag []byte) bool { return hasETag(r.IfNoneMatch, etag, true) }

// hasETag reports whether values of If-Match or If-None-Match have an entity tag: in a list of tags, or as a
// single *. Weak tags match only if weak is set.
func hasETag(values [][]byte, etag []byte, weak bool) bool {
	return slices.ContainsFunc(values, func(value []byte) bool {
		return string(bytes.TrimSpace(value)) == "*" || hasETagIn(value, etag, weak)
	})
}

// hasETagIn reports whether an entity tag is in a list, up to the first syntax error of the list.
func hasETagIn(list, etag []byte, weak bool) bool {
	for {
		list = bytes.TrimLeft(list, " \t,")
		var isWeak bool
		list, isWeak = bytes.CutPrefix(list, []byte("W/"))
		if len(list) == 0 || list[0] != '"' {
			return false
		}
		end := bytes.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if bytes.Equal(list[:end+2], etag) && (weak || !isWeak) {
			return true
		}
		list = bytes.TrimLeft(list[end+2:], " \t")
		if len(list) > 0 && list[0] != ',' {
			return false
		}
	}
}
