package segment

import (
	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/schema"
)

// WritePoints writes the spatial index, and the sets of pubs that are rated and that have coordinates.
func WritePoints(file *indexfile.Writer, flat *geo.Flat, rated postings.Bitmap) {
	located := postings.NewBitmap(len(flat.Points))
	for i := range flat.Points {
		if schema.IsPresent(flat.Points[i].Lat) {
			located.Add(uint32(i))
		}
	}
	indexfile.Put(file, "rated", rated)
	indexfile.Put(file, "located", located)
	codePoints(indexfile.Writing(file), flat)
}

// codePoints writes or reads the spatial index.
func codePoints(f indexfile.Codec, flat *geo.Flat) {
	indexfile.Array(f, "points", &flat.Points)
	indexfile.Array(f, "vectors", &flat.Vectors)
	for i, p := range []*geo.Packing{&flat.All, &flat.Marked} {
		name := [...]string{"packed", "packed.rated"}[i]
		indexfile.Array(f, name+".vectors", &p.Vectors)
		indexfile.Array(f, name+".ordinals", &p.Ordinals)
		indexfile.Array(f, name+".blocks", &p.Blocks)
		indexfile.Array(f, name+".groups", &p.Groups)
		indexfile.Array(f, name+".rectangles", &p.Rectangles)
		indexfile.Array(f, name+".whole", &p.Whole)
	}
}

// allOf returns the set of all pubs.
func allOf(size int) postings.Set {
	bits := postings.NewBitmap(size)
	for i := range uint32(size) {
		bits.Add(i)
	}
	return postings.OfBitmap(bits, size)
}

// readSet returns the set of a section with a bit for each pub.
func readSet(r *indexfile.Reader, name string, size int) postings.Set {
	bits := postings.Bitmap(indexfile.TakeN[uint64](r, name, (size+63)/64))
	postings.CheckBitmaps(r, name, bits, size)
	return postings.OfBitmap(bits, bits.Count())
}

// Scattered reports whether to look up the positions of pubs, which are scattered in memory, costs less than going through
// those of a circle, of which there are at least inside.
func Scattered(inside, pubs int) bool {
	const lookup = 4 // what it costs, relative to a pub of the circle
	return inside >= lookup*pubs
}
