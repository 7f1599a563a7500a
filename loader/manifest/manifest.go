// Package manifest defines the signed and numbered file that names the snapshots a fleet of replicas serves. A
// manifest names the last published snapshot, with the time from which it is served, and the earlier ones that clients
// may still request, newest first. Replicas agree by the clock: at any time, they serve the first snapshot of the list
// whose time has come.
//
// The package decides what is valid and what follows: [Manifest.Next] adds a publication, [Manifest.Again] rolls back
// to one, and [Manifest.Plan] says what to serve, prepare and keep at a time. [Parse] and [Manifest.Render] are the
// two directions of the file; [Sign] and [Verify] use minisign, so that operators can check a signature without pubd.
// [Compress], [Index.Check] and [Index.Expand] are for stored index files. But for key files, others read and write.
// Calls share nothing and may run concurrently.
//
// Parse checks every value and rejects unknown members; the limits keep a wrong value from making a replica reserve
// memory or disk space. The name of a signature is derived from the manifest: it never lies next to that of another
// one.
package manifest

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pubd/loader/storage"
)

// Name is the file name of a manifest.
const Name = "manifest.json"

// Format is the format that this package writes, the first member of the file. It also reads firstFormat, which lacks
// the member directory.
const (
	Format      = "pubd-manifest-2"
	firstFormat = "pubd-manifest-1"
)

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
	// Directory is the identity of the directory whose snapshots these are, from [NewDirectory]. It is the same in all
	// its manifests, so that no replica takes that of another directory, whoever signed it; empty in the first format.
	Directory string
	// Snapshots are those that clients may request, newest first; at least one.
	Snapshots []Snapshot
}

// A Snapshot is one publication of a snapshot.
type Snapshot struct {
	ID string // the first 16 digits of Source
	// Source is the SHA-256 of the snapshot's source, in hexadecimal digits.
	Source      string
	Pubs        int
	PublishedAt time.Time
	// ActivateAt is when replicas begin to serve it.
	ActivateAt time.Time
	// AcceptShrink has it served no matter how many pubs it loses.
	AcceptShrink bool
	Index        Index
	// Origin is what the index was built from; nil if it was not published. A replica whose program reads another
	// format of index files, or finds the published one damaged, builds its own from it.
	Origin *Origin
}

// An Origin is the files of a snapshot, and how they are read.
type Origin struct {
	// Files are the snapshot file and, if there is one, the gazetteer.
	Files []OriginFile
	// MaxBadRows is how many wrong rows are skipped, Extra the extra columns that are kept.
	MaxBadRows int
	Extra      []string
}

// An OriginFile is a stored file. Its name determines its format.
type OriginFile struct {
	Name   string
	Stored Index // without a format
}

// An Index is a stored index file, compressed with zstd.
type Index struct {
	Key    string // file name, next to the manifest
	Size   int64
	SHA256 string
	Format int // the format version of the index file
	// Of the index file itself.
	ExpandedSize   int64
	ExpandedSHA256 string
}

// HeadSize is how many of the first bytes of a file IsManifest needs.
const HeadSize = 512

// IsManifest reports whether a file is a manifest, by its name and its first bytes.
func IsManifest(name string, head []byte) bool {
	return name == Name || bytes.HasPrefix(bytes.Join(bytes.Fields(head), nil), []byte(`{"format":"pubd-manifest-`))
}

// A wire snapshot is the JSON form of a snapshot.
type wire struct {
	Snapshot     string      `json:"snapshot"`
	Source       string      `json:"source_sha256"`
	Pubs         int         `json:"pubs"`
	PublishedAt  time.Time   `json:"published_at"`
	ActivateAt   time.Time   `json:"activate_at"`
	AcceptShrink bool        `json:"accept_shrink"`
	Index        wireIndex   `json:"index"`
	Origin       *wireOrigin `json:"origin,omitempty"`
}

