package httpapi

import "bytes"

// matchesAny reports whether the values of If-None-Match (RFC 9110, section 13.1.2) match an entity tag: as a list of tags, including weak
// ones, or as a single *.
func matchesAny(values [][]byte, etag []byte) bool {
	for _, value := range values {
		if string(bytes.TrimSpace(value)) == "*" || matches(value, etag) {
			return true
		}
	}
	return false
}

// matches reports whether an entity tag is in a list, up to the first syntax error of the list.
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
