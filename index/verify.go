package index

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"pubd/geo"
	"pubd/index/schema"
	"pubd/index/text"
)

// Verify queries a new snapshot for some of its own pubs, and returns an error for the first that it does not find by
// UID, by name or by coordinates. It is the last check before a snapshot is served, and takes some milliseconds. It
// may detect invalid content with correct checksums that Open does not.
func (s *Snapshot) Verify() (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a file mapped in place may be truncated meanwhile
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("snapshot %s is inconsistent: %v", s.ID(), cause)
		}
	}()
	const samples = 64
	var w Workspace
	for i := range min(samples, s.Len()) {
		ordinal := uint32(i * s.Len() / min(samples, s.Len()))
		pub := s.Pub(ordinal)
		if found, ok := s.Lookup([]byte(pub.UID)); !ok || found != ordinal {
			return fmt.Errorf("snapshot does not find the pub of UID %q", pub.UID)
		}
		name := text.AppendFolded(nil, []byte(pub.Name))
		found := s.Search(&Query{Text: name, Strict: true}, &w)
		if len(bytes.TrimSpace(name)) > 0 && !slices.Contains(found.Pubs, ordinal) {
			return fmt.Errorf("snapshot does not find UID %q by its name %q", pub.UID, pub.Name)
		}
		if !schema.IsPresent(pub.Latitude) {
			continue
		}
		circle := geo.NewCircle(geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}, 0)
		found = s.Search(&Query{All: true, Circle: &circle, Sort: schema.SortDistance}, &w)
		if !slices.Contains(found.Pubs, ordinal) {
			return fmt.Errorf("snapshot does not find UID %q by its place", pub.UID)
		}
	}
	if found := s.Search(&Query{All: true, Amount: 1}, &w); found.Total != s.Len() {
		return fmt.Errorf("snapshot finds %d of its %d pubs", found.Total, s.Len())
	}
	return nil
}

// WasChanged reports whether the file that the snapshot is mapped from may have other content than at the last call, or
// than when it was opened, see [indexfile.Mapping.WasChanged]. It takes a microsecond, and must not be called
// concurrently.
func (s *Snapshot) WasChanged() bool { return s.mapping.WasChanged() }

// IsOverwritten reports whether what was just read from the snapshot may be of another file: anyone has written to the
// one that it is mapped from in place since it was opened, or last found intact.
func (s *Snapshot) IsOverwritten() bool { return s.mapping.IsOverwritten() }

// Intact returns an error if what the snapshot answers from has no longer the checksums of its file, as after a change
// of a file that is mapped in place. It reads the whole index, at some 10 GB/s.
func (s *Snapshot) Intact() error {
	err := s.mapping.Check(s.file.Verify)
	runtime.KeepAlive(s)
	return err
}