type wireOrigin struct {
	Files      []wireFile `json:"files"`
	MaxBadRows int        `json:"max_bad_rows"`
	Extra      []string   `json:"extra"`
}

type wireFile struct {
	Name string `json:"name"`
	wireIndex
}

type wireIndex struct {
	Key            string `json:"key"`
	Size           int64  `json:"size"`
	SHA256         string `json:"sha256"`
	Format         int    `json:"format,omitzero"`
	ExpandedSize   int64  `json:"expanded_size"`
	ExpandedSHA256 string `json:"expanded_sha256"`
}

func toWire(s Snapshot) wire {
	w := wire{s.ID, s.Source, s.Pubs, s.PublishedAt.UTC(), s.ActivateAt.UTC(), s.AcceptShrink, wireIndex(s.Index), nil}
	if o := s.Origin; o != nil {
		w.Origin = &wireOrigin{MaxBadRows: o.MaxBadRows, Extra: append([]string{}, o.Extra...)}
		for _, file := range o.Files {
			w.Origin.Files = append(w.Origin.Files, wireFile{file.Name, wireIndex(file.Stored)})
		}
	}
	return w
}

// Render returns the content of a manifest file, which Parse reads.
func (m *Manifest) Render() []byte {
	kept := []wire{}
	for _, s := range m.Snapshots[1:] {
		kept = append(kept, toWire(s))
	}
	format := Format
	if m.Directory == "" {
		format = firstFormat
	}
	content, err := json.Marshal(struct {
		Format    string `json:"format"`
		Sequence  uint64 `json:"sequence"`
		Directory string `json:"directory,omitzero"`
		wire
		Kept []wire `json:"kept"`
	}{format, m.Sequence, m.Directory, toWire(m.Snapshots[0]), kept}, jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // a time beyond the year 9999
	}
	return append(content, '\n')
}

// Parse reads a manifest and checks every value; errors name the field, such as kept[0].index.size.
func Parse(content []byte) (*Manifest, error) {
	if len(content) > MaxSize {
		return nil, fmt.Errorf("is larger than %d bytes, which is the limit", MaxSize)
	}
	top, err := membersOf("", content)
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	var kept []jsontext.Value
	format := ""
	// The format determines the meaning of the others.
	rule := fmt.Sprintf("must be %q or %q: another version of pubd reads it", Format, firstFormat)
	if err := top.take("format", text(&format, rule, func(s string) bool { return s == Format || s == firstFormat })); err != nil {
		return nil, err
	}
	if err := top.take("sequence", number(&m.Sequence, 1, maxSequence)); err != nil {
		return nil, err
	}
	if format == Format {
		if err := top.take("directory", hexadecimal(&m.Directory, 32)); err != nil {
			return nil, err
		}
	}
	if err := top.take("kept", list(&kept, "snapshots")); err != nil {
		return nil, err
	}
	first, err := top.snapshot()
	if err != nil {
		return nil, err
	}
	m.Snapshots = append(m.Snapshots, first)
	for i, value := range kept {
		members, err := membersOf(fmt.Sprintf("kept[%d].", i), value)
		if err != nil {
			return nil, err
		}
		s, err := members.snapshot()
		if err != nil {
			return nil, err
		}
		m.Snapshots = append(m.Snapshots, s)
	}
	return m, nil
}

// members are the members of an object that have not been read yet; name is empty or ends in a dot.
type members struct {
	name   string
	values map[string]jsontext.Value
}

func membersOf(name string, content []byte) (members, error) {
	m := members{name: name}
	is := strings.TrimSuffix(name, ".")
	if is == "" {
		is = "the manifest"
	}
	err := json.Unmarshal(content, &m.values)
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return m, fmt.Errorf("%s%s: must be there once", name, fieldAt(syntax.JSONPointer))
	case errors.As(err, &syntax):
		return m, fmt.Errorf("%s: must be valid JSON: %w", is, syntax.Err)
	case err != nil || m.values == nil:
		return m, fmt.Errorf("%s: must be one JSON object", is)
	}
	return m, nil
}

