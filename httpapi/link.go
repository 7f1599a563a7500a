package httpapi

import (
	"bytes"
	"strconv"
)

// appendLinks appends the value of a header Link (RFC 8288) to the other pages of the same result, all from one snapshot.
// The targets are relative to the path that was asked for.
func appendLinks(dst, query []byte, page int64, pages int, snapshot []byte) []byte {
	link := func(number int64, relation string) {
		if len(dst) > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, "<?"...)
		for rest := query; len(rest) > 0; {
			var pair []byte
			pair, rest, _ = bytes.Cut(rest, []byte("&"))
			if len(pair) > 0 && !bytes.HasPrefix(pair, []byte("page=")) && !bytes.HasPrefix(pair, []byte("snapshot=")) {
				dst = append(appendTarget(dst, pair), '&')
			}
		}
		dst = strconv.AppendInt(append(dst, "page="...), number, 10)
		dst = append(append(dst, "&snapshot="...), snapshot...)
		dst = append(append(append(dst, `>; rel="`...), relation...), '"')
	}
	last := int64(pages)
	link(1, "first")
	if page > 1 {
		link(min(page-1, last), "prev")
	}
	if page < last {
		link(page+1, "next")
	}
	link(last, "last")
	return dst
}

// appendTarget appends a part of a query string, with what a URI may not have percent-encoded (RFC 3986, appendix A).
func appendTarget(dst, part []byte) []byte {
	for _, c := range part {
		if isUnreserved(c) || bytes.IndexByte([]byte("%!$&'()*+,;=:@/?"), c) >= 0 {
			dst = append(dst, c)
		} else {
			dst = appendEncoded(dst, c)
		}
	}
	return dst
}
