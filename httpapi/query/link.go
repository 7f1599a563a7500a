package query

import (
	"bytes"
	"strconv"

	"pubd/httpapi/request"
)

// maxLinks is the maximum length of a Link header that repeats the query for each page, because proxies limit response
// headers. If it would be longer, the header names only the next page.
const maxLinks = 4096

// AppendLinks appends the value of a Link header (RFC 8288) to the other pages of the same result, all from one
// snapshot and, if what is open now is asked for, of one minute. The targets are relative to the request path.
func (p *Params) AppendLinks(dst []byte, pageCount int, snapshot string) []byte {
	start, page, last := len(dst), p.Query.Page, int64(pageCount)
	var target []byte // the common part of all targets, as in the first link
	link := func(number int64, relation string) {
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
		if target == nil {
			from := len(dst)
			dst = p.appendCommonTarget(dst)
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
func (p *Params) appendCommonTarget(dst []byte) []byte {
	dst = append(dst, "<?"...)
	for query := p.Raw; len(query) > 0; {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		if isNamed(pair, "open") && p.Query.Open && p.Query.At.IsNow && !p.Query.At.Always {
			dst = append(p.Query.At.Instant.UTC().AppendFormat(append(dst, "open="...), minuteLayout), "Z&"...)
		} else if len(pair) > 0 && !isNamed(pair, "page") && !isNamed(pair, "snapshot") {
			dst = append(request.AppendEscaped(dst, pair, targetBytes), '&')
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
