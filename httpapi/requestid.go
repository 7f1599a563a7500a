package httpapi

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"

	"pubd/httpapi/params"
)

// maxRequestID is the maximum length of a request ID from a client.
const maxRequestID = 128

// appendRequestID appends the ID of a request: the value of its X-Request-Id header, or 32 random hexadecimal digits
// if that is absent, repeated, too long, has characters that IDs may not have, or may contain a key. The ID is logged,
// and sent in the response if the request had one or the server failed: otherwise equal requests get equal headers, so
// that nothing distinguishes one invalid key from another.
func appendRequestID(dst []byte, values [][]byte) []byte {
	if len(values) == 1 && isRequestID(values[0]) {
		return append(dst, values[0]...)
	}
	var random [16]byte
	binary.NativeEndian.PutUint64(random[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(random[8:], rand.Uint64())
	return hex.AppendEncode(dst, random[:])
}

// secretPrefix is the prefix of secrets.
var secretPrefix = []byte("pubd_")

func isRequestID(value []byte) bool {
	if len(value) == 0 || len(value) > maxRequestID || bytes.Contains(value, secretPrefix) {
		return false
	}
	for _, c := range value {
		if !params.IsUnreserved(c) && c != ':' && c != '/' && c != '+' && c != '=' && c != '@' {
			return false
		}
	}
	return true
}
