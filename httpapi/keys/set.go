// Package keys has the API keys of a server as an immutable set, and edits the key file.
package keys

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"time"
)

// A Set is a set of keys, including revoked and expired ones. It is immutable once published (see Inherit) and safe for concurrent use; a
// reload publishes a new one. The zero Set has no keys.
//
// slots are sorted by digest, slots[i] belongs to keys[i], and empty slots follow, so that depth slots may be read from any index. Digests
// whose first word, shifted by shift, is b are among the depth slots from first[b] on. depth is a handful for digests of secrets; digests
// crafted to agree in their first bits only cost time.
type Set struct {
	slots []slot
	first []uint32
	shift uint
	depth uint64
	keys  []Key
	// offered is the secret of the public key that pages offer, and offeredUntil its expiry.
	offered      string
	offeredUntil uint64
	clients      *clients // nil without public keys
}

// A slot decides about a secret: the digest of its key and the microsecond since 1970 from which the key is rejected, 0 if it is revoked,
// the maximum if it never expires.
type slot struct {
	digest digest
	until  uint64
}

// A digest is a SHA-256 as four big-endian words; it is not an array because the compiler keeps arrays out of registers.
type digest struct{ a, b, c, d uint64 }

func digestOf(sum *[sha256.Size]byte) digest {
	return digest{
		binary.BigEndian.Uint64(sum[0:]),
		binary.BigEndian.Uint64(sum[8:]),
		binary.BigEndian.Uint64(sum[16:]),
		binary.BigEndian.Uint64(sum[24:]),
	}
}

func (d digest) compare(other digest) int {
	return cmp.Or(cmp.Compare(d.a, other.a), cmp.Compare(d.b, other.b), cmp.Compare(d.c, other.c),
		cmp.Compare(d.d, other.d))
}

// equal is 1 if the two are equal, otherwise 0, in constant time.
func (d digest) equal(other digest) uint64 {
	difference := (d.a ^ other.a) | (d.b ^ other.b) | (d.c ^ other.c) | (d.d ^ other.d)
	return (difference|-difference)>>63 ^ 1
}

// Load reads a key file. It is an error, which names the file, if the file is absent, not a regular file, larger than MaxFileSize, writable by
// anyone but its owner, without a key, or rejected by Parse. The warning is not nil for a valid file that anyone besides its owner and group can
// read.
func Load(path string) (s *Set, warning, err error) {
	content, info, err := read(path)
	if err != nil {
		return nil, nil, err
	}
	if warning, err = checkMode(path, info.Mode().Perm()); err != nil {
		return nil, nil, err
	}
	s, err = Parse(path, content)
	return s, warning, err
}

// Parse parses the content of a key file: a JSON object per line, blank lines allowed, with the members
//
//	{"name":"suite","sha256":"<64 hex digits>","created":"2026-01-31T12:00:00Z","expires":"…","rate":5,"revoked":"…"}
//	{"name":"pages","sha256":"<64 hex digits>","public":"<the secret>","rate_per_client":20}
//
// of which name and sha256 are required. Names are unique among keys that are not revoked, digests among all keys. The
// error is the first complaint, such as `keys:3: sha256 "abc": must be 64 hexadecimal digits`, with name for the file. It
// shows only the beginning of long values, because a secret may have been pasted in the wrong place. The set shares no
// memory with content.
func Parse(name string, content []byte) (*Set, error) {
	records, err := parseRecords(name, content)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: no key in it, make one with pubd keys add", name)
	}
	return newSet(records), nil
}

// DemoSecret is the secret of the key of Demo, and its name.
const DemoSecret = "demo"

// Demo returns the set of one key without limit or expiry.
func Demo() *Set {
	sum := sha256.Sum256([]byte(DemoSecret))
	return newSet([]record{{Entry: Entry{Name: DemoSecret}, digest: digestOf(&sum)}})
}

func newSet(records []record) *Set {
	slices.SortFunc(records, func(a, b record) int { return a.digest.compare(b.digest) })
	width := bits.Len(uint(4 * len(records)))
	s := &Set{first: make([]uint32, 1<<width), shift: uint(64 - width), keys: make([]Key, len(records))}
	counts := make([]uint64, len(s.first))
	for i := range records {
		r := &records[i]
		if r.Public && s.clients == nil {
			s.clients = newClients()
		}
		s.keys[i] = newKey(r, s.clients)
		if end := until(r.Entry); r.Public && end > s.offeredUntil {
			s.offered, s.offeredUntil = r.public, end
		}
		s.slots = append(s.slots, slot{r.digest, until(r.Entry)})
		counts[r.digest.a>>s.shift]++
	}
	place := uint32(0)
	for bucket, count := range counts {
		s.first[bucket] = place
		place += uint32(count)
	}
	s.depth = slices.Max(counts)
	s.slots = append(s.slots, make([]slot, s.depth)...)
	return s
}

// Offered returns the secret of the public key that expires last, for pages to offer; it is empty if none is valid at now.
func (s *Set) Offered(now time.Time) string {
	if uint64(now.UnixMicro()) >= s.offeredUntil {
		return ""
	}
	return s.offered
}

// Len returns the number of keys, revoked and expired ones included.
func (s *Set) Len() int { return len(s.keys) }

// Check returns the key with this secret if it is neither revoked nor expired at now; a key that expires at now has expired. Otherwise it
// returns nil and false.
//
// What it does depends only on the length of the secret and on the set: no branch depends on whether the key exists or why it is rejected,
// so that the time reveals neither. A caller with its own reason to reject a request, such as a header sent twice, must still call Check,
// with the values joined, and ignore the result.
//
// It does not allocate, takes no lock and costs one SHA-256 of the secret and a comparison with a few digests.
func (s *Set) Check(secret []byte, now time.Time) (*Key, bool) {
	if len(s.keys) == 0 {
		return nil, false
	}
	sum := sha256.Sum256(secret)
	place, found := s.find(digestOf(&sum), uint64(now.UnixMicro()))
	candidate := &s.keys[place]
	var key *Key
	if found != 0 { // compiles to a conditional move
		key = candidate
	}
	return key, found != 0
}

// find returns the index of the key with this digest and 1 if it is valid at now, otherwise 0 and 0, in the same time. The set must not be
// empty.
func (s *Set) find(wanted digest, now uint64) (place, found uint64) {
	start := uint64(s.first[wanted.a>>s.shift])
	for i := start; i < start+s.depth; i++ {
		candidate := &s.slots[i]
		_, live := bits.Sub64(now, candidate.until, 0)
		match := candidate.digest.equal(wanted) & live
		place |= i & -match
		found |= match
	}
	return place, found
}

// Inherit lets each limited key share the tokens of the key in old with the same digest and rate, so that a reload does not refill them;
// likewise for the clients of public keys. It must be called before s is published; old may be in use, or nil.
func (s *Set) Inherit(old *Set) {
	if old == nil || len(old.keys) == 0 {
		return
	}
	if s.clients != nil && old.clients != nil {
		s.clients = old.clients
	}
	for i := range s.keys {
		if s.keys[i].clients != nil {
			s.keys[i].clients = s.clients
		}
		place, found := old.find(s.slots[i].digest, 0)
		mine, before := s.keys[i].limiter, old.keys[place].limiter
		if found != 0 && mine != nil && before != nil && before.Limit() == mine.Limit() {
			s.keys[i].limiter = before
		}
	}
}
