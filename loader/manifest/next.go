package manifest

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// newDirectory returns a random identity of a directory.
func newDirectory() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return hex.EncodeToString(random)
}

// Next returns the manifest that follows m, of the same directory, and publishes s. m is nil for the first one. It
// keeps up to keep of the earlier snapshots, but none that s replaces before it is served. If s was published before,
// the publications since then and that one are kept, too: they say what s withdraws.
func (m *Manifest) Next(s Snapshot, keep int) *Manifest {
	if m == nil {
		return &Manifest{Sequence: 1, Directory: newDirectory(), Snapshots: []Snapshot{s}}
	}
	next := &Manifest{Sequence: m.Sequence + 1, Directory: m.Directory, Snapshots: []Snapshot{s}}
	keep = max(keep, 1+slices.IndexFunc(m.Snapshots, func(earlier Snapshot) bool { return earlier.Source == s.Source }))
	for _, earlier := range m.Snapshots {
		if len(next.Snapshots) <= min(keep, MaxKept) && earlier.ActivateAt.Before(s.ActivateAt) {
			next.Snapshots = append(next.Snapshots, earlier)
		}
	}
	return next
}

// Again returns a new publication of a snapshot in the manifest, to roll back to it. It is served no matter how many
// pubs it loses.
func (m *Manifest) Again(id string, publishedAt, activateAt time.Time) (Snapshot, error) {
	var known []string
	for _, s := range m.Snapshots {
		if s.ID == id {
			s.PublishedAt, s.ActivateAt, s.AcceptShrink = publishedAt, activateAt, true
			return s, nil
		}
		known = append(known, s.ID)
	}
	return Snapshot{}, fmt.Errorf("snapshot %q: must be one that the manifest names: %s", id, strings.Join(known, ", "))
}

// Files returns the names of the files that the manifest needs, besides itself and its signature.
func (m *Manifest) Files() map[string]bool {
	names := map[string]bool{}
	for _, s := range m.Snapshots {
		for _, file := range s.files() {
			names[file.Key] = true
		}
	}
	return names
}

// files returns the stored files of a snapshot, the index file last.
func (s *Snapshot) files() (files []Index) {
	if s.Origin != nil {
		for _, file := range s.Origin.Files {
			files = append(files, file.Stored)
		}
	}
	return append(files, s.Index)
}
