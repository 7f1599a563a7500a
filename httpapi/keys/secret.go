package keys

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"regexp"
)

// A secret is pubd_ and 160 random bits. The prefix lets scanners of source code and logs recognise it, lower-case
// base32 can be selected with a double click, and 37 bytes are a single block of SHA-256.
var (
	secretText    = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	secretPattern = regexp.MustCompile(`pubd_[a-z2-7]{32}`)
)

// secretLength is the length of a secret in bytes.
const secretLength = 37

// newSecret gives a key another secret and returns it.
func (r *record) newSecret() string {
	var random [20]byte
	rand.Read(random[:]) // never fails
	secret := "pubd_" + secretText.EncodeToString(random[:])
	if r.digest = sha256.Sum256([]byte(secret)); r.Public {
		r.public = secret
	}
	return secret
}
