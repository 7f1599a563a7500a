package explorer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"html"
	"html/template"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/httpapi/web"
	"pubd/httpapi/web/face"
	"pubd/index/schema"
)

// maxTitle is the maximum length of a text in a title, in characters.
const maxTitle = 100

// What stands in a start for title, description and canonical link: characters for private use, which no title of a
// face has. All are replaced at once, so that they mean nothing in what a visitor sends.
const (
	placeOfTitle       = "\ue000"
	placeOfDescription = "\ue001"
	placeOfCanonical   = "\ue002"
)

// A start is the page "/" with its texts, but places for title, description and canonical link.
type start struct {
	face *face.Face
	file web.File
}

// newStart returns the page "/" in a face.
func newStart(f *face.Face, policy string) (*start, error) {
	page, err := template.ParseFS(webPage, "page/index.html")
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	err = page.Execute(&body, struct {
		*face.Face
		PageTitle, Description, Canonical string
		Sorts                             []string
	}{f, placeOfTitle, placeOfDescription, placeOfCanonical, sorts()})
	return &start{f, web.File{Path: "/", MediaType: mediaTypes[".html"], Policy: policy, Body: body.Bytes()}}, err
}

// sorts returns the sort keys that need no weights and no seed.
func sorts() (names []string) {
	for sort := range schema.Sort(schema.SortCount) {
		if needs := sort.Needs(); needs != schema.NeedsWeights && needs != schema.NeedsSeed {
			names = append(names, sort.String())
		}
	}
	return names
}

// with returns a copy of the page with a title, a description and, unless it is empty, a canonical link, not
// compressed.
func (s *start) with(title, description, canonical string) web.File {
	if canonical != "" {
		canonical = `<link rel="canonical" href="` + html.EscapeString(canonical) + `">`
	}
	file, places := s.file, strings.NewReplacer(placeOfTitle, html.EscapeString(title),
		placeOfDescription, html.EscapeString(description), placeOfCanonical, canonical)
	file.Body = []byte(places.Replace(string(file.Body)))
	return file
}

// plain returns the page for no query.
func (s *start) plain() web.File {
	file := s.with(s.face.Title, s.face.Text("find_a_pub"), "")
	file.Packed = packed(file.Body, gzip.BestCompression)
	return file
}

// Titled returns the page "/" for a query string, with a title and a description for the preview of a shared link;
// status 404 if there is nothing to say of the query. It calls find once at most, for a pub that the query names, and
// then pageOf for the address of the page of that pub, empty if there is none.
func (e *Explorer) Titled(query []byte, find func(uid string) *schema.Pub, pageOf func(uid string) string) web.Page {
	s := e.start
	title, description, canonical := "", "", ""
	if uid := firstValue(query, "pub"); uid != "" {
		if pub := find(uid); pub != nil {
			title, description = s.pubTitle(pub)
			canonical = pageOf(uid)
		}
	}
	if text := shortened(firstValue(query, "search")); text != "" && title == "" {
		title, description = text, s.face.Text("pubs_found_for", "text", text)
	}
	if title == "" {
		return web.Page{Status: 404}
	}
	file := s.with(title+" – "+s.face.Title, description, canonical)
	return web.Page{Status: 200, MediaType: file.MediaType, Policy: file.Policy, Body: file.Body}
}

// pubTitle returns the name of a pub, and a sentence about it.
func (s *start) pubTitle(p *schema.Pub) (title, description string) {
	title = shortened(p.Name)
	if place := shortened(p.Location); place != "" {
		title += ", " + place
	}
	_, rest := schema.CutAddress(p.Address, p.Location, p.Postcode, p.Area)
	var where []string
	for _, part := range append([]string{p.Address}, rest...) {
		if part = shortened(part); part != "" {
			where = append(where, part)
		}
	}
	description = strings.Join(where, ", ")
	if total := p.Ratings[schema.Total]; total == total {
		if description != "" {
			description += ". "
		}
		rating := s.face.Decimal(total)
		if p.ReviewCount > 0 {
			description += s.face.Count("rated_in", p.ReviewCount, "rating", rating)
		} else {
			description += s.face.Text("rated", "rating", rating)
		}
	}
	if description != "" {
		description += ". "
	}
	if p.Latitude == p.Latitude {
		description += s.face.Text("on_a_map")
	}
	return title, cmp.Or(strings.TrimSpace(description), title)
}

// firstValue returns the first value of a parameter, as the page reads it; empty if there is none.
func firstValue(query []byte, name string) string {
	for len(query) > 0 {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		if given, value, _ := bytes.Cut(pair, []byte("=")); string(given) == name {
			text, err := url.QueryUnescape(string(value))
			if err != nil {
				return ""
			}
			return text
		}
	}
	return ""
}

// shortened returns a text on one line, of at most maxTitle characters.
func shortened(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\ufffd"), func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }), " ")
	if utf8.RuneCountInString(text) > maxTitle {
		text = string([]rune(text)[:maxTitle-1]) + "…"
	}
	return text
}
