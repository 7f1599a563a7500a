package world

import "encoding/binary"

// A reader reads one of the embedded files.
type reader struct{ rest []byte }

// next returns the next number, which is not negative.
func (r *reader) next() int {
	value, size := binary.Uvarint(r.rest)
	r.rest = r.rest[size:]
	return int(value)
}

// difference returns the next number, which may be negative.
func (r *reader) difference() int32 {
	value, size := binary.Varint(r.rest)
	r.rest = r.rest[size:]
	return int32(value)
}

// text returns the next bytes.
func (r *reader) text(size int) string {
	text := string(r.rest[:size])
	r.rest = r.rest[size:]
	return text
}
