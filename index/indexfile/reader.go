package indexfile

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
)

// File is the checked content of an index file.
type File struct {
	Header
	Sections []Section
	content  []byte
}

// HasMagic reports whether content begins with the magic bytes of index files.
func HasMagic(content []byte) bool { return bytes.HasPrefix(content, []byte(magic)) }

// Parse checks the header, the table and all checksums of a file, and retains the content, which must be aligned to 8
// bytes.
func Parse(content []byte) (*File, error) {
	if len(content) < headerSize || !HasMagic(content) {
		return nil, damaged("", "not an index file of pubd, or one that is not finished: it begins with %q", content[:min(len(content), len(magic))])
	}
	if version := binary.LittleEndian.Uint32(content[8:]); int(version) != Version {
		return nil, &Error{"", "format version " + strconv.FormatUint(uint64(version), 10) + ": this program reads version " + strconv.Itoa(Version) +
			"; use the program that built it (" + builderVersionIn(content) + "), or build it again with pubd build of this one"}
	}
	count := int(binary.LittleEndian.Uint32(content[12:]))
	if count > maxSections || len(content) < headerSize+entrySize*count {
		return nil, damaged("", "cut short: %d bytes are too few for a table of %d sections", len(content), count)
	}
	frame := bytes.Clone(content[:headerSize+entrySize*count])
	sum := binary.LittleEndian.Uint32(frame[sumStart:])
	clear(frame[sumStart : sumStart+4])
	if got := checksum(frame); got != sum {
		return nil, damaged("", "header: checksum differs: %08x, must be %08x", got, sum)
	}
	f := &File{content: content}
	f.Pubs, f.BuilderVersion = int(binary.LittleEndian.Uint64(frame[16:])), builderVersionIn(frame)
	copy(f.Source[:], frame[24:56])
	if f.Pubs < 0 || f.Pubs > math.MaxInt32 {
		return nil, damaged("", "header: %d pubs", f.Pubs)
	}
	for i := range count {
		entry := frame[headerSize+entrySize*i:][:entrySize]
		name, _, _ := bytes.Cut(entry[:maxNameSize], []byte{0})
		s := Section{Name: string(name), Offset: int64(binary.LittleEndian.Uint64(entry[40:])), Size: int64(binary.LittleEndian.Uint64(entry[48:])),
			sum: binary.LittleEndian.Uint32(entry[56:])}
		switch {
		case s.Offset < 0 || s.Size < 0 || s.Offset%alignment != 0:
			return nil, damaged(s.Name, "%d bytes at %d", s.Size, s.Offset)
		case s.Offset > int64(len(content)) || s.Size > int64(len(content))-s.Offset:
			return nil, damaged(s.Name, "cut short: it should end at byte %d of %d", s.Offset+s.Size, len(content))
		}
		f.Sections = append(f.Sections, s)
	}
	return f, f.Verify()
}

func builderVersionIn(frame []byte) string {
	name, _, _ := bytes.Cut(frame[builderVersionStart:builderVersionStart+builderVersionSize], []byte{0})
	return string(name)
}

// Verify checks all checksums, with a goroutine for each processor but one, which is left to those that answer
// requests.
func (f *File) Verify() error {
	wrong := make([]error, len(f.Sections))
	next := make(chan int, len(f.Sections))
	for i := range f.Sections {
		next <- i
	}
	close(next)
	var all sync.WaitGroup
	for range min(max(1, runtime.GOMAXPROCS(0)-1), len(f.Sections)) {
		all.Go(func() {
			for i := range next {
				wrong[i] = f.verifySection(i)
			}
		})
	}
	all.Wait()
	for _, err := range wrong {
		if err != nil {
			return err
		}
	}
	return nil
}

// verifySection checks the checksum of a section. It is also an error if a file mapped in place is truncated
// meanwhile.
func (f *File) verifySection(i int) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s := f.Sections[i]
	defer func() {
		if recover() != nil {
			err = damaged(s.Name, "cut short while it was read")
		}
	}()
	if got := checksum(f.section(i)); got != s.sum {
		err = damaged(s.Name, "checksum differs: %08x, must be %08x", got, s.sum)
	}
	return err
}

func (f *File) section(i int) []byte {
	s := f.Sections[i]
	return f.content[s.Offset : s.Offset+s.Size : s.Offset+s.Size]
}

// Reader takes sections from a file. Err returns the first error, after which all sections are empty.
type Reader struct {
	file *File
	err  error
}

// NewReader returns a reader of a file.
func NewReader(file *File) *Reader { return &Reader{file: file} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Check records an error about a section unless a condition holds.
func (r *Reader) Check(ok bool, section, reason string) bool {
	if !ok && r.err == nil {
		r.err = damaged(section, "%s", reason)
	}
	return ok && r.err == nil
}

// Take returns the values of a section, in the memory of the file: they must not be changed.
func Take[T any](r *Reader, name string) []T {
	if r.err != nil {
		return nil
	}
	for i := range r.file.Sections {
		if r.file.Sections[i].Name == name {
			values, ok := ValuesOf[T](r.file.section(i))
			r.Check(ok, name, "its size is not a multiple of the size of a value")
			return values
		}
	}
	r.Check(false, name, "missing")
	return nil
}

// TakeN is like Take, but the section must have n values.
func TakeN[T any](r *Reader, name string, n int) []T {
	values := Take[T](r, name)
	if r.err == nil && len(values) != n {
		r.err = damaged(name, "%d values, must be %d", len(values), n)
	}
	if r.err != nil {
		return nil
	}
	return values
}

// CheckOffsets records an error unless offsets ascend from 0 to end. There is one more than there are delimited parts.
func CheckOffsets[T uint32 | uint64](r *Reader, name string, offsets []T, end int) bool {
	if r.err != nil {
		return false
	}
	ok := len(offsets) > 0 && offsets[0] == 0 && uint64(offsets[len(offsets)-1]) == uint64(end)
	for i := 1; ok && i < len(offsets); i++ {
		ok = offsets[i-1] <= offsets[i]
	}
	return r.Check(ok, name, "its offsets do not ascend from 0 to the end of the data")
}

// CheckBelow records an error unless all values are below the limit.
func CheckBelow(r *Reader, name string, values []uint32, limit int) bool {
	if r.err != nil {
		return false
	}
	return r.Check(len(values) == 0 || int64(maxOf(values)) < int64(limit), name, "it has a value out of range")
}

// maxOf returns the maximum of values. It has four independent maxima, which the processor computes in parallel.
func maxOf(values []uint32) uint32 {
	var a, b, c, d uint32
	for ; len(values) >= 4; values = values[4:] {
		a, b, c, d = max(a, values[0]), max(b, values[1]), max(c, values[2]), max(d, values[3])
	}
	for _, value := range values {
		a = max(a, value)
	}
	return max(a, b, c, d)
}

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return int64(len(f.content)) }
