package httpapi

import (
	"math"

	"pubd/geo"
	"pubd/index"
)

// parseDegrees parses so many numbers, parted by commas, of which those at odd places are longitudes when first is 180 and
// those at even ones when it is 90.
func parseDegrees(list []byte, into []float64, first float64) bool {
	n := 0
	ok := eachItem(list, func(item []byte) bool {
		number, ok := index.ParseDecimal(item)
		most := first
		if n%2 == 1 {
			most = 90 + 180 - first
		}
		if !ok || n == len(into) || math.Abs(number) > most {
			return false
		}
		into[n] = number
		n++
		return true
	})
	return ok && n == len(into)
}

func (a *arguments) parseBox(value []byte) bool {
	var edges [4]float64
	ok := parseDegrees(value, edges[:], 180)
	a.box = geo.Box{West: edges[0], South: edges[1], East: edges[2], North: edges[3]}
	a.query.Filter.Box = &a.box
	return ok && a.box.South <= a.box.North
}

func (a *arguments) parseNear(value []byte) bool {
	var at [2]float64
	ok := parseDegrees(value, at[:], 90)
	a.near, a.lat, a.lng, a.radius = true, at[0], at[1], math.MaxFloat64
	return ok && !a.values.has(paramLat) && !a.values.has(paramLng) && !a.values.has(paramDistance) && !a.values.has(paramAround)
}

func (a *arguments) parseAround(value []byte) bool {
	a.around = value
	return !a.values.has(paramLat) && !a.values.has(paramLng)
}

// settleAround puts the circle around the pub that it is to be around, and leaves that out.
func (a *arguments) settleAround(s *index.Snapshot) fault {
	ordinal, ok := s.Lookup(a.around)
	if !ok {
		return fault{row: pubNotFound}
	}
	at := s.Point(ordinal)
	if at.Lat != at.Lat {
		return fault{row: invalidParameter, parameter: paramAround, rule: parameters[paramAround].rule}
	}
	a.lat, a.lng = at.Lat, at.Lng
	a.center(at)
	a.excluded = append(a.excluded, a.around)
	a.query.Filter.Exclude = a.excluded
	return fault{}
}
