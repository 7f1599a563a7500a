package pages

import (
	"strconv"
	"strings"

	"pubd/httpapi"
	"pubd/index"
)

// Limits of the protocol (https://www.sitemaps.org/protocol.html): addresses in a file, and bytes of an address.
const (
	maxAddresses = 50_000
	maxAddress   = 2047
)

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	namespace = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
)

// parts returns the numbers of pages in the sitemap, by the names of their parts.
func (r *renderer) parts() []struct {
	name  string
	count int
} {
	return []struct {
		name  string
		count int
	}{{"pubs", r.snapshot.Len()}, {"places", r.snapshot.Values(index.Location)}}
}

// sitemap renders the list of the parts of the sitemap. All its addresses are absolute, so that there is none without a
// base.
func (r *renderer) sitemap() httpapi.Page {
	if r.request.Base == "" {
		return r.missing()
	}
	body := append(append(append(r.dst, xmlHead...), "<sitemapindex"...), namespace...)
	for _, part := range r.parts() {
		for number := 1; (number-1)*maxAddresses < part.count; number++ {
			body = append(append(append(body, "<sitemap><loc>"...), r.request.Base...), "/sitemaps/"...)
			body = strconv.AppendInt(append(append(body, part.name...), '-'), int64(number), 10)
			body = append(body, ".xml</loc></sitemap>\n"...)
		}
	}
	return httpapi.Page{Status: 200, MediaType: xmlType, Body: append(body, "</sitemapindex>\n"...)}
}

// sitemapPart renders a part of the sitemap, such as "pubs-1.xml". It leaves out addresses that are too long.
func (r *renderer) sitemapPart(file string) httpapi.Page {
	for _, part := range r.parts() {
		digits, ok := strings.CutPrefix(strings.TrimSuffix(file, ".xml"), part.name+"-")
		number, err := strconv.Atoi(digits)
		if !ok || err != nil || number < 1 || number > (part.count+maxAddresses-1)/maxAddresses || r.request.Base == "" ||
			file != part.name+"-"+strconv.Itoa(number)+".xml" {
			continue
		}
		body := append(append(append(r.dst, xmlHead...), "<urlset"...), namespace...)
		for i := (number - 1) * maxAddresses; i < min(part.count, number*maxAddresses); i++ {
			before := len(body)
			body = append(append(body, "<url><loc>"...), r.request.Base...)
			start := len(body)
			if part.name == "pubs" {
				body = appendPubPath(body, r.snapshot, uint32(i))
			} else {
				folded, _, _ := r.snapshot.ValueAt(index.Location, i)
				body = appendPlacePath(body, folded)
			}
			if len(body)-start+len(r.request.Base) > maxAddress {
				body = body[:before]
				continue
			}
			body = append(body, "</loc></url>\n"...)
		}
		return httpapi.Page{Status: 200, MediaType: xmlType, Body: append(body, "</urlset>\n"...)}
	}
	return r.missing()
}
