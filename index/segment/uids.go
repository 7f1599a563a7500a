package segment

import (
	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/text"
)

const uidSlots = "pubs.uids"

// WriteUIDs writes the slots that find pubs by UID.
func WriteUIDs(file *indexfile.Writer, pubs *corpus.Rows) {
	slots := text.NewSlots(pubs.Len(), func(ordinal uint32) []byte { return indexfile.BytesOf(pubs.UID(int(ordinal))) })
	slots.Code(indexfile.Writing(file), uidSlots, pubs.Len())
}

// Lookup returns the ordinal of a UID, compared byte for byte.
func (s *Segment) Lookup(uid []byte) (ordinal uint32, ok bool) {
	return s.UIDs.Find(text.Hash(uid), func(ordinal uint32) bool { return s.Pubs.hasUID(ordinal, uid) })
}
