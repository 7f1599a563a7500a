package relevance_test

import (
	"fmt"

	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/relevance"
	"pubd/index/segment"
)

func ExampleRanker_AppendTied() {
	points := []geo.Point{{Lat: 51.5074, Lng: -0.1278}, {Lat: 51.4545, Lng: -2.5879}, {Lat: 51.7520, Lng: -1.2577}}
	circle := geo.NewCircle(geo.Point{Lat: 51.7, Lng: -1.2}, 1000)
	var pool postings.Pool
	pool.Reset(len(points))
	r := relevance.Ranker{
		Segment: &segment.Segment{Points: geo.NewIndex(points, func(uint32) bool { return false })}, Circle: &circle,
		Pool: &pool, Tied: &ranking.Workspace{Pool: &pool}, Around: new(geo.Workspace), Memory: new(relevance.Workspace),
	}
	fmt.Println(r.AppendTied(nil, postings.Of([]uint32{0, 1, 2}), &circle, 0, 3))
	// Output: [2 0 1]
}
