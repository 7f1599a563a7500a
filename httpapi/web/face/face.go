// Package face has what an operator can change of the look of the web pages: their title, a logo, an accent colour, the
// language of their texts, the word for pubs in them, and where people suggest corrections.
//
// [New] is the entry point: it checks [Options] and returns a [Face], which packages explorer and pages are given, and
// whose [Face.Files] the service serves; [Default] is the one without options. A face is immutable.
//
// A logo is an untrusted image, even if the operator chose it: its first bytes decide what it is, and the policy of an
// SVG lets nothing in it run or load. An accent is any colour: it is darkened for light pages and lightened for dark
// ones until text in it can be read, by the formula of WCAG. It is a small style sheet, since the policies of pages
// allow no style in them.
package face

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/httpapi/web"
	"pubd/httpapi/web/texts"
	"pubd/loader/disk"
)

// Options are what an operator says of the face. The zero value is the default.
type Options struct {
	// Title is the name of the site, of at most 60 characters; by default, it is the word for pubs.
	Title string
	// Logo is a file with an image in SVG, PNG or WebP, of at most 200 KB; empty for none.
	Logo string
	// Accent is the colour of links and buttons, #rgb or #rrggbb; empty for the usual one.
	Accent string
	// Language is one of [texts.Languages]; empty for English.
	Language string
	// Noun is the word for what the directory lists, as [texts.In] takes it; empty for pubs.
	Noun string
	// Corrections is a web address or mailto, at which people suggest a correction of a pub, whose UID takes the place of
	// {uid} in it; empty for none.
	Corrections string
}

const (
	maxTitle = 60      // characters
	maxLogo  = 200_000 // bytes
)

// A Face is the look that all pages share.
type Face struct {
	// The texts are those of the language.
	*texts.Table
	Title string
	// Logo, Icon and Style are paths of files: of the logo and the style sheet of the accent, empty if there are none,
	// and of the icon of the pages.
	Logo, Icon, Style string
	// Accents are the colour of links on light and on dark pages, #rrggbb.
	Accents [2]string
	// Corrections is that of the options.
	Corrections string
	// IsPubs tells that the directory lists pubs, not what a noun says.
	IsPubs bool
	files  []web.File
}

// usual are the accents of the explorer's style sheet.
var usual = [2]string{"#a84b06", "#f4a650"}

// Default returns the face without options.
func Default() *Face {
	f, err := New(Options{})
	if err != nil {
		panic(err) // nothing of it was given
	}
	return f
}

// New returns a face; its error names the option and says what it must be.
func New(o Options) (*Face, error) {
	table, err := texts.In(o.Language, o.Noun)
	if err != nil {
		return nil, err
	}
	if err := checkCorrections(o.Corrections); err != nil {
		return nil, err
	}
	f := &Face{Table: table, Title: o.Title, Icon: "/explorer/icon.svg", Accents: usual,
		Corrections: o.Corrections, IsPubs: o.Noun == ""}
	if o.Title == "" {
		f.Title = table.Text("site")
	}
	if err := checkTitle(f.Title); err != nil {
		return nil, err
	}
	if o.Logo != "" {
		logo, err := readLogo(o.Logo)
		if err != nil {
			return nil, fmt.Errorf("logo %s: %w", o.Logo, err)
		}
		f.Logo, f.Icon, f.files = logo.Path, logo.Path, append(f.files, logo)
	}
	if o.Accent != "" {
		accent, err := parseColour(o.Accent)
		if err != nil {
			return nil, err
		}
		f.Style, f.Accents = "/explorer/face.css", [2]string{light.shades(accent).accent.String(), dark.shades(accent).accent.String()}
		f.files = append(f.files, web.File{Path: f.Style, MediaType: "text/css; charset=utf-8", Body: sheet(accent)})
	}
	return f, nil
}

// CorrectionOf returns where to suggest a correction of a pub; empty if there is no such place.
func (f *Face) CorrectionOf(uid string) string {
	return strings.ReplaceAll(f.Corrections, "{uid}", strings.ReplaceAll(url.QueryEscape(uid), "+", "%20"))
}

func checkCorrections(template string) error {
	if template == "" {
		return nil
	}
	u, err := url.Parse(strings.ReplaceAll(template, "{uid}", "%7Buid%7D")) // which no host may have
	isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
	isMail := err == nil && u.Scheme == "mailto" && strings.Contains(u.Opaque, "@")
	isOdd := func(c rune) bool { return c <= ' ' || c > '~' }
	if !isWeb && !isMail || !strings.Contains(template, "{uid}") || strings.ContainsFunc(template, isOdd) {
		return fmt.Errorf("corrections %q: must be an http, https or mailto address in ASCII with {uid} after the host, "+
			"such as https://example.org/correct?pub={uid}", template)
	}
	return nil
}

// Files returns the files at Logo and Style.
func (f *Face) Files() []web.File { return f.files }

func checkTitle(title string) error {
	if !utf8.ValidString(title) || utf8.RuneCountInString(title) > maxTitle {
		return fmt.Errorf("title %.300q: must be UTF-8 of at most %d characters", title, maxTitle)
	}
	seen := false
	for _, c := range title {
		if !unicode.IsGraphic(c) {
			return fmt.Errorf("title %q: must be plain text, without control characters", title)
		}
		seen = seen || !unicode.IsSpace(c)
	}
	if !seen {
		return fmt.Errorf("title %q: must have a character that can be seen", title)
	}
	return nil
}

// logoPolicy is the Content-Security-Policy of an SVG: opened on its own, it is no page of ours.
const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// readLogo returns the file of a logo, by what its first bytes say.
func readLogo(path string) (file web.File, err error) {
	body, _, err := disk.ReadFile(context.Background(), path, maxLogo)
	file.Body = body
	switch {
	case err != nil:
		return file, bare(err)
	case bytes.HasPrefix(body, []byte("\x89PNG\r\n\x1a\n")):
		file.Path, file.MediaType = "/explorer/logo.png", "image/png"
	case len(body) >= 12 && string(body[:4]) == "RIFF" && string(body[8:12]) == "WEBP":
		file.Path, file.MediaType = "/explorer/logo.webp", "image/webp"
	case isSVG(body):
		file.Path, file.MediaType, file.Policy = "/explorer/logo.svg", "image/svg+xml", logoPolicy
	default:
		return file, errors.New("must be an image in SVG, PNG or WebP")
	}
	return file, nil
}

// bare returns an error of a file without its name.
func bare(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// isSVG reports whether the first element of a document is that of SVG.
func isSVG(body []byte) bool {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		if element, ok := token.(xml.StartElement); ok {
			return element.Name == xml.Name{Space: "http://www.w3.org/2000/svg", Local: "svg"}
		}
	}
}
