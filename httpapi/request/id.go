package request

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
)

// maxID is the maximum length of a request ID from a client.
const maxID = 128

// AppendID appends the ID of the request: the value of its X-Request-Id header, or 32 random hexadecimal digits
// if that is absent, repeated, too long, has characters that IDs may not have, or may contain a key. The ID is logged,
// and sent in the response if the request had one or the server failed: otherwise equal requests get equal headers, so
// that nothing distinguishes one invalid key from another.
func (r *Request) AppendID(dst []byte) []byte {
	if len(r.IDs) == 1 && isID(r.IDs[0]) {
		return append(dst, r.IDs[0]...)
	}
	var random [16]byte
	binary.NativeEndian.PutUint64(random[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(random[8:], rand.Uint64())
	return hex.AppendEncode(dst, random[:])
}

// secretPrefix is the prefix of secrets.
var secretPrefix = []byte("pubd_")

func isID(value []byte) bool {
	if len(value) == 0 || len(value) > maxID || bytes.Contains(value, secretPrefix) {
		return false
	}
	for _, c := range value {
		if !IsUnreserved(c) && c != ':' && c != '/' && c != '+' && c != '=' && c != '@' {
			return false
		}
	}
	return true
}
