package pages

import (
	"strconv"
	"strings"

	"pubd/httpapi/web"
)

// maxParts is how many parts the protocol of sitemaps allows: what is further is left out.
const maxParts = 50_000

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	namespace = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
)

// A kind is a kind of pages in the sitemap: its name in those of its parts, how many pages there are, and how many parts.
type kind struct {
	name         string
	pages, parts int
}

// kindsOf returns the kinds, with no more parts than the protocol allows.
func kindsOf(pubs, places int) []kind {
	partsOf := func(pages int) int { return (pages + web.MaxAddresses - 1) / web.MaxAddresses }
	parts := min(partsOf(pubs), maxParts)
	return []kind{{"pubs", pubs, parts}, {"places", places, min(partsOf(places), maxParts-parts)}}
}

func (r *renderer) kinds() []kind {
	return kindsOf(r.snapshot.Len(), placesOf(r.snapshot).count())
}

// sitemap renders the list of the parts of the sitemap. All its addresses are absolute, so that there is none without a
// base.
func (r *renderer) sitemap() web.Page {
	if r.request.Base == "" {
		return missing()
	}
	body := append(append(append(r.dst, xmlHead...), "<sitemapindex"...), namespace...)
	for _, kind := range r.kinds() {
		for number := 1; number <= kind.parts; number++ {
			body = append(append(append(body, "<sitemap><loc>"...), r.request.Base...), "/sitemaps/"...)
			body = strconv.AppendInt(append(append(body, kind.name...), '-'), int64(number), 10)
			body = append(body, ".xml</loc></sitemap>\n"...)
		}
	}
	return web.Page{Status: 200, MediaType: xmlType, Body: append(body, "</sitemapindex>\n"...)}
}

// sitemapPart renders a part of the sitemap, such as "pubs-1.xml". It leaves out addresses that are too long.
func (r *renderer) sitemapPart(file string) web.Page {
	for _, kind := range r.kinds() {
		digits, ok := strings.CutPrefix(strings.TrimSuffix(file, ".xml"), kind.name+"-")
		number, err := strconv.Atoi(digits)
		if !ok || err != nil || number < 1 || number > kind.parts || r.request.Base == "" ||
			file != kind.name+"-"+strconv.Itoa(number)+".xml" {
			continue
		}
		body, places := append(append(append(r.dst, xmlHead...), "<urlset"...), namespace...), placesOf(r.snapshot)
		for i := (number - 1) * web.MaxAddresses; i < min(kind.pages, number*web.MaxAddresses); i++ {
			before := len(body)
			body = append(append(body, "<url><loc>"...), r.request.Base...)
			start := len(body)
			if kind.name == "pubs" {
				body = appendPubPath(body, r.snapshot, uint32(i))
			} else {
				folded, _, _ := places.at(i)
				body = appendPlacePath(body, folded)
			}
			if len(body)-start+len(r.request.Base) > web.MaxAddress {
				body = body[:before]
				continue
			}
			body = append(body, "</loc></url>\n"...)
		}
		return web.Page{Status: 200, MediaType: xmlType, Body: append(body, "</urlset>\n"...)}
	}
	return missing()
}
