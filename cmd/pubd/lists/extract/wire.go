package extract

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// parse reads a protobuf message. Each field goes where its number says: to a *int64, to a *packed, or to a function
// that takes its content. Of a field that is there several times, the last one counts. Fields without a place are
// passed over.
func parse(message []byte, places []any) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return damaged("a field does not begin with a tag")
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return damaged("field %d ends too early", number)
		}
		value := message[:n]
		message = message[n:]
		if int(number) >= len(places) || places[number] == nil {
			continue
		}
		want := protowire.BytesType
		if _, isNumber := places[number].(*int64); isNumber {
			want = protowire.VarintType
		}
		if kind != want {
			return damaged("field %d must have type %d instead of %d", number, want, kind)
		}
		switch place := places[number].(type) {
		case *int64:
			varint, _ := protowire.ConsumeVarint(value)
			*place = int64(varint)
		case *packed:
			*place, _ = protowire.ConsumeBytes(value)
		case func([]byte) error:
			content, _ := protowire.ConsumeBytes(value)
			if err := place(content); err != nil {
				return err
			}
		}
	}
	return nil
}

// packed is the content of a field, such as the numbers of a packed one.
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

// zigZag returns the number that a zigzag-encoded one stands for.
func zigZag(encoded int64) int64 { return protowire.DecodeZigZag(uint64(encoded)) }
