package httpapi

import (
	"bytes"
	"math/rand/v2"
)

// maxRequestID is how long the id of a request may be that a client chose.
const maxRequestID = 128

// appendRequestID appends the id of a request: the one value of its header X-Request-Id, or 32 random hexadecimal digits where that is absent,
// repeated, too long, has other characters than ids have, or has what may be a key. The id goes into the log, and into the answer to a request that had one or
// that the server failed: answers to equal requests otherwise have equal headers, so that nothing in them tells one wrong key from another.
func appendRequestID(dst []byte, values [][]byte) []byte {
	if len(values) == 1 && isRequestID(values[0]) {
		return append(dst, values[0]...)
	}
	for range 2 {
		random := rand.Uint64()
		for shift := 60; shift >= 0; shift -= 4 {
			dst = append(dst, "0123456789abcdef"[random>>shift&15])
		}
	}
	return dst
}

// secretPrefix begins the secrets of keys.
var secretPrefix = []byte("pubd_")

func isRequestID(value []byte) bool {
	if len(value) == 0 || len(value) > maxRequestID || bytes.Contains(value, secretPrefix) {
		return false
	}
	for _, c := range value {
		if !isUnreserved(c) && c != ':' && c != '/' && c != '+' && c != '=' && c != '@' {
			return false
		}
	}
	return true
}
