package corpus

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
	"strings"

	"pubd/index/indexfile"
	"pubd/index/schema"
	"pubd/index/spool"
	"pubd/index/text"
)

// Rows is the pubs of a directory while its index is built, some 230 bytes each, outside of the Go heap. Their UIDs are
// distinct. One goroutine adds them, many may read them; Close frees the memory.
type Rows struct {
	Space *spool.Space
	extra int // number of extra columns
	rows  *spool.Array[flatRow]
	texts *spool.Array[byte]
	uids  *text.Table // finds rows by UID; nobody can choose UIDs with the same hash
	seed  maphash.Seed
}

// flatRow is a pub without its texts, which lie one after the other in texts: those of the columns, in their order,
// then the values of the extra columns, each after its length.
type flatRow struct {
	latitude, longitude float64
	ratings             schema.Ratings
	reviews             int64
	line                uint64
	start               uint64
	lengths             [(textColumns + 2) &^ 1]uint32 // an even number, so that there is no padding
}

// textColumns is the number of texts: of all columns but the numbers that a flatRow has.
const textColumns = schema.ColumnCount - schema.MetricCount - 3

// end returns where the first texts of a row end.
func (f *flatRow) end(texts int) uint64 {
	end := f.start
	for _, length := range f.lengths[:texts] {
		end += uint64(length)
	}
	return end
}

// The numbers of texts in columnsOfText.
const (
	textUID      = 0
	textName     = 1
	textLocation = 2
)

// columnsOfText are the positions of the texts in [Columns].
var columnsOfText = func() (list []int) {
	for i := range schema.Columns {
		if schema.Columns[i].Kind == schema.Text {
			list = append(list, i)
		}
	}
	return list
}()

// NewRows returns no rows, with a number of extra columns. They, and what is built of them, take some bytes of memory,
// and beyond them a file without a name in a folder. If folder is empty they may not take more; 0 is no limit then.
func NewRows(extra int, folder string, memory int64) *Rows {
	space := spool.InFolder(folder, memory)
	if folder == "" && memory == 0 {
		space = spool.InMemory()
	}
	r := &Rows{Space: space, extra: extra, rows: spool.New[flatRow](space), texts: spool.New[byte](space)}
	r.seed = maphash.MakeSeed()
	r.uids = text.NewTable(space, func(row uint32) uint64 { return maphash.String(r.seed, r.UID(int(row))) })
	return r
}

// Close frees the memory. It may be called more than once.
func (r *Rows) Close() { r.Space.Close() }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.rows.Len() }

// Line returns the line that was given with a row.
func (r *Rows) Line(row int) int { return int(r.rows.Values()[row].line) }

// Add adds a pub, whose texts it copies, and the line of a file where it is. If a row has the UID already, it adds
// nothing and returns that row; otherwise ok is set. Without memory it panics, which [spool.Catch] turns into an error.
func (r *Rows) Add(pub *schema.Pub, line int) (first int, ok bool) {
	row, isNew := r.uids.FindOrAdd(maphash.String(r.seed, pub.UID), func(row uint32) bool {
		return r.UID(int(row)) == pub.UID
	})
	if isNew {
		r.add(pub, line)
	}
	return int(row), isNew
}

// add adds a pub whose UID no row has.
func (r *Rows) add(pub *schema.Pub, line int) {
	if r.Len() == math.MaxInt32 {
		panic(spool.Full{Err: errors.New("more than 2^31 - 1 pubs")})
	}
	row := flatRow{latitude: pub.Latitude, longitude: pub.Longitude, ratings: pub.Ratings, reviews: pub.ReviewCount, line: uint64(line), start: uint64(r.texts.Len())}
	for i, column := range columnsOfText {
		text := *schema.Columns[column].Text(pub)
		row.lengths[i] = uint32(len(text))
		r.texts.Append(indexfile.BytesOf(text)...)
	}
	if pub.Extra != nil {
		before := r.texts.Len()
		for _, value := range pub.Extra[:r.extra] {
			var length [4]byte
			binary.LittleEndian.PutUint32(length[:], uint32(len(value)))
			r.texts.Append(length[:]...)
			r.texts.Append(indexfile.BytesOf(value)...)
		}
		row.lengths[textColumns] = uint32(r.texts.Len() - before)
	}
	r.rows.Append(row)
}

