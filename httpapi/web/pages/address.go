package pages

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"pubd/httpapi/request"
	"pubd/index"
	"pubd/index/schema"
	"pubd/index/text"
)

// maxSlug is the maximum length of the name and place in the address of a pub, in bytes before they are escaped.
const maxSlug = 80

// appendPubPath appends the address of a pub, /pubs/UID/name-place. A path segment must not be "." or "..", as browsers
// remove those: such a UID has a tilde before it, and so has one that begins with a tilde.
func appendPubPath(dst []byte, s *index.Snapshot, ordinal uint32) []byte {
	uid, name, location := s.Texts(ordinal)
	dst = append(dst, "/pubs/"...)
	start := len(dst)
	dst = schema.AppendUnescaped(dst, uid)
	raw := dst[start:]
	if raw[0] == '~' || string(raw) == "." || string(raw) == ".." {
		dst = append(dst, '~')
	}
	dst = append(moveUp(request.AppendEscaped(dst, raw, ""), start, len(raw)), '/')
	start = len(dst)
	dst = text.AppendFolded(dst, name)
	if len(location) > 0 {
		dst = text.AppendFolded(append(dst, ' '), location)
	}
	folded := dst[start:]
	slug := cut(bytes.TrimSpace(folded))
	if len(slug) == 0 {
		return append(dst[:start], "pub"...)
	}
	return moveUp(appendSlug(dst, slug), start, len(folded))
}

// moveUp removes n bytes from a text.
func moveUp(text []byte, start, n int) []byte { return append(text[:start], text[start+n:]...) }

// cut returns the beginning of a folded text, of at most maxSlug bytes, in whole words if possible.
func cut(folded []byte) []byte {
	if len(folded) <= maxSlug {
		return folded
	}
	end := bytes.LastIndexByte(folded[:maxSlug+1], ' ')
	if end < 0 {
		for end = maxSlug; !utf8.RuneStart(folded[end]); {
			end--
		}
	}
	return folded[:end]
}

// uidOf returns the UID that a segment of an address has; false if it is not escaped as URLs are.
func uidOf(segment string) (uid string, ok bool) {
	uid, err := url.PathUnescape(segment)
	return strings.TrimPrefix(uid, "~"), err == nil
}

// appendPlacePath appends the address of a place: its folded name, which has no hyphens, with hyphens for spaces.
func appendPlacePath(dst, folded []byte) []byte {
	return appendSlug(append(dst, "/places/"...), folded)
}

// placeOf returns the folded name that a segment of the address of a place has.
func placeOf(segment string) (folded []byte, ok bool) {
	name, err := url.PathUnescape(segment)
	return text.AppendFolded(nil, []byte(strings.ReplaceAll(name, "-", " "))), err == nil
}

// appendSlug appends a folded text, with hyphens for spaces.
func appendSlug(dst, folded []byte) []byte {
	return request.AppendEscaped(dst, bytes.ReplaceAll(folded, []byte(" "), []byte("-")), "")
}
