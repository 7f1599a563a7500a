package index

import (
	"cmp"
	"fmt"
	"io"
	"runtime"

	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/schema"
	"pubd/index/segment"
	"pubd/index/spool"
)

// BuildOptions are the metadata of an index file, and how it is built.
type BuildOptions struct {
	// Source is the SHA-256 of the snapshot file.
	Source [32]byte
	// BuilderVersion is the version of the program, at most 48 bytes.
	BuilderVersion string
	// Workers is the maximum number of goroutines that work at once; 0 means the number of processors.
	Workers int
	// Progress, unless nil, is called before each stage with its name, the number of stages done, and the number of
	// all, by one goroutine at a time.
	Progress func(stage string, done, total int)
}

// Build writes the index file of a directory, whose pubs must have distinct UIDs, to w: the same directory and options
// give the same bytes. It takes ownership of the directory: the caller must not use it any more. w has no valid index
// file until Build returns nil. An error comes from w, from memory that is full, from more values than numbers of 32
// bits count, or from a defect of the text index.
func Build(directory corpus.Directory, w io.WriterAt, options BuildOptions) (err error) {
	workers := cmp.Or(options.Workers, runtime.GOMAXPROCS(0))
	defer spool.Catch(&err)
	rows := directory.InRows()
	defer rows.Close()
	count := rows.Len()
	file := indexfile.NewWriter(w, indexfile.Header{Source: options.Source, Pubs: count, BuilderVersion: options.BuilderVersion})
	const stages = 5
	done := 0
	next := func(stage string) {
		if options.Progress != nil {
			options.Progress(stage, done, stages)
		}
		done++
	}

	next("names")
	pubs, names, numbers := numberPubs(rows, workers)
	indexfile.Put(file, "pubs.rows", numbers)
	rated := ratedPubs(&directory, pubs)
	coded := indexfile.Writing(file)
	names.Code(coded, count)
	points := pointsOf(pubs)
	write := func() (err error) {
		defer spool.Catch(&err)
		next("pubs")
		var flat geo.Flat
		others := spool.Beside(workers, func() { // in their place of the file, before all that depends on words
			segment.WritePubs(file, pubs)
			segment.WriteDetails(file, pubs, directory.Extra)
			segment.WriteUIDs(file, pubs)
			next("places")
			flat = geo.Pack(points, rated.Has)
			segment.WritePoints(file, &flat, rated)
			next("orders")
			writeRankings(file, pubs, directory.Extra, rated)
			segment.NewOpenings(pubs).Code(coded, pubs.Len())
		})
		defer others()
		return writeWords(file, pubs, &names, gazetteer{directory.Gazetteer, points, &flat}, workers, func() {
			others()
			next("words")
		})
	}
	if err := write(); err != nil {
		return fmt.Errorf("snapshot of %d pubs: %w", count, err)
	}
	return file.Finish()
}

// ratedPubs returns the rated pubs of a directory by ordinal.
func ratedPubs(directory *corpus.Directory, pubs *corpus.Rows) postings.Bitmap {
	rated := postings.NewBitmap(pubs.Len())
	var pub schema.Pub
	for i := range pubs.Len() {
		if directory.IsRated(pubs.Get(i, &pub)) {
			rated.Add(uint32(i))
		}
	}
	return rated
}

// pointsOf returns the positions of pubs by ordinal.
func pointsOf(pubs *corpus.Rows) []geo.Point {
	points := make([]geo.Point, pubs.Len())
	var pub schema.Pub
	for i := range points {
		pubs.Get(i, &pub)
		points[i] = geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}
	}
	return points
}

// writeRankings writes the order of each key, the data for ranks and counts, and the facets.
func writeRankings(file *indexfile.Writer, pubs *corpus.Rows, extra []schema.ExtraColumn, rated postings.Bitmap) {
	numbers := make([]float64, pubs.Len())
	for key := range schema.SortCount {
		if key.Order() != schema.NoOrder && !key.IsMetric() { // those of metrics are beside the local ranks
			segment.WriteOrder(file, key, pubs, rated, numbers)
		}
	}
	segment.WriteFacets(file, pubs, extra, rated, numbers)
}
