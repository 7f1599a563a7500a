package merge

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"iter"
	"math"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/twin"
	"pubd/geo"
	"pubd/index/schema"
	"pubd/index/text"
)

// autoUID makes a UID from the name of a row and its coordinates, rounded to about 100 m, or without them its other
// texts that say where it is. It depends neither on other columns nor on the order of columns and rows; pubs that agree
// in all that have the same one.
func (d *Draft) autoUID(cells []string) string {
	key := cmp.Or(folded(d.cell(cells, cell.NameColumn)), d.cell(cells, cell.NameColumn))
	if at, ok := d.point(cells); ok {
		key += fmt.Sprintf("\x00%.0f %.0f", math.Round(at.Lat*1000), math.Round(at.Lng*1000))
	} else {
		for _, name := range []string{cell.PostcodeColumn, cell.AddressColumn, cell.LocationColumn} {
			key += "\x00" + folded(d.cell(cells, name))
		}
	}
	return fmt.Sprintf("auto-%x", sha256.Sum256([]byte(key)))[:len("auto-")+16]
}

// twinKey orders rows of the same automatic UID: by what else says which pub it is, but not by what changes.
func (d *Draft) twinKey(cells []string) string {
	key := ""
	for _, name := range []string{cell.NameColumn, cell.LatitudeColumn, cell.LongitudeColumn, cell.PostcodeColumn, cell.AddressColumn, cell.LocationColumn, cell.AreaColumn, cell.AltNamesColumn} {
		key += d.cell(cells, name) + "\x00"
	}
	return key
}

// point returns where a row is; ok is false if it does not say that.
func (d *Draft) point(cells []string) (at geo.Point, ok bool) {
	lat, okLat := schema.ParseDecimal([]byte(d.cell(cells, cell.LatitudeColumn)))
	lng, okLng := schema.ParseDecimal([]byte(d.cell(cells, cell.LongitudeColumn)))
	return geo.Point{Lat: lat, Lng: lng}, okLat && okLng
}

// isOther reports whether two rows with the same UID are different pubs: their names are not alike, and they are a
// kilometre apart or, if that is unknown, nothing says that they are in the same place.
func (d *Draft) isOther(a, b []string) bool {
	if twin.Key(d.cell(a, cell.NameColumn)) == twin.Key(d.cell(b, cell.NameColumn)) {
		return false
	}
	atA, okA := d.point(a)
	if atB, okB := d.point(b); okA && okB {
		return geo.Distance(atA.Vector(), atB.Vector()) > 1
	}
	for _, column := range []string{cell.PostcodeColumn, cell.AddressColumn, cell.LocationColumn} {
		if place := folded(d.cell(a, column)); place != "" && place == folded(d.cell(b, column)) {
			return false
		}
	}
	return true
}

// Contradicts reports whether most UIDs that a list has in common with those before are of other pubs there, as where both
// are numbered from 1. It is given the UID and the cells of each row.
func (d *Draft) Contradicts(list int, rows iter.Seq2[string, []string]) bool {
	same, other := 0, 0
	for uid, cells := range rows {
		switch first, known := d.uids[uid]; {
		case !known || first.List == list:
		case d.isOther(d.rows[first.row], cells):
			other++
		default:
			same++
		}
	}
	return other > same
}

func folded(written string) string { return string(text.AppendFolded(nil, []byte(written))) }
