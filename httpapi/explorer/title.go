package explorer

import (
	"html"
	"strings"
)

// The texts in index.html that Titled replaces.
const (
	plainTitle       = "<title>Pubs</title>"
	plainOpenTitle   = `content="Pubs"`
	plainDescription = "Find a pub by name, place or postcode: on a map, with its ratings and pubs nearby."
)

// Titled returns the page / with a title and a description of the view at its address, for the preview of a shared
// link. Both are escaped. The body is a copy, and is not compressed.
func Titled(page File, title, description string) File {
	title, description = html.EscapeString(title), html.EscapeString(description) // escaped, so that the later replacements do not match them: those texts have quotes or tags
	body := strings.Replace(string(page.Body), plainDescription, description, 2)
	body = strings.Replace(body, plainOpenTitle, `content="`+title+`"`, 1)
	page.Packed, page.Body = nil, []byte(strings.Replace(body, plainTitle, "<title>"+title+"</title>", 1))
	return page
}