// UID, Name and Location return texts of a row, in the memory of the rows.
func (r *Rows) UID(row int) string      { return r.text(row, textUID) }
func (r *Rows) Name(row int) string     { return r.text(row, textName) }
func (r *Rows) Location(row int) string { return r.text(row, textLocation) }

// text returns the text of a row with a number in columnsOfText.
func (r *Rows) text(row, number int) string {
	flat := &r.rows.Values()[row]
	start := flat.end(number)
	return indexfile.StringOf(r.texts.Values()[start : start+uint64(flat.lengths[number])])
}

// Get sets pub to a row, without the values of extra columns, and returns it. Its texts are in the memory of the rows.
func (r *Rows) Get(row int, pub *schema.Pub) *schema.Pub {
	flat := &r.rows.Values()[row]
	texts := indexfile.StringOf(r.texts.Values()[flat.start:])
	*pub = schema.Pub{Latitude: flat.latitude, Longitude: flat.longitude, Ratings: flat.ratings, ReviewCount: flat.reviews}
	for i, column := range columnsOfText {
		text := schema.Columns[column].Text(pub)
		*text, texts = texts[:flat.lengths[i]], texts[flat.lengths[i]:]
	}
	return pub
}

// Extra returns the values of the extra columns of a row, in dst and the memory of the rows; nil if it has none.
func (r *Rows) Extra(row int, dst []string) []string {
	flat := &r.rows.Values()[row]
	if flat.lengths[textColumns] == 0 {
		return nil
	}
	rest := r.texts.Values()[flat.end(textColumns):]
	dst = dst[:0]
	for range r.extra {
		length := binary.LittleEndian.Uint32(rest)
		dst, rest = append(dst, indexfile.StringOf(rest[4:4+length])), rest[4+length:]
	}
	return dst
}

// Rate lets rate change the ratings of each row, in order, and removes the rows for which it returns false. No row may
// be added afterwards.
func (r *Rows) Rate(rate func(row int, ratings *schema.Ratings, reviews int64) (keep bool)) {
	rows := r.rows.Values()
	kept := 0
	for i := range rows {
		if rate(i, &rows[i].ratings, rows[i].reviews) {
			rows[kept] = rows[i]
			kept++
		}
	}
	r.rows.Truncate(kept)
	r.uids.Release()
}

// Pubs returns copies of all rows, in the heap, and closes the rows.
func (r *Rows) Pubs() []schema.Pub {
	defer r.Close()
	pubs := make([]schema.Pub, r.Len())
	var extra []string
	for i := range pubs {
		pub := r.Get(i, &pubs[i])
		for _, column := range columnsOfText {
			text := schema.Columns[column].Text(pub)
			*text = strings.Clone(*text)
		}
		if extra = r.Extra(i, extra); extra != nil {
			pub.Extra = make([]string, len(extra))
			for j, value := range extra {
				pub.Extra[j] = strings.Clone(value)
			}
		}
	}
	return pubs
}

// InOrder returns the rows in another order, and releases the memory of these.
func (r *Rows) InOrder(order []uint32, workers int) *Rows {
	sorted := &Rows{Space: r.Space, extra: r.extra, rows: spool.New[flatRow](r.Space), texts: spool.New[byte](r.Space), uids: r.uids}
	rows, texts := r.rows.Values(), r.texts.Values()
	copied := spool.Beside(workers, func() {
		for _, row := range order {
			flat := &rows[row]
			sorted.texts.Append(texts[flat.start:flat.end(len(flat.lengths))]...)
		}
	})
	defer copied()
	start := uint64(0)
	for _, row := range order {
		flat := rows[row]
		size := flat.end(len(flat.lengths)) - flat.start
		flat.start = start
		sorted.rows.Append(flat)
		start += size
	}
	copied()
	r.Release()
	return sorted
}

// Release frees the memory of the rows, but not of what else is in their space.
func (r *Rows) Release() {
	r.rows.Release()
	r.texts.Release()
	r.uids.Release()
}

// Each makes of a function of a pub one of its row.
func (r *Rows) Each(each func(pub *schema.Pub, do func(value string))) func(row int, do func(value string)) {
	var pub schema.Pub
	return func(row int, do func(value string)) { each(r.Get(row, &pub), do) }
}
