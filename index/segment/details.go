package segment

import (
	"strings"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/schema"
)

// Details are the members of a pub that answers have only on request: the columns on request, and its extra columns.
// Those of a pub are JSON strings, or nothing for a missing one, separated by commas; commas at the end are left out.
type Details struct {
	Extra  []schema.ExtraColumn
	has    []uint32 // one: bits of the columns that any pub has
	arena  []byte
	starts offsets // where the details of each pub begin in arena
}

// WriteDetails writes the details of pubs with the given extra columns.
func WriteDetails(w *indexfile.Writer, pubs *corpus.Rows, columns []schema.ExtraColumn) {
	starts, has := make([]uint64, 1, pubs.Len()+1), uint32(0)
	var pub schema.Pub
	var extra []string
	addInPieces(w, "details.json", pubs.Len(), func(piece []byte, i int) []byte {
		pubs.Get(i, &pub)
		extra = pubs.Extra(i, extra)
		pub.Extra = extra
		for column := schema.PreparedColumns; column < schema.ColumnCount; column++ {
			if schema.Columns[column].Has(&pub) {
				has |= 1 << column
			}
		}
		before := len(piece)
		piece = appendDetails(piece, &pub, len(columns))
		starts = append(starts, starts[i]+uint64(len(piece)-before))
		return piece
	})
	written := newOffsets(starts)
	written.code(indexfile.Writing(w), "details.starts", len(starts), nil)
	indexfile.Put(w, "details.has", []uint32{has})
	var names []byte
	for _, column := range columns {
		names = append(append(names, column...), '\n')
	}
	w.Add("details.names", names)
}

func appendDetails(dst []byte, pub *schema.Pub, extra int) []byte {
	end := len(dst) // of the last detail that is not missing
	add := func(value string) {
		if value != "" {
			dst = schema.AppendString(dst, indexfile.BytesOf(value))
			end = len(dst)
		}
		dst = append(dst, ',')
	}
	for i := schema.PreparedColumns; i < schema.ColumnCount; i++ {
		add(*schema.Columns[i].Text(pub))
	}
	if pub.Extra != nil {
		for _, value := range pub.Extra[:extra] {
			add(value)
		}
	}
	return dst[:end]
}

// Has reports whether any pub has a column on request.
func (d *Details) Has(column int) bool { return d.has[0]>>column&1 == 1 }

// At returns the details of a pub.
func (d *Details) At(ordinal uint32) []byte {
	return d.arena[d.starts.at(ordinal):d.starts.at(ordinal+1)]
}

// CutDetail returns the first of some details, a JSON string or nil if it is missing, and the rest.
func CutDetail(details []byte) (first, rest []byte) {
	end := 0
	if len(details) > 0 && details[0] == '"' {
		for end = 1; details[end] != '"'; end++ {
			if details[end] == '\\' { // and the escaped character
				end++
			}
		}
		end++
		first = details[:end]
	}
	return first, details[min(end+1, len(details)):]
}

// Texts returns the columns on request of a pub, JSON-escaped; nil for a missing one.
func (d *Details) Texts(ordinal uint32) (texts [schema.ColumnCount - schema.PreparedColumns][]byte) {
	rest := d.At(ordinal)
	for i := 0; len(rest) > 0 && i < len(texts); i++ {
		var text []byte
		if text, rest = CutDetail(rest); text != nil {
			texts[i] = text[1 : len(text)-1]
		}
	}
	return texts
}

// Decode sets the details of a pub.
func (d *Details) Decode(ordinal uint32, pub *schema.Pub) {
	rest := d.At(ordinal)
	next := func() (text string) {
		var value []byte
		if value, rest = CutDetail(rest); value != nil {
			text = string(schema.AppendUnescaped(nil, value[1:len(value)-1]))
		}
		return text
	}
	for i := schema.PreparedColumns; i < schema.ColumnCount; i++ {
		*schema.Columns[i].Text(pub) = next()
	}
	extra := make([]string, len(d.Extra))
	for i := range extra {
		if extra[i] = next(); extra[i] != "" {
			pub.Extra = extra
		}
	}
}

func readDetails(r *indexfile.Reader, size int) Details {
	var d Details
	for name := range strings.Lines(string(indexfile.Take[byte](r, "details.names"))) {
		d.Extra = append(d.Extra, schema.ExtraColumn(strings.TrimSuffix(name, "\n")))
	}
	r.Check(len(d.Extra) <= schema.MaxExtra, "details.names", "it has too many")
	d.has = indexfile.TakeN[uint32](r, "details.has", 1)
	d.arena = indexfile.Take[byte](r, "details.json")
	d.starts.code(indexfile.Reading(r), "details.starts", size+1, func(last uint64) bool { return last == uint64(len(d.arena)) })
	return d
}