// fieldAt returns the name of a field, such as kept[0].index.size.
func fieldAt(pointer jsontext.Pointer) string {
	var field strings.Builder
	for token := range pointer.Tokens() {
		switch _, err := strconv.Atoi(token); {
		case err == nil:
			fmt.Fprintf(&field, "[%s]", token)
		case field.Len() > 0:
			field.WriteString("." + token)
		default:
			field.WriteString(token)
		}
	}
	return field.String()
}

// take reads a member, which must be present.
func (m members) take(field string, read func(value jsontext.Value) error) error {
	value, there := m.values[field]
	if !there {
		return fmt.Errorf("%s%s: is missing", m.name, field)
	}
	delete(m.values, field)
	if err := read(value); err != nil {
		return fmt.Errorf("%s%s %s: %w", m.name, field, shown(value), err)
	}
	return nil
}

// rest returns an error if any member has not been read: it names the first in alphabetical order.
func (m members) rest() error {
	if len(m.values) > 0 {
		return fmt.Errorf("%s%s: is not known", m.name, slices.Min(slices.Collect(maps.Keys(m.values))))
	}
	return nil
}

func shown(value jsontext.Value) string {
	const most = 80
	if len(value) > most {
		return strings.ToValidUTF8(string(value[:most]), "") + "…"
	}
	return string(value)
}

func (m members) snapshot() (s Snapshot, err error) {
	var index jsontext.Value
	for _, member := range []struct {
		field string
		read  func(jsontext.Value) error
	}{
		{"source_sha256", hexadecimal(&s.Source, 64)},
		{"snapshot", text(&s.ID, "must be the first 16 digits of source_sha256", func(id string) bool { return id == s.Source[:16] })},
		{"pubs", number(&s.Pubs, 1, maxPubs)},
		{"published_at", moment(&s.PublishedAt)},
		{"activate_at", moment(&s.ActivateAt)},
		{"accept_shrink", boolean(&s.AcceptShrink)},
		{"index", func(value jsontext.Value) error { index = value; return nil }},
	} {
		if err := m.take(member.field, member.read); err != nil {
			return s, err
		}
	}
	if s.ActivateAt.Before(s.PublishedAt) || s.ActivateAt.After(s.PublishedAt.Add(MaxAhead)) {
		return s, fmt.Errorf("%sactivate_at %s: must be from published_at, %s, to 31 days later", m.name, s.ActivateAt.Format(time.RFC3339Nano), s.PublishedAt.Format(time.RFC3339Nano))
	}
	origin, hasOrigin := m.values["origin"]
	delete(m.values, "origin")
	if err := m.rest(); err != nil {
		return s, err
	}
	file, err := membersOf(m.name+"index.", index)
	if err != nil {
		return s, err
	}
	if err := file.stored(&s.Index, Extension); err != nil {
		return s, err
	}
	if err := file.take("format", number(&s.Index.Format, 1, 1<<20)); err != nil {
		return s, err
	}
	if err := file.rest(); err != nil || !hasOrigin {
		return s, err
	}
	s.Origin, err = readOrigin(m.name+"origin.", origin)
	return s, err
}

// stored reads what every stored file has.
func (m members) stored(i *Index, extension string) error {
	for _, member := range []struct {
		field string
		read  func(jsontext.Value) error
	}{
		{"key", text(&i.Key, "must be the name of a file beside the manifest, ending in "+extension,
			func(key string) bool { return storage.CheckName(key) == nil && strings.HasSuffix(key, extension) })},
		{"size", number(&i.Size, 1, maxIndex)},
		{"sha256", hexadecimal(&i.SHA256, 64)},
		{"expanded_size", number(&i.ExpandedSize, 1, maxIndex)},
		{"expanded_sha256", hexadecimal(&i.ExpandedSHA256, 64)},
	} {
		if err := m.take(member.field, member.read); err != nil {
			return err
		}
	}
	return nil
}

