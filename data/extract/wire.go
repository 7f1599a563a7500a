package extract

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// message reads the fields of a protobuf message. The error, of a field that cannot be read or is not of the type
// asked for, ends the fields.
type message struct {
	rest   []byte
	number int
	kind   protowire.Type
	value  []byte
	err    error
}

// next reads the next field.
func (m *message) next() bool {
	if m.err != nil || len(m.rest) == 0 {
		return false
	}
	number, kind, n := protowire.ConsumeTag(m.rest)
	if n < 0 {
		m.err = damaged("a field does not begin with a tag")
		return false
	}
	m.rest = m.rest[n:]
	m.number, m.kind = int(number), kind
	if n = protowire.ConsumeFieldValue(number, kind, m.rest); n < 0 {
		m.err = damaged("field %d ends too early", number)
		return false
	}
	m.value, m.rest = m.rest[:n], m.rest[n:]
	return true
}

// isOf notes an error unless the field has the type.
func (m *message) isOf(kind protowire.Type) bool {
	if m.kind != kind && m.err == nil {
		m.err = damaged("field %d must have type %d instead of %d", m.number, kind, m.kind)
	}
	return m.kind == kind
}

// varint returns the number in the field.
func (m *message) varint() int64 {
	if !m.isOf(protowire.VarintType) {
		return 0
	}
	value, _ := protowire.ConsumeVarint(m.value)
	return int64(value)
}

// sint returns the number in the field, of a type such as sint64.
func (m *message) sint() int64 { return protowire.DecodeZigZag(uint64(m.varint())) }

// bytes returns the content of the field, which is a part of the message.
func (m *message) bytes() []byte {
	if !m.isOf(protowire.BytesType) {
		return nil
	}
	content, _ := protowire.ConsumeBytes(m.value)
	return content
}

// packed are the numbers of a packed field.
type packed []byte

// next returns the next number, or false.
func (p *packed) next() (uint64, bool) {
	value, n := protowire.ConsumeVarint(*p)
	if n < 0 {
		return 0, false
	}
	*p = (*p)[n:]
	return value, true
}

// add adds the next number, of a type such as sint64, to a sum.
func (p *packed) add(sum *int64) bool {
	value, ok := p.next()
	*sum += protowire.DecodeZigZag(value)
	return ok
}
