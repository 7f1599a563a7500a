package httpapi

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/httpapi/explorer"
)

// maxTitle is the maximum length of a text in a title, in characters.
const maxTitle = 100

// titled returns the document of a request: for the page "/" with a query string, the title describes the query, so
// that the preview of a shared link shows it. It reveals nothing beyond what a visitor without a key can request, and
// counts against the rate of that visitor.
func (s *Service) titled(a *arrangement, d *document, r *Request) *document {
	if d.path != "/" || len(r.Query) == 0 || len(r.Query) > maxQuery || !r.isRead() {
		return d
	}
	title, description := "", ""
	if uid := firstValue(r.Query, "pub"); uid != "" {
		title, description = s.pubTitle(a.served, uid, r)
	}
	if text := shortened(firstValue(r.Query, "search")); text != "" && title == "" {
		title, description = text, "Pubs found for “"+text+"”: on a map, with their ratings and pubs nearby."
	}
	if title == "" {
		return d
	}
	for _, file := range s.config.Pages {
		if file.Path == d.path {
			return newDocument(explorer.Titled(file, title+" – Pubs", description))
		}
	}
	return d
}

// pubTitle returns the name of a pub, and a sentence about it; both are empty if visitors may not see one. v may be
// nil.
func (s *Service) pubTitle(v *view, uid string, r *Request) (title, description string) {
	if v == nil || !s.admitsVisitor(r) {
		return "", ""
	}
	ordinal, ok := v.snapshot.Lookup([]byte(uid))
	if !ok {
		return "", ""
	}
	p := v.snapshot.Pub(ordinal)
	title = shortened(p.Name)
	if place := shortened(p.Location); place != "" {
		title += ", " + place
	}
	var where []string
	for _, part := range []string{p.Address, p.Location, p.Postcode, p.Area} {
		if part = shortened(part); part != "" {
			where = append(where, part)
		}
	}
	description = strings.Join(where, ", ")
	if total := p.Ratings[len(p.Ratings)-1]; total == total {
		if description != "" {
			description += ". "
		}
		description += fmt.Sprintf("Rated %.1f of 10", total)
		if p.ReviewCount == 1 {
			description += " in 1 review"
		} else if p.ReviewCount > 1 {
			description += fmt.Sprintf(" in %d reviews", p.ReviewCount)
		}
	}
	if description != "" {
		description += ". "
	}
	return title, description + "On a map, with its ratings and pubs nearby."
}

// admitsVisitor reports whether a visitor without a key may make another request.
func (s *Service) admitsVisitor(r *Request) bool {
	if s.config.Demo {
		return true
	}
	set := s.keys.Load()
	offered := set.Offered(r.Received)
	if offered == "" {
		return false
	}
	key, ok := set.Check([]byte(offered), r.Received)
	if !ok {
		return false
	}
	ok, _ = key.Allow(r.Received, r.address)
	return ok
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
