package convert

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"

	"pubd/index"
)

// autoUID makes a UID from the name of a row and its coordinates, rounded to about 100 m, or without them its other
// texts that say where it is. It depends neither on other columns nor on the order of columns and rows; pubs that agree
// in all that have the same one.
func (d *draft) autoUID(cells []string) string {
	key := cmp.Or(folded(d.cell(cells, nameColumn)), d.cell(cells, nameColumn))
	lat, errLat := strconv.ParseFloat(d.cell(cells, latitudeColumn), 64)
	lng, errLng := strconv.ParseFloat(d.cell(cells, longitudeColumn), 64)
	if errLat == nil && errLng == nil {
		key += fmt.Sprintf("\x00%.0f %.0f", math.Round(lat*1000), math.Round(lng*1000))
	} else {
		for _, name := range []string{postcodeColumn, addressColumn, locationColumn} {
			key += "\x00" + folded(d.cell(cells, name))
		}
	}
	return fmt.Sprintf("auto-%x", sha256.Sum256([]byte(key)))[:len("auto-")+16]
}

// twinKey orders rows of the same automatic UID: by what else says which pub it is, but not by what changes.
func (d *draft) twinKey(cells []string) string {
	key := ""
	for _, name := range []string{nameColumn, latitudeColumn, longitudeColumn, postcodeColumn, addressColumn, locationColumn, areaColumn, altNamesColumn} {
		key += d.cell(cells, name) + "\x00"
	}
	return key
}

func folded(text string) string { return string(index.AppendFolded(nil, []byte(text))) }
