package index

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/segment"
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
	columns, err := segment.Read(file)
	if err != nil {
		return nil, err
	}
	s = &Snapshot{file: file, segment: columns}
	for facet := range s.Facets() {
		v := &columns.Facets[facet]
		s.most[facet] = appendMost(v, nil, appendAll(v, nil, nil))
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
