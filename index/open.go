package index

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/match"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/reading"
	"pubd/index/schema"
	"pubd/index/terms"
	"pubd/index/text"
)

// Open opens an index file, which may be closed, replaced or deleted afterwards. It checks the format, all checksums,
// and every number that is followed later: the error says what is wrong and what to do. Opening takes about 0.4 ns per
// byte in the page cache, plus some milliseconds, and for a copy the time in which the kernel gives the memory, which
// may be longer.
//
// A file of at most private bytes is copied into anonymous memory, so that later changes of the file have no effect. A
// larger one is mapped in place and paged by the kernel, so that it may be larger than memory. If anyone truncates it
// while it is served, reads past its new end panic in goroutines that called [debug.SetPanicOnFault], and kill the
// process in others: replace files by renaming.
func Open(f *os.File, private int64) (*Snapshot, error) {
	mapping, err := indexfile.Map(f, private)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	s, err := newSnapshot(mapping)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return s, nil
}

// IsIndexFile reports whether content, at least the first 8 bytes of a file, begins as index files do.
func IsIndexFile(content []byte) bool { return indexfile.HasMagic(content) }

// InMemory builds a snapshot without a file: for tests, benchmarks and small directories.
func InMemory(directory corpus.Directory, options BuildOptions) (*Snapshot, error) {
	var content indexfile.Memory
	if err := Build(directory, &content, options); err != nil {
		return nil, err
	}
	mapping, err := indexfile.Copy(content)
	if err != nil {
		return nil, err
	}
	return newSnapshot(mapping)
}

// newSnapshot reads a mapped file. The caller is the only reader of the snapshot; if the file is invalid, it is
// unmapped.
func newSnapshot(mapping *indexfile.Mapping) (s *Snapshot, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a file mapped in place may be truncated meanwhile
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("its content is inconsistent: %v", cause)
		}
		if err != nil {
			mapping.Unmap()
			s = nil
		}
	}()
	file, err := indexfile.Parse(mapping.Content)
	if err != nil {
		return nil, err
	}
	if s, err = readSnapshot(file); err != nil {
		return nil, err
	}
	for _, section := range file.Sections {
		if slices.Contains(scattered, section.Name) {
			mapping.ReadRandomly(section)
		}
	}
	s.mapping, s.cleanup = mapping, runtime.AddCleanup(s, (*indexfile.Mapping).Unmap, mapping)
	s.readers.Store(1)
	return s, nil
}

// scattered are the sections from which an answer reads a little in many places. The others are read in long runs,
// which the kernel's read-ahead makes faster.
var scattered = []string{"pubs.json", "details.json", "pubs.uids"}

// allOf returns the set of all pubs.
func allOf(size int) postings.Set {
	bits := postings.NewBitmap(size)
	for i := range uint32(size) {
		bits.Add(i)
	}
	return postings.OfBitmap(bits, size)
}

// readSnapshot reads all sections of a file.
func readSnapshot(file *indexfile.File) (*Snapshot, error) {
	r := indexfile.NewReader(file)
	size := file.Pubs
	s := &Snapshot{file: file}
	s.pubs, s.details = readPubJSON(r, size), readDetails(r, size)
	f := indexfile.Reading(r)
	s.uids.Code(f, "pubs.uids", size)
	s.names.code(f, size)
	s.rated, s.located = readSet(r, "rated", size), readSet(r, "located", size)
	var flat geo.Flat
	codePoints(f, &flat)

	s.terms = terms.Read(r, size)
	s.match = &match.Index{Index: reading.Index{Terms: s.terms}, Rows: indexfile.TakeN[uint32](r, "pubs.rows", size)}
	s.nameWords.code(f, s.names.folded.Len(), s.terms.Words.Terms.Len(), size)
	s.titles.code(f, size)
	s.labels.code(f, size)

	s.orders, s.fairScale = readOrders(r, size)
	for facet := range schema.ExtraFacet {
		s.facets[facet].code(f, facetSection(facet), facet != schema.Features, size)
	}
	s.readExtraFacets(r, size)
	s.denied.code(f, deniedFeatures, false, size)
	s.openings.read(r, size)
	for metric := range schema.Metric(schema.MetricCount) {
		groups := s.orders[metric.Sort()].Groups()
		s.localRanks[metric].code(f, "local."+metric.String(), s.facets[schema.Location].values.Len(), groups)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	s.all = allOf(size)
	s.findTold()
	for facet := range s.Facets() {
		v := &s.facets[facet]
		s.most[facet] = v.appendMost(nil, v.appendAll(nil, nil))
	}
	points, err := geo.Open(flat)
	if err != nil {
		return nil, err
	}
	s.points = points
	s.places = places.Read(r, size, &text.Vocabulary{Terms: s.terms.Words.Terms, Layer: s.terms.Local}, points)
	s.match.Places, s.match.Points, s.match.HasBrands = s.places, points, s.nameWords.hasBrands()
	if err := r.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// readSet returns the set of a section with a bit for each pub.
func readSet(r *indexfile.Reader, name string, size int) postings.Set {
	bits := postings.Bitmap(indexfile.TakeN[uint64](r, name, (size+63)/64))
	postings.CheckBitmaps(r, name, bits, size)
	return postings.OfBitmap(bits, bits.Count())
}
