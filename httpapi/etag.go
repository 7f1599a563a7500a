package httpapi

import "bytes"

// matchesAny reports whether values of If-None-Match name an entity tag (RFC 9110, section 13.1.2): a list of tags, weak
// ones too, or * alone.
func matchesAny(values [][]byte, etag []byte) bool {
	for _, value := range values {
		if string(bytes.TrimSpace(value)) == "*" || matches(value, etag) {
			return true
		}
	}
	return false
}

// matches reports whether an entity tag is in a list, up to where the list breaks the grammar.
func matches(list, etag []byte) bool {
	for {
		list = bytes.TrimLeft(list, " \t,")
		list = bytes.TrimPrefix(list, []byte("W/"))
		if len(list) == 0 || list[0] != '"' {
			return false
		}
		end := bytes.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if bytes.Equal(list[:end+2], etag) {
			return true
		}
		list = bytes.TrimLeft(list[end+2:], " \t")
		if len(list) > 0 && list[0] != ',' {
			return false
		}
	}
}
