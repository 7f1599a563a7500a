// Package indexfile writes and opens files of named sections, which are used in place, without decoding. It decides on
// the frame of a file, and does not know what the sections contain:
//
//	header    magic, format version, number of sections, source, number of pubs, builder, checksum
//	table     name, offset, length and checksum of each section
//	sections  little-endian arrays of fixed-width numbers and bytes, aligned to 64 bytes
//
// A [Writer], for one goroutine, writes the header and the table last: a file that was not finished is not valid.
// [Map] and [Parse] open a file and check all checksums, on all processors but one. [Take] returns a section as a
// typed slice; a [Reader] keeps the first error, so that its user checks once. Sections are read-only and may be
// shared by goroutines until [Mapping.Unmap]. A small file is copied into memory, in large pages, so that later
// changes of it have no effect; a large one is paged by the kernel. Raise [Version] when sections change. flat.go has
// all unsafe code, so that wrong content can only lead to a panic.
package indexfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"runtime"
)

// Version is the format version that this package writes and reads. Only tests of programs of different versions
// change it.
var Version = 14

const (
	magic = "\x89pubidx\n"
	// alignment is the alignment of sections: a cache line.
	alignment           = 64
	headerSize          = 128
	entrySize           = 64
	maxNameSize         = 40
	maxSections         = 1024
	builderVersionStart = 64
	builderVersionSize  = 48
	sumStart            = 112
)

// Header is the metadata of a file.
type Header struct {
	// Source is the SHA-256 of the file that the index was built from.
	Source [32]byte
	// Pubs is the number of pubs.
	Pubs int
	// BuilderVersion is the version of the program that built the file, at most 48 bytes.
	BuilderVersion string
}

// Section is one entry of the table.
type Section struct {
	Name         string
	Offset, Size int64
	sum          uint32
}

// Error says what is wrong with a file, and in which section.
type Error struct {
	Section string // empty: the header or the table
	Reason  string
}

func (e *Error) Error() string {
	if e.Section == "" {
		return e.Reason
	}
	return fmt.Sprintf("section %q: %s", e.Section, e.Reason)
}

const advice = "; build it again with pubd build"

func damaged(section, format string, values ...any) error {
	return &Error{section, fmt.Sprintf(format, values...) + advice}
}

// castagnoli is the polynomial of CRC-32C, which processors compute at some 10 GB/s.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the CRC-32C of bytes. It lets other goroutines run after each piece.
func checksum(content []byte) (sum uint32) {
	const piece = 64 << 10
	for len(content) > piece {
		sum, content = crc32.Update(sum, castagnoli, content[:piece]), content[piece:]
		runtime.Gosched()
	}
	return crc32.Update(sum, castagnoli, content)
}

// layOut returns the header and the table.
func layOut(h Header, sections []Section) []byte {
	frame := make([]byte, headerSize+entrySize*len(sections))
	copy(frame, magic)
	binary.LittleEndian.PutUint32(frame[8:], uint32(Version))
	binary.LittleEndian.PutUint32(frame[12:], uint32(len(sections)))
	binary.LittleEndian.PutUint64(frame[16:], uint64(h.Pubs))
	copy(frame[24:56], h.Source[:])
	copy(frame[builderVersionStart:builderVersionStart+builderVersionSize], h.BuilderVersion)
	for i, s := range sections {
		entry := frame[headerSize+entrySize*i:][:entrySize]
		copy(entry[:maxNameSize], s.Name)
		binary.LittleEndian.PutUint64(entry[40:], uint64(s.Offset))
		binary.LittleEndian.PutUint64(entry[48:], uint64(s.Size))
		binary.LittleEndian.PutUint32(entry[56:], s.sum)
	}
	binary.LittleEndian.PutUint32(frame[sumStart:], checksum(frame))
	return frame
}
