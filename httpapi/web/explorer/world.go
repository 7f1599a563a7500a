package explorer

import (
	"math"
	"runtime/debug"

	worldmap "pubd/data/world"
	"pubd/geo"
	"pubd/httpapi/web"
	"pubd/index"
)

// A world is the map beneath the pubs of a snapshot, as [worldmap.Map] describes it. Anyone may read the map without a
// key, so it tells no more than the box of all pubs, rounded outwards to whole degrees. The zero value is a map of
// nothing.
type world struct {
	box  geo.Box
	file web.File
}

// below returns the map for a snapshot; of nothing if it is nil. It takes some 50 ms for Britain and Ireland, up to
// 250 ms for the whole world, or nothing if the box is that of the call before.
func (w *world) below(s *index.Snapshot) web.File {
	if s == nil {
		return worldFile([]byte("{}"))
	}
	if box := homeOf(s); w.file.Body == nil || box != w.box {
		w.box, w.file = box, worldFile(worldmap.Map(box))
		debug.FreeOSMemory() // some 20 MB, which a load could not take
	}
	return w.file
}

// homeOf returns the box of all pubs in whole degrees; the whole world if none has coordinates.
func homeOf(s *index.Snapshot) geo.Box {
	b, ok := s.Bounds()
	if !ok {
		return geo.Box{West: -180, South: -90, East: 180, North: 90}
	}
	return geo.Box{West: math.Floor(b.West), South: math.Floor(b.South), East: math.Ceil(b.East), North: math.Ceil(b.North)}
}

// worldLevel compresses the map of the world to some 580 KB; the best one takes some four times as long, for 1 % less.
const worldLevel = 5

func worldFile(body []byte) web.File {
	return web.File{Path: "/explorer/world.json", MediaType: "application/json; charset=utf-8", Body: body, Packed: packed(body, worldLevel)}
}
