package explorer

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/httpapi"
	"pubd/index"
)

// maxTitle is the maximum length of a text in a title, in characters.
const maxTitle = 100

// The texts in index.html that titled replaces.
const (
	plainTitle       = "<title>Pubs</title>"
	plainOpenTitle   = `content="Pubs"`
	plainDescription = "Find a pub by name, place or postcode: on a map, with the way there and pubs nearby."
)

// titled does what Titled of [httpapi.WebPages] does, with the page "/" as it is without a query. The body is a copy,
// and is not compressed.
func titled(file httpapi.WebFile, query []byte, find func(uid string) *index.Pub) (httpapi.WebFile, bool) {
	title, description := "", ""
	if uid := firstValue(query, "pub"); uid != "" {
		if pub := find(uid); pub != nil {
			title, description = pubTitle(pub)
		}
	}
	if text := shortened(firstValue(query, "search")); text != "" && title == "" {
		title, description = text, "Pubs found for “"+text+"”: on a map, with the way there and pubs nearby."
	}
	if title == "" {
		return httpapi.WebFile{}, false
	}
	// Later replacements look for quotes or tags, which no escaped text has.
	title, description = html.EscapeString(title+" – Pubs"), html.EscapeString(description)
	body := strings.Replace(string(file.Body), plainDescription, description, 2)
	body = strings.Replace(body, plainOpenTitle, `content="`+title+`"`, 1)
	file.Packed, file.Body = nil, []byte(strings.Replace(body, plainTitle, "<title>"+title+"</title>", 1))
	return file, true
}

// pubTitle returns the name of a pub, and a sentence about it.
func pubTitle(p *index.Pub) (title, description string) {
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
	if total := p.Ratings[index.Total]; total == total {
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
	return title, description + "On a map, with the way there and pubs nearby."
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
