package extract

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"pubd/data/lane"
)

// A file of 100 MB in the proportions of a country: one pub in a thousand nodes, ways whose nodes lie near each other.
func TestLarge(t *testing.T) {
	lane.Long(t, "writes and reads 100 MB")
	const size = 100 << 20
	file, err := os.Create(filepath.Join(t.TempDir(), "large.osm.pbf"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	random := rand.New(rand.NewPCG(1, 2))
	writer := pbfWriter{dense: true, deflate: true}
	write := func(content []byte) int64 {
		n, err := file.Write(content)
		if err != nil {
			t.Fatal(err)
		}
		return int64(n)
	}
	written, nodes, ways, pubs := write(writer.write(nil)), int64(0), int64(0), 0
	tags := func(i int64) map[string]string {
		switch {
		case i%1000 == 0:
			pubs++
			return map[string]string{"amenity": "pub", "name": fmt.Sprint("The Bell ", i), "addr:city": "Mardle", "addr:street": fmt.Sprint(i, " Lane")}
		case i%30 == 0:
			return map[string]string{"highway": "crossing", "ref": fmt.Sprint(i)}
		}
		return nil
	}
	for written < size*3/4 {
		var block []item
		lat, lon := random.Int32N(1e8), random.Int32N(1e8)
		for range 8000 {
			nodes++
			lat, lon = lat+random.Int32N(2000)-1000, lon+random.Int32N(2000)-1000
			block = append(block, item{kind: node, id: nodes * 3, lat: 500_000_000 + lat, lon: lon, tags: tags(nodes)})
		}
		written += write(writer.appendBlob(nil, "OSMData", writer.block(block)))
	}
	for written < size {
		var block []item
		for range 8000 {
			ways++
			it := item{kind: way, id: ways * 3, tags: tags(ways)}
			if it.tags == nil {
				it.tags = map[string]string{"building": "yes", "source": "survey"}
			}
			first := 1 + random.Int64N(nodes-20)
			for i := range int64(8) {
				it.nodes = append(it.nodes, 3*(first+i+random.Int64N(3)))
			}
			block = append(block, it)
		}
		written += write(writer.appendBlob(nil, "OSMData", writer.block(block)))
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, peak := m.HeapAlloc, uint64(0)
	started, calls, got, nowhere := time.Now(), 0, 0, 0
	err = Read(context.Background(), file, PBF, isPub, func(e Element) error {
		got++
		if math.IsNaN(e.Latitude) {
			nowhere++
		}
		return nil
	}, func(read, total int64) {
		if calls++; calls%50 == 0 {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	})
	took := time.Since(started)
	t.Logf("%d MB with %d nodes and %d ways: %d pubs in %v, peak heap %d MB", written>>20, nodes, ways, got, took, int64(peak-before)>>20)
	if err != nil || got != pubs || nowhere > 0 {
		t.Errorf("%v, %d pubs, %d of them nowhere, want %d", err, got, nowhere, pubs)
	}
	if limit := uint64(64 << 20); peak-before > limit {
		t.Errorf("peak heap %d, want at most %d", peak-before, limit)
	}
}
