package indexfile

import (
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"
)

// Writer writes the sections of a file one after the other. Finish returns the first error.
type Writer struct {
	to       io.WriterAt
	header   Header
	sections []Section
	offset   int64
	err      error
}

// NewWriter begins a file. Sections begin after room for the largest possible header and table.
func NewWriter(to io.WriterAt, header Header) *Writer {
	return &Writer{to: to, header: header, offset: headerSize + entrySize*maxSections}
}

// Add writes a section made of parts, one after the other.
func (w *Writer) Add(name string, parts ...[]byte) { w.AddEach(name, slices.Values(parts)) }

// AddEach writes a section made of parts. Each part is written before the next is made, so that they may share memory.
func (w *Writer) AddEach(name string, parts iter.Seq[[]byte]) {
	if w.err != nil {
		return
	}
	if len(name) > maxNameSize || len(w.sections) == maxSections {
		w.err = fmt.Errorf("section %q: name must have at most %d bytes and a file %d sections", name, maxNameSize, maxSections)
		return
	}
	section := Section{Name: name, Offset: w.offset}
	for part := range parts {
		if _, err := w.to.WriteAt(part, section.Offset+section.Size); err != nil {
			w.err = fmt.Errorf("section %q: %w", name, err)
			return
		}
		section.sum = crc32.Update(section.sum, castagnoli, part)
		section.Size += int64(len(part))
	}
	end := section.Offset + section.Size
	w.offset = (end + alignment - 1) / alignment * alignment
	// The file has the length that the sections imply, even if the last one is empty.
	if _, err := w.to.WriteAt(make([]byte, w.offset-end), end); err != nil {
		w.err = fmt.Errorf("section %q: %w", name, err)
		return
	}
	w.sections = append(w.sections, section)
}

// Put writes a section of fixed-width values.
func Put[T any](w *Writer, name string, values []T) { w.Add(name, bytesOf(values)) }

// Finish writes the header and the table: until then, the file is not a valid index file.
func (w *Writer) Finish() error {
	if w.err != nil {
		return w.err
	}
	if _, err := w.to.WriteAt(layOut(w.header, w.sections), 0); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	return nil
}

// Memory is a file in memory.
type Memory []byte

// WriteAt implements io.WriterAt.
func (m *Memory) WriteAt(content []byte, offset int64) (int, error) {
	if end := int(offset) + len(content); end > len(*m) {
		*m = append(*m, make([]byte, end-len(*m))...)
	}
	return copy((*m)[offset:], content), nil
}
