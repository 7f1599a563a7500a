package index

import (
	"bytes"
	"fmt"
	"slices"

	"pubd/geo"
)

// Verify asks a new snapshot about some of its own pubs, and tells the first that it does not find by UID, by name or
// by place. It is the last look before a snapshot is served; it takes some milliseconds.
func (s *Snapshot) Verify() error {
	const asked = 64
	var a Answer
	for i := range min(asked, len(s.pubs)) {
		ordinal := uint32(i * len(s.pubs) / min(asked, len(s.pubs)))
		pub := s.Pub(ordinal)
		if found, ok := s.Lookup([]byte(pub.UID)); !ok || found != ordinal {
			return fmt.Errorf("snapshot does not find the pub of UID %q", pub.UID)
		}
		name := AppendFolded(nil, []byte(pub.Name))
		s.Search(&Query{Text: name, Strict: true}, &a)
		if len(bytes.TrimSpace(name)) > 0 && !slices.Contains(a.Pubs, ordinal) {
			return fmt.Errorf("snapshot does not find UID %q by its name %q", pub.UID, pub.Name)
		}
		if !isPresent(pub.Latitude) {
			continue
		}
		circle := geo.NewCircle(geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}, 0)
		s.Search(&Query{All: true, Circle: &circle, Sort: SortDistance}, &a)
		if !slices.Contains(a.Pubs, ordinal) {
			return fmt.Errorf("snapshot does not find UID %q by its place", pub.UID)
		}
	}
	if s.Search(&Query{All: true, Amount: 1}, &a); a.Total != len(s.pubs) {
		return fmt.Errorf("snapshot finds %d of its %d pubs", a.Total, len(s.pubs))
	}
	return nil
}
