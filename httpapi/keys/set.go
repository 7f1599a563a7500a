// Package keys has the API keys of a server as an immutable set, and edits the key file. It decides which secret is
// valid and how many requests a key has left; package httpapi decides what a request costs.
//
// [Load] and [Parse] read a key file into a [Set]. [Set.Check] finds the [Key] of a secret, [Key.Allow] takes a
// request from its rate, and [Key.Charge] more for a large response. A reload makes a new Set; [Set.Inherit] passes on
// what is left of the rates, before the Set is shared. From then on all is safe for concurrent use; Check and Allow do
// not allocate. [Add], [Rotate], [Revoke] and [List] work on the file; readers see the old or the new one, and editors
// wait for each other.
//
// The file has only the SHA-256 of a secret, unless the key is public: a secret is 160 random bits, which nobody can
// guess, so that a slow hash would only cost time. Anyone may use a public key: each client has a rate of its own, in
// a table of fixed size, so that a flood of addresses takes no memory. A key's own rate is a limiter of
// golang.org/x/time/rate.
package keys

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"
)

// A Set is a set of keys, including revoked and expired ones, by the digests of their secrets. It is immutable once
// published (see Inherit) and safe for concurrent use; a reload publishes a new one. The zero Set has no keys.
type Set struct {
	keys map[digest]*Key
	// offered is the secret of the public key that pages offer, and offeredUntil its expiry, as in Key.
	offered      string
	offeredUntil uint64
	clients      *clients // nil without public keys
	labels       []string // by Key.Label
	limiters     limiters
}

// A digest is the SHA-256 of a secret.
type digest = [sha256.Size]byte

// Load reads a key file. It is an error, which names the file, if the file is absent, not a regular file, larger than
// MaxFileSize, writable by anyone but its owner, without a key, or rejected by Parse. The warning is not nil for a
// valid file that anyone besides its owner and group can read.
func Load(ctx context.Context, path string) (s *Set, warning, err error) {
	content, info, err := read(ctx, path)
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
// of which name and sha256 are required. Digests are unique. A key may have the name of earlier ones only if they are
// revoked or expire. The error is the first complaint, such as `keys:3: sha256 "abc": must be 64 hexadecimal digits`,
// with name for the file. It shows only the beginning of long values, because a secret may have been pasted in the
// wrong place. The set shares no memory with content.
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
	return newSet([]record{{Entry: Entry{Name: DemoSecret}, digest: sha256.Sum256([]byte(DemoSecret))}})
}

func newSet(records []record) *Set {
	s := &Set{keys: make(map[digest]*Key, len(records))}
	names := []string{"other"}
	for i := range records {
		r := &records[i]
		if r.Public && s.clients == nil {
			s.clients = newClients()
		}
		key := newKey(r, s.clients)
		if r.Public && key.until >= s.offeredUntil {
			s.offered, s.offeredUntil = r.public, key.until
		}
		if key.until > 0 {
			names = append(names, r.Name)
		}
		s.keys[r.digest] = key
	}
	s.label(names)
	s.share(nil)
	return s
}

// MaxLabels is the maximum number of labels of a set.
const MaxLabels = 100

// Labels returns what requests are counted by, at the places that Key.Label says: names of keys, and "other" for all
// keys beyond. Later sets add names and keep those of earlier ones at their places.
func (s *Set) Labels() []string { return s.labels }

// label gives the keys their labels, which are the first names.
func (s *Set) label(names []string) {
	places := map[string]int{}
	s.labels = nil
	for _, name := range names {
		if _, known := places[name]; !known && len(s.labels) < MaxLabels {
			places[name] = len(s.labels)
			s.labels = append(s.labels, name)
		}
	}
	for _, key := range s.keys {
		key.label = places[key.name] // or 0, that of others
	}
}

// Offered returns the secret of the public key that expires last, for pages to offer; it is empty if none is valid at
// now.
func (s *Set) Offered(now time.Time) string {
	if uint64(now.UnixMicro()) >= s.offeredUntil {
		return ""
	}
	return s.offered
}

// Len returns the number of keys, revoked and expired ones included.
func (s *Set) Len() int { return len(s.keys) }

// Check returns the key with this secret if it is neither revoked nor expired at now; a key that expires at now has
// expired. Otherwise it returns nil and false.
//
// The key is found by its digest, so that the time says nothing about any other secret: the digests of similar secrets
// have nothing in common. Only between an unknown secret and a revoked or expired one, which nobody can guess, may it
// differ, by the nanoseconds of a lookup.
//
// It does not allocate, takes no lock and costs one SHA-256 of the secret and a lookup.
func (s *Set) Check(secret []byte, now time.Time) (*Key, bool) {
	key := s.keys[sha256.Sum256(secret)]
	if key == nil || uint64(now.UnixMicro()) >= key.until {
		return nil, false
	}
	return key, true
}

// Inherit lets each limited key share the tokens of the keys in old with the same name and rate, so that a reload does
// not refill them; likewise for the clients of public keys. Labels keep their places. It must be called before s is
// published; old may be in use, or nil.
func (s *Set) Inherit(old *Set) {
	if old == nil {
		return
	}
	if s.clients != nil && old.clients != nil {
		s.clients = old.clients
	}
	s.label(slices.Concat(old.labels, s.labels))
	s.share(old.limiters)
	for _, key := range s.keys {
		if key.clients != nil {
			key.clients = s.clients
		}
	}
}
