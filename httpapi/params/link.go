package params

import (
	"bytes"
	"strconv"
)

// maxLinks is the maximum length of a Link header that repeats the query for each page, because proxies limit response
// headers. If it would be longer, the header names only the next page.
const maxLinks = 4096

// AppendLinks appends the value of a Link header (RFC 8288) to the other pages of the same result, all from one
// snapshot. The targets are relative to the request path.
func AppendLinks(dst, query []byte, page int64, pageCount int, snapshot string) []byte {
	start, last := len(dst), int64(pageCount)
	var target []byte // the common part of all targets, as in the first link
	link := func(number int64, relation string) {
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
		if target == nil {
			from := len(dst)
			dst = appendCommonTarget(dst, query)
			target = dst[from:]
		} else {
			dst = append(dst, target...)
		}
		dst = strconv.AppendInt(dst, number, 10)
		dst = append(append(dst, "&snapshot="...), snapshot...)
		dst = append(append(append(dst, `>; rel="`...), relation...), '"')
	}
	link(1, "first")
	if page > 1 {
		link(min(page-1, last), "prev")
	}
	if page < last {
		link(page+1, "next")
	}
	link(last, "last")
	if len(dst)-start > maxLinks {
		dst = dst[:start]
		if page < last {
			link(page+1, "next")
		}
	}
	return dst
}

// appendCommonTarget appends the beginning of a link, up to the page number.
func appendCommonTarget(dst, query []byte) []byte {
	dst = append(dst, "<?"...)
	for len(query) > 0 {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		if len(pair) > 0 && !isNamed(pair, "page") && !isNamed(pair, "snapshot") {
			dst = append(AppendEscaped(dst, pair, targetBytes), '&')
		}
	}
	return append(dst, "page="...)
}

// isNamed reports whether a part of a valid query string is a parameter with this name.
func isNamed(part []byte, name string) bool {
	for i := range len(name) {
		if len(part) > 2 && part[0] == '%' {
			if unhex(part[1])<<4|unhex(part[2]) != name[i] {
				return false
			}
			part = part[3:]
			continue
		}
		if len(part) == 0 || part[0] != name[i] {
			return false
		}
		part = part[1:]
	}
	return len(part) == 0 || part[0] == '='
}

// targetBytes are the bytes that need no encoding in a query string, besides unreserved ones (RFC 3986, appendix A).
const targetBytes = "%!$&'()*+,;=:@/?"
