package segment

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/schema"
)

// Pubs has the values of the members that answers have of each pub, as JSON writes them, in the order of ordinals.
// Their names, more than half of the JSON, are put between them when a pub is copied into an answer.
type Pubs struct {
	// arena has for each pub the lengths of the values, then the values: a text without its quotes, nothing for null.
	arena []byte
	// starts.at(i)>>pubFlags is where pub i begins in arena; starts.at(i+1) also has the flags of pub i.
	starts offsets
}

const (
	// unratedFlag is set if a pub has no ratings and no reviews: it has only the members before them.
	unratedFlag = 1
	// longFlag is set if lengths are numbers of 4 bytes instead of one.
	longFlag = 2
	// pubFlags is the number of flags.
	pubFlags = 2
	// overread is how many bytes follow the last value, so that short values can be copied as pieces of that size.
	overread = 16
)

// A key is what is written around a value: the name and, around a text, quotes; or the name and null.
type key struct {
	before [24]byte
	length uint32 // of before
	quote  uint32 // 1 if a quote follows the value
}

// beginnings has what precedes the value of each prepared column.
var beginnings = func() (list [schema.PreparedColumns]string) {
	for i := range list {
		list[i] = `,"` + schema.Columns[i].Name + `":`
	}
	list[0] = "{" + list[0][1:]
	return list
}()

// keys has the key of each prepared column with a value, and that without one.
var keys = func() (list [schema.PreparedColumns][2]key) {
	for i := range list {
		c := &schema.Columns[i]
		given, null := beginnings[i], beginnings[i]+"null"
		if c.Kind == schema.Text {
			given += `"`
			list[i][0].quote = 1
		}
		for j, before := range []string{given, null} {
			k := &list[i][j]
			if k.length = uint32(copy(k.before[:], before)); int(k.length) < len(before) {
				panic("index: the name of a column is too long")
			}
		}
	}
	return list
}()

// around is more than what is written around the values of a pub.
const around = schema.PreparedColumns * (len(key{}.before) + 1 + overread)

// keySize is the size of what is written around the values of a pub, at most.
var keySize = func() (size int) {
	for i := range keys {
		size += int(max(keys[i][0].length+keys[i][0].quote, keys[i][1].length))
	}
	return size
}()

// unratedEnd is the end of all unrated pubs.
var unratedEnd = func() (end string) {
	for i := schema.ColumnRatings; i < schema.PreparedColumns; i++ {
		if k := &keys[i][1]; schema.Columns[i].Kind == schema.Decimal {
			end += string(k.before[:k.length])
		} else {
			end += beginnings[i] + "0"
		}
	}
	return end
}()

// A Prepared is a pub as it was prepared for answers, in the memory of the snapshot.
type Prepared struct {
	arena []byte // from the pub on
	size  int    // of the pub
	flags uint64
}

// members returns the number of members, and where the first value begins.
func (p *Prepared) members() (count, values int) {
	count = schema.PreparedColumns
	if p.flags&unratedFlag != 0 {
		count = schema.ColumnRatings
	}
	if p.flags&longFlag != 0 {
		return count, 4 * count
	}
	return count, count
}

// length returns the length of a value.
func (p *Prepared) length(member int) int {
	if p.flags&longFlag != 0 {
		return int(binary.LittleEndian.Uint32(p.arena[4*member:]))
	}
	return int(p.arena[member])
}

// Touch reads a byte of the first two cache lines and of the last, which covers most pubs: of pubs that are scattered
// in memory, such reads, unlike copies, do not wait for each other.
func (p *Prepared) Touch() byte {
	const cacheLine = 64
	last := p.size - 1
	return p.arena[0] | p.arena[min(cacheLine, last)] | p.arena[last]
}

// MaxSize returns how many bytes Append appends at most: some 20 more than it does.
func (p *Prepared) MaxSize() int { return p.size + keySize }

// KeySize returns how many bytes of each MaxSize are for what is around the values of a pub.
func KeySize() int { return keySize }

// Append appends the pub as a JSON object, without its closing brace. Keys and short values are copied as pieces of
// a fixed size, which needs no call; what is too much of one is overwritten by the next.
func (p *Prepared) Append(dst []byte) []byte {
	if p.flags&longFlag != 0 {
		return p.appendLong(dst)
	}
	count, end := schema.PreparedColumns, ""
	if p.flags&unratedFlag != 0 {
		count, end = schema.ColumnRatings, unratedEnd
	}
	start := len(dst)
	dst = slices.Grow(dst, p.size+around)
	to, lengths, from, n := dst[start:start+p.size+around], p.arena[:count], p.arena[count:p.size+overread], 0
	for i, length := range lengths {
		if length == 0 {
			null := &keys[i][1]
			*(*[len(null.before)]byte)(to[n:]) = null.before
			n += int(null.length)
			continue
		}
		k := &keys[i][0]
		*(*[len(k.before)]byte)(to[n:]) = k.before
		n += int(k.length)
		if length <= overread {
			*(*[overread]byte)(to[n:]) = *(*[overread]byte)(from)
		} else {
			copy(to[n:], from[:length])
		}
		from = from[length:]
		n += int(length)
		to[n] = '"'
		n += int(k.quote)
	}
	n += copy(to[n:], end)
	return dst[:start+n]
}