// readOrigin reads an origin.
func readOrigin(name string, value jsontext.Value) (*Origin, error) {
	m, err := membersOf(name, value)
	if err != nil {
		return nil, err
	}
	o := new(Origin)
	var files, extra []jsontext.Value
	for _, member := range []struct {
		field string
		read  func(jsontext.Value) error
	}{{"files", list(&files, "files")}, {"max_bad_rows", number(&o.MaxBadRows, 0, maxPubs)}, {"extra", list(&extra, "columns")}} {
		if err := m.take(member.field, member.read); err != nil {
			return nil, err
		}
	}
	if len(files) < 1 || len(files) > 2 {
		return nil, fmt.Errorf("%sfiles: must be one file, or two with a gazetteer", name)
	}
	for i, value := range extra {
		var column string
		if err := text(&column, "must be the name of a column", func(s string) bool { return s != "" })(value); err != nil {
			return nil, fmt.Errorf("%sextra[%d] %s: %w", name, i, shown(value), err)
		}
		o.Extra = append(o.Extra, column)
	}
	for i, value := range files {
		m, err := membersOf(fmt.Sprintf("%sfiles[%d].", name, i), value)
		if err != nil {
			return nil, err
		}
		var file OriginFile
		isName := func(s string) bool { return storage.CheckName(s) == nil }
		if err := m.take("name", text(&file.Name, "must be the name of a file", isName)); err != nil {
			return nil, err
		}
		if err := m.stored(&file.Stored, OriginExtension); err != nil {
			return nil, err
		}
		if err := m.rest(); err != nil {
			return nil, err
		}
		o.Files = append(o.Files, file)
	}
	return o, m.rest()
}

// Extension is the file name extension of stored index files, OriginExtension that of the files they were built from.
const (
	Extension       = ".idx.zst"
	OriginExtension = ".src.zst"
)

func text(to *string, rule string, allowed func(string) bool) func(jsontext.Value) error {
	return func(value jsontext.Value) error {
		if value[0] != '"' || json.Unmarshal(value, to) != nil || !allowed(*to) {
			return fmt.Errorf("%s", rule)
		}
		return nil
	}
}

// hexadecimal reads a number of hexadecimal digits.
func hexadecimal(to *string, digits int) func(jsontext.Value) error {
	return text(to, fmt.Sprintf("must be %d hexadecimal digits in lower case", digits), func(s string) bool {
		_, err := hex.DecodeString(s)
		return err == nil && len(s) == digits && s == strings.ToLower(s)
	})
}

func number[T uint64 | int64 | int](to *T, least, most int64) func(jsontext.Value) error {
	return func(value jsontext.Value) error {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < least || n > most {
			return fmt.Errorf("must be an integer from %d to %d", least, most)
		}
		*to = T(n)
		return nil
	}
}

func boolean(to *bool) func(jsontext.Value) error {
	return func(value jsontext.Value) error {
		if *to = string(value) == "true"; !*to && string(value) != "false" {
			return fmt.Errorf("must be true or false")
		}
		return nil
	}
}

func moment(to *time.Time) func(jsontext.Value) error {
	return func(value jsontext.Value) error {
		err := json.Unmarshal(value, to)
		if *to = to.UTC(); err != nil || value[0] != '"' || to.Year() < 2000 || to.Year() > 9999 {
			return fmt.Errorf("must be a time such as \"2027-01-31T12:00:00Z\"")
		}
		return nil
	}
}

func list(to *[]jsontext.Value, of string) func(jsontext.Value) error {
	return func(value jsontext.Value) error {
		if value[0] != '[' || json.Unmarshal(value, to) != nil || len(*to) > MaxKept {
			return fmt.Errorf("must be a list of at most %d %s", MaxKept, of)
		}
		return nil
	}
}
