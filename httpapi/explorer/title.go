package explorer

import (
	"html"
	"strings"
)

// What index.html says of itself, each as often as it stands there.
const (
	plainTitle       = "<title>Pubs</title>"
	plainOpenTitle   = `content="Pubs"`
	plainDescription = "Find a pub by name, place or postcode: on a map, with its ratings and what is near."
)

// Titled returns the page "/" with a title and a description of what its address asks for, as the preview of a shared link shows them. Both are
// text, whatever is in them. Its body is a copy, which is not packed.
func Titled(page File, title, description string) File {
	title, description = html.EscapeString(title), html.EscapeString(description) // which then are none of what is replaced: that has quotes or tags
	body := strings.Replace(string(page.Body), plainDescription, description, 2)
	body = strings.Replace(body, plainOpenTitle, `content="`+title+`"`, 1)
	page.Packed, page.Body = nil, []byte(strings.Replace(body, plainTitle, "<title>"+title+"</title>", 1))
	return page
}