// appendLong is Append for a pub with a long value.
func (p *Prepared) appendLong(dst []byte) []byte {
	for member := range schema.PreparedColumns {
		dst = p.AppendValue(append(dst, beginnings[member]...), member)
	}
	return dst
}

// AppendValue appends the value of a member as JSON. Finding it takes longer the later the member is.
func (p *Prepared) AppendValue(dst []byte, member int) []byte {
	switch value := p.Value(member); {
	case value == nil && schema.Columns[member].Kind == schema.Whole:
		return append(dst, '0')
	case value == nil:
		return append(dst, "null"...)
	case schema.Columns[member].Kind == schema.Text:
		return append(append(append(dst, '"'), value...), '"')
	default:
		return append(dst, value...)
	}
}

// WritePubs writes pubs.
func WritePubs(w *indexfile.Writer, pubs *corpus.Rows) {
	starts, end := make([]uint64, 1, pubs.Len()+1), uint64(0)
	var pub schema.Pub
	var values []byte
	addInPieces(w, "pubs.json", pubs.Len(), func(piece []byte, i int) []byte {
		count, flags := schema.PreparedColumns, uint64(0)
		if pubs.Get(i, &pub).IsUnrated() {
			count, flags = schema.ColumnRatings, unratedFlag
		}
		var lengths [schema.PreparedColumns]int
		values = values[:0]
		for member := range lengths[:count] {
			before := len(values)
			values = appendValue(values, &schema.Columns[member], &pub)
			lengths[member] = len(values) - before
		}
		if slices.Max(lengths[:]) > math.MaxUint8 {
			flags |= longFlag
		}
		before := len(piece)
		for _, length := range lengths[:count] {
			if flags&longFlag != 0 {
				piece = binary.LittleEndian.AppendUint32(piece, uint32(length))
			} else {
				piece = append(piece, byte(length))
			}
		}
		piece = append(piece, values...)
		end += uint64(len(piece) - before)
		starts = append(starts, end<<pubFlags|flags)
		if i == pubs.Len()-1 {
			piece = append(piece, make([]byte, overread)...)
		}
		return piece
	})
	written := newOffsets(starts)
	written.code(indexfile.Writing(w), "pubs.starts", len(starts), nil)
}

// appendValue appends the value of a column as JSON, a text without its quotes, and nothing for null.
func appendValue(dst []byte, c *schema.Column, pub *schema.Pub) []byte {
	switch c.Kind {
	case schema.Text:
		return schema.AppendEscaped(dst, *c.Text(pub))
	case schema.Decimal:
		if value := *c.Decimal(pub); schema.IsPresent(value) {
			return schema.AppendNumber(dst, value)
		}
		return dst
	}
	return strconv.AppendInt(dst, *c.Whole(pub), 10)
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

// At returns a pub.
func (p *Pubs) At(ordinal uint32) Prepared {
	first, end := p.starts.at(ordinal)>>pubFlags, p.starts.at(ordinal+1)
	return Prepared{p.arena[first:], int(end>>pubFlags - first), end & (1<<pubFlags - 1)}
}

func readPubJSON(r *indexfile.Reader, size int) Pubs {
	p := Pubs{arena: indexfile.Take[byte](r, "pubs.json")}
	p.starts.code(indexfile.Reading(r), "pubs.starts", size+1, func(last uint64) bool { return last>>pubFlags+overread == uint64(len(p.arena)) })
	return p
}

// Value returns the value of a member, a text JSON-escaped; nil for null.
func (p *Prepared) Value(member int) []byte {
	count, at := p.members()
	if member >= count {
		return nil
	}
	for i := range member {
		at += p.length(i)
	}
	if length := p.length(member); length > 0 {
		return p.arena[at : at+length]
	}
	return nil
}

// hasUID reports whether a pub has a UID.
func (p *Pubs) hasUID(ordinal uint32, uid []byte) bool {
	pub := p.At(ordinal)
	own := pub.Value(schema.ColumnUID)
	if bytes.IndexByte(own, '\\') >= 0 {
		var room [64]byte
		own = schema.AppendUnescaped(room[:0], own)
	}
	return bytes.Equal(own, uid)
}

// Texts returns the UID, the name and the location of a pub, JSON-escaped; the location is nil if the pub has none.
func (p *Pubs) Texts(ordinal uint32) (uid, name, location []byte) {
	pub := p.At(ordinal)
	return pub.Value(schema.ColumnUID), pub.Value(schema.ColumnName), pub.Value(schema.ColumnLocation)
}

// Decode parses a pub. Values that no builder wrote are missing, as in a file that was damaged after it was opened.
func (p *Pubs) Decode(ordinal uint32) *schema.Pub {
	prepared := p.At(ordinal)
	var pub schema.Pub
	for i := range schema.PreparedColumns {
		value := prepared.Value(i)
		switch c := &schema.Columns[i]; c.Kind {
		case schema.Text:
			*c.Text(&pub) = string(schema.AppendUnescaped(nil, value))
		case schema.Whole:
			*c.Whole(&pub), _ = schema.ParseInteger(value)
		default:
			number, ok := schema.ParseDecimal(value)
			if !ok {
				number = math.NaN()
			}
			*c.Decimal(&pub) = number
		}
	}
	return &pub
}
