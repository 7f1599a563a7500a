package index

import (
	"strings"

	"pubd/index/indexfile"
)

// details are the members of a pub that answers have only on request: the columns on request, and its extra columns.
// Those of a pub are JSON strings, or null for a missing one, separated by commas; they are empty if all are missing.
type details struct {
	names []string // of the extra columns
	arena []byte
	// starts has where the details of each pub begin in arena; it is empty if no pub has any.
	starts offsets
}

// writeDetails writes the details of pubs with the given extra columns.
func writeDetails(w *indexfile.Writer, pubs *Rows, names []string) {
	starts := offsets{lower: make([]uint32, 0, pubs.Len()+1)}
	end := uint64(0)
	var pub Pub
	var extra []string
	addInPieces(w, "details.json", pubs.Len(), func(piece []byte, i int) []byte {
		starts.append(end)
		pubs.Get(i, &pub)
		extra = pubs.extraOf(i, extra)
		pub.Extra = extra
		before := len(piece)
		piece = appendDetails(piece, &pub, len(names))
		end += uint64(len(piece) - before)
		return piece
	})
	if starts.append(end); end == 0 {
		starts = offsets{}
	}
	starts.code(indexfile.Writing(w), "details.starts", 0, 0, 0)
	w.Add("details.names", []byte(strings.Join(names, "\n")))
}

func appendDetails(dst []byte, pub *Pub, extra int) []byte {
	present := pub.Extra != nil
	for i := PreparedColumns; i < ColumnCount && !present; i++ {
		present = *Columns[i].Text(pub) != ""
	}
	if !present {
		return dst
	}
	for i := PreparedColumns; i < ColumnCount; i++ {
		dst = append(appendOptional(dst, *Columns[i].Text(pub)), ',')
	}
	for i := range extra {
		value := ""
		if pub.Extra != nil {
			value = pub.Extra[i]
		}
		dst = append(appendOptional(dst, value), ',')
	}
	return dst[:len(dst)-1]
}

// at returns the details of a pub.
func (d *details) at(ordinal uint32) []byte {
	if len(d.starts.lower) == 0 {
		return nil
	}
	return d.arena[d.starts.at(ordinal):d.starts.at(ordinal+1)]
}

// texts returns the columns on request of a pub, JSON-escaped; nil for a missing one.
func (d *details) texts(ordinal uint32) (texts [ColumnCount - PreparedColumns][]byte) {
	if rest := d.at(ordinal); len(rest) > 0 {
		before := ""
		for i := range texts {
			texts[i], rest = cutString(rest, before)
			before = ","
		}
	}
	return texts
}

// decode sets the details of a pub.
func (d *details) decode(ordinal uint32, pub *Pub) {
	rest := d.at(ordinal)
	if len(rest) == 0 {
		return
	}
	before := ""
	next := func() string {
		var text []byte
		text, rest = cutString(rest, before)
		before = ","
		return string(AppendUnescaped(nil, text))
	}
	for i := PreparedColumns; i < ColumnCount; i++ {
		*Columns[i].Text(pub) = next()
	}
	extra := make([]string, len(d.names))
	for i := range extra {
		if extra[i] = next(); extra[i] != "" {
			pub.Extra = extra
		}
	}
}

func readDetails(r *indexfile.Reader, size int) details {
	var d details
	if names := string(indexfile.Take[byte](r, "details.names")); names != "" {
		d.names = strings.Split(names, "\n")
		r.Check(len(d.names) <= MaxExtra, "details.names", "it has too many")
	}
	d.arena = indexfile.Take[byte](r, "details.json")
	if lower := indexfile.Take[uint32](r, "details.starts"); len(lower)+len(d.arena) > 0 {
		d.starts.code(indexfile.Reading(r), "details.starts", size+1, uint64(len(d.arena)), 0)
	}
	return d
}
