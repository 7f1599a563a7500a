// Package manifest defines the signed and numbered file that names the snapshots a fleet of replicas serves. A
// manifest names the last published snapshot, with the time from which it is served, and the earlier ones that clients
// may still request, newest first. Replicas agree by the clock: at any time, they serve the first snapshot of the list
// whose time has come.
//
// The package decides what is valid and what follows: [Manifest.Next] adds a publication, [Manifest.Again] rolls back
// to one, and [Manifest.Plan] says what to serve, prepare and keep at a time. [Parse] and [Manifest.Render] are the
// two directions of the file; [Sign] and [Verify] use minisign, so that operators can check a signature without pubd.
// [Compress], [Index.Check] and [Index.Expand] are for stored index files. A [Publisher] writes them to a folder, and
// the manifest last. But for key files, others read. Calls share nothing and may run concurrently.
//
// Parse checks every value and rejects unknown members; the limits keep a wrong value from making a replica reserve
// memory or disk space. The name of a signature is derived from the manifest: it never lies next to that of another
// one.
package manifest

import (
	"bytes"
	"slices"
	"time"

	"pubd/index/schema"
)

// Name is the file name of a manifest.
const Name = "manifest.json"

// Format is the first member of the file.
const Format = "pubd-manifest-2"

// MaxSize is the maximum size of a manifest, in bytes.
const MaxSize = 1 << 20

// MaxKept is the maximum number of earlier snapshots in a manifest.
const MaxKept = 64

// The maximum values in a manifest, far beyond real ones: a wrong value must not make a replica reserve memory or disk
// space.
const (
	maxSequence = 1 << 53
	maxPubs     = 1 << 31
	maxIndex    = 1 << 40
)

// MaxAhead is how long before its activation a snapshot may be published.
const MaxAhead = 31 * 24 * time.Hour

// A Manifest says what is served, and from when.
type Manifest struct {
	// Sequence is greater than in every earlier manifest.
	Sequence uint64
	// Directory is the identity of the directory whose snapshots these are, which [Manifest.Next] makes. It is the
	// same in all its manifests, so that no replica takes that of another directory, whoever signed it.
	Directory string
	// Snapshots are those that clients may request, newest first; at least one.
	Snapshots []Snapshot
}

// A Snapshot is one publication of a snapshot. Times are in UTC.
type Snapshot struct {
	ID string `json:"snapshot"` // the first 16 digits of Source
	// Source is the SHA-256 of the snapshot's source, in hexadecimal digits.
	Source      string    `json:"source_sha256"`
	Pubs        int       `json:"pubs"`
	PublishedAt time.Time `json:"published_at"`
	// ActivateAt is when replicas begin to serve it.
	ActivateAt time.Time `json:"activate_at"`
	// AcceptShrink has it served no matter how many pubs it loses.
	AcceptShrink bool  `json:"accept_shrink"`
	Index        Index `json:"index"`
	// Origin is what the index was built from; nil if it was not published. A replica whose program reads another
	// format of index files, or finds the published one damaged, builds its own from it.
	Origin *Origin `json:"origin,omitempty"`
}

// An Origin is the files of a snapshot, and how they are read.
type Origin struct {
	// Files are the snapshot file and, if there is one, the gazetteer.
	Files []OriginFile `json:"files"`
	// MaxBadRows is how many wrong rows are skipped, Extra the extra columns that are kept.
	MaxBadRows int                  `json:"max_bad_rows"`
	Extra      []schema.ExtraColumn `json:"extra"`
}

// isSame reports whether another one, which may be nil, has the same files and has them read in the same way.
func (o *Origin) isSame(other *Origin) bool {
	return other != nil && o.MaxBadRows == other.MaxBadRows && slices.Equal(o.Files, other.Files) &&
		slices.Equal(o.Extra, other.Extra)
}

// An OriginFile is a stored file. Its name determines its format.
type OriginFile struct {
	Name   string `json:"name"`
	Stored Index  `json:",embed"` // without a format
}

// An Index is a stored index file, compressed with zstd.
type Index struct {
	Key    string `json:"key"` // file name, next to the manifest
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Format int    `json:"format,omitzero"` // the format version of the index file
	// Of the index file itself.
	ExpandedSize   int64  `json:"expanded_size"`
	ExpandedSHA256 string `json:"expanded_sha256"`
}

// HeadSize is how many of the first bytes of a file IsManifest needs.
const HeadSize = 512

// IsManifest reports whether a file is a manifest, by its name and its first bytes.
func IsManifest(name string, head []byte) bool {
	return name == Name || bytes.HasPrefix(bytes.Join(bytes.Fields(head), nil), []byte(`{"format":"pubd-manifest-`))
}

// Extension is the file name extension of stored index files, OriginExtension that of the files they were built from.
const (
	Extension       = ".idx.zst"
	OriginExtension = ".src.zst"
)
