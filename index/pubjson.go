package index

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"pubd/index/indexfile"
)

// pubJSON has each pub as a JSON object without its closing brace, in the order of ordinals. The end that all unrated
// pubs have in common is stored once.
type pubJSON struct {
	arena []byte
	// starts[i] is twice the offset of pub i in arena, plus 1 if the common end of unrated pubs follows it.
	starts offsets
	tail   []byte
}

func writePubJSON(w *indexfile.Writer, pubs *Rows) {
	unrated := Pub{Ratings: Rated(nil)}
	tail := appendMembers(nil, &unrated, columnRatings)
	starts := offsets{lower: make([]uint32, 0, pubs.Len()+1)}
	end := uint64(0)
	var pub Pub
	addInPieces(w, "pubs.json", pubs.Len(), func(piece []byte, i int) []byte {
		start := len(piece)
		piece = appendMembers(piece, pubs.Get(i, &pub), 0)
		unrated := uint64(0)
		if bytes.HasSuffix(piece[start:], tail) {
			piece, unrated = piece[:len(piece)-len(tail)], 1
		}
		starts.append(end<<1 | unrated)
		end += uint64(len(piece) - start)
		return piece
	})
	starts.append(end << 1)
	starts.write(w, "pubs.starts")
	w.Add("pubs.tail", tail)
}

// addInPieces writes a section of what appendOne appends for each number below count, in pieces: all at once would be
// most of the memory of a build.
func addInPieces(w *indexfile.Writer, name string, count int, appendOne func(piece []byte, i int) []byte) {
	const pieceSize = 1 << 18 // about
	w.AddEach(name, func(yield func([]byte) bool) {
		var piece []byte
		for i := range count {
			if piece = appendOne(piece, i); len(piece) < pieceSize && i < count-1 {
				continue
			}
			if !yield(piece) {
				return
			}
			piece = piece[:0]
		}
	})
}

// at returns the two parts of a pub.
func (p *pubJSON) at(ordinal uint32) (head, tail []byte) {
	start, end := p.starts.at(ordinal), p.starts.at(ordinal+1)
	if start&1 == 1 {
		tail = p.tail
	}
	return p.arena[start>>1 : end>>1], tail
}

func readPubJSON(r *indexfile.Reader, size int) pubJSON {
	arena := indexfile.Take[byte](r, "pubs.json")
	return pubJSON{arena, readOffsets(r, "pubs.starts", size+1, uint64(len(arena)), 1), indexfile.Take[byte](r, "pubs.tail")}
}

// hasUID reports whether a pub has a UID.
func (p *pubJSON) hasUID(ordinal uint32, uid []byte) bool {
	head, _ := p.at(ordinal)
	const before = `{"UID":"`
	if len(head) <= len(before) {
		return false
	}
	head = head[len(before):]
	if len(head) > len(uid) && string(head[:len(uid)]) == string(uid) && bytes.IndexByte(uid, '\\') < 0 && bytes.IndexByte(uid, '"') < 0 {
		return head[len(uid)] == '"'
	}
	for _, c := range uid {
		if c == '"' || c == '\\' {
			if len(head) == 0 || head[0] != '\\' {
				return false
			}
			head = head[1:]
		}
		if len(head) == 0 || head[0] != c {
			return false
		}
		head = head[1:]
	}
	return len(head) > 0 && head[0] == '"'
}

// strings returns the UID, the name and the location of a pub, JSON-escaped; the location is nil if the pub has none.
func (p *pubJSON) strings(ordinal uint32) (uid, name, location []byte) {
	head, _ := p.at(ordinal)
	uid, head = cutString(head, Columns[ColumnUID].before)
	name, head = cutString(head, Columns[ColumnName].before)
	location, _ = cutString(head, Columns[ColumnLocation].before)
	return uid, name, location
}

// category returns the category of a pub, JSON-escaped; nil if the pub has none.
func (p *pubJSON) category(ordinal uint32) []byte {
	name := Columns[ColumnCategory].before
	head, _ := p.at(ordinal) // the common end begins behind it
	if at := bytes.Index(head, []byte(name)); at >= 0 {
		category, _ := cutString(head[at:], name)
		return category
	}
	return nil
}

// cutString returns the string that follows a name, without its quotes but still escaped, or nil for null, and the
// rest.
func cutString(object []byte, name string) (text, rest []byte) {
	rest = object[len(name):]
	if rest[0] != '"' {
		return nil, rest[len("null"):]
	}
	end := 1
	for ; rest[end] != '"'; end++ {
		if rest[end] == '\\' {
			end++
		}
	}
	return rest[1:end], rest[end+1:]
}

// AppendUnescaped appends a string of a snapshot, whose only escapes are those of quotes and backslashes, without
// them.
func AppendUnescaped(dst, text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return append(dst, text...)
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		}
		dst = append(dst, text[i])
	}
	return dst
}

// decode parses a pub. It panics if no builder wrote it.
func (p *pubJSON) decode(ordinal uint32) *Pub {
	head, tail := p.at(ordinal)
	rest := slices.Concat(head, tail)
	var pub Pub
	for i := range PreparedColumns {
		rest = Columns[i].cutMember(rest, &pub)
	}
	return &pub
}

// cutMember sets the value of a pub from the member with which object begins, and returns the rest. It panics if there
// is another one, as in a file that was damaged after it was opened: requests and exports recover.
func (c *Column) cutMember(object []byte, pub *Pub) (rest []byte) {
	if !bytes.HasPrefix(object, []byte(c.before)) {
		panic("index: a pub has no " + c.Name)
	}
	if c.Kind == Text {
		text, rest := cutString(object, c.before)
		*c.text(pub) = string(AppendUnescaped(nil, text))
		return rest
	}
	value, _, _ := bytes.Cut(object[len(c.before):], []byte(","))
	if c.Kind == Whole {
		*c.whole(pub), _ = ParseInteger(value)
	} else if number, ok := ParseDecimal(value); ok {
		*c.decimal(pub) = number
	} else {
		*c.decimal(pub) = math.NaN()
	}
	return object[len(c.before)+len(value):]
}

// appendMembers appends the members of a pub as a JSON object without its closing brace, from a column on.
func appendMembers(dst []byte, pub *Pub, from int) []byte {
	for i := from; i < PreparedColumns; i++ {
		switch c := &Columns[i]; c.Kind {
		case Text:
			dst = appendOptional(append(dst, c.before...), *c.text(pub))
		case Decimal:
			dst = AppendNumber(append(dst, c.before...), *c.decimal(pub))
		case Whole:
			dst = strconv.AppendInt(append(dst, c.before...), *c.whole(pub), 10)
		}
	}
	return dst
}

// appendOptional appends a string, or null for the empty one.
func appendOptional(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, "null"...)
	}
	return AppendString(dst, text)
}

// AppendString appends valid UTF-8 as a JSON string, byte for byte except for the escapes that JSON requires.
func AppendString[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	plain := 0 // where what needs no escapes begins
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[plain:i]...)
		if plain = i + 1; c < 0x20 {
			dst = append(dst, `\u00`...)
			dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(append(dst, text[plain:]...), '"')
}
