package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// Header is the first line that Generate writes, without its line end.
const Header = "UID,name,location,trading,latitude,longitude,common_category," +
	"beer,atmos,fengshui,service,toilets,total,review_count,address,postcode,area,features,opening_hours"

// MaxPubs is the maximum number of pubs of Generate, 2^29.
const MaxPubs = 1 << uidBits

const progressEvery = 4096

// Generate writes a made-up directory of pubs, from 1 to MaxPubs, as CSV with Header
// and LF line ends, in random order. The bytes depend only on the arguments, not on
// the machine, and a directory begins with every smaller one of the same seed.
// progress, unless nil, is called with the number of pubs so far, every few thousand
// and at the end. Generate returns the first error of w, wrapped.
func Generate(w io.Writer, pubs int, seed uint64, progress func(done int)) error {
	if pubs < 1 || pubs > MaxPubs {
		return fmt.Errorf("pubs %d: must be from 1 to %d", pubs, MaxPubs)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString(Header + "\n")
	rows := newRows(seed)
	for i := range pubs {
		if _, err := out.Write(rows.next()); err != nil {
			return fmt.Errorf("write pub %d of %d: %w", i+1, pubs, err)
		}
		if done := i + 1; progress != nil && done%progressEvery == 0 && done < pubs {
			progress(done)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write pub %d of %d: %w", pubs, pubs, err)
	}
	if progress != nil {
		progress(pubs)
	}
	return nil
}

// rows generates one line after the other.
type rows struct {
	seed   uint64
	made   uint32
	dice   dice
	where  *gazetteer
	namer  *namer
	post   addressee
	offers dice
	buffer []byte
}

func newRows(seed uint64) *rows {
	d := newDice(seed, 1393)
	w := readWords()
	return &rows{seed: seed, dice: d, where: newGazetteer(), namer: newNamer(d, w), post: addressee{newDice(seed, 1840), w}, offers: newDice(seed, 1906)}
}

// next returns the next line with its line end, valid until the next call.
func (r *rows) next() []byte {
	at := &r.where.places[r.where.lottery.draw(r.dice)]
	name := r.namer.name(at)
	review := newReview(r.dice)

	b := appendUID(r.buffer[:0], r.seed, r.made)
	b = appendText(append(b, ','), name)
	b = append(b, ',')
	if !r.dice.chance(10) {
		b = append(b, at.name...)
	}
	b = append(append(b, ','), r.trading()...)
	b = r.appendPoint(append(b, ','), at)
	b = append(append(b, ','), r.category(name, review.count > 0)...)
	for _, v := range review.ratings {
		b = appendRating(append(b, ','), v)
	}
	b = appendRating(append(b, ','), review.total())
	b = strconv.AppendUint(append(b, ','), review.count, 10)
	b = r.post.appendAddress(append(b, ','), at)
	b = append(appendOffers(append(b, ','), r.offers), '\n')
	r.buffer = b
	r.made++
	return b
}

func (r *rows) trading() string {
	switch n := r.dice.below(1000); {
	case n < 930:
		return "open"
	case n < 970:
		return "closed"
	case n < 990:
		return "temporarily_closed"
	}
	return ""
}

// appendPoint appends latitude and longitude, or neither. Both offsets have a common
// random factor, which makes pubs denser in the middle of a place; one in thirty is
// out of town.
func (r *rows) appendPoint(b []byte, at *place) []byte {
	if r.dice.chance(10) {
		return append(b, ',')
	}
	reach := at.reach * int64(256+r.dice.below(1024)) / 1024
	if r.dice.chance(33) {
		reach *= 4
	}
	lat, lng := moved(at.lat, at.lng, r.dice.swing(reach), r.dice.swing(reach))
	b = appendDegrees(b, min(max(lat, 49_800_000), 60_900_000))
	return appendDegrees(append(b, ','), min(max(lng, -10_700_000), 1_900_000))
}

func (r *rows) category(name []byte, rated bool) string {
	if rated && r.dice.chance(40) || !rated && !r.dice.chance(10) {
		return ""
	}
	switch {
	case bytes.HasSuffix(name, []byte("Club")):
		return "Social Club"
	case bytes.HasSuffix(name, []byte("Hotel")):
		return "Hotel Bar"
	}
	return r.dice.pick(r.namer.words["categories"])
}

// appendDegrees appends millionths of a degree as a decimal number with six places.
func appendDegrees(b []byte, micro int64) []byte {
	return strconv.AppendFloat(b, float64(micro)/1e6, 'f', 6, 64)
}

// appendRating appends hundredths as the shortest decimal number, or nothing if they
// are absent.
func appendRating(b []byte, hundredths int64) []byte {
	if hundredths == absent {
		return b
	}
	return strconv.AppendFloat(b, float64(hundredths)/100, 'f', -1, 64)
}

// appendText appends a field, quoted as in RFC 4180 if it has a comma or a quote.
func appendText(b, text []byte) []byte {
	if !bytes.ContainsAny(text, `,"`) {
		return append(b, text...)
	}
	quoted := bytes.ReplaceAll(text, []byte(`"`), []byte(`""`))
	return append(append(append(b, '"'), quoted...), '"')
}
