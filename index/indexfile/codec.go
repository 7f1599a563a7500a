package indexfile

import "errors"

// A Codec writes arrays as the sections of a file, or reads them from one: what is a section is said once for both.
type Codec struct {
	writer *Writer
	// Reader reads and checks. While a Codec writes, it is one with an error, which checks nothing.
	*Reader
}

// Writing returns a Codec that writes.
func Writing(w *Writer) Codec { return Codec{w, &Reader{err: errors.ErrUnsupported}} }

// Reading returns a Codec that reads.
func Reading(r *Reader) Codec { return Codec{nil, r} }

// Array writes values as a section, or reads them from it as Take does.
func Array[T any](c Codec, name string, values *[]T) {
	if c.writer != nil {
		Put(c.writer, name, *values)
	} else {
		*values = Take[T](c.Reader, name)
	}
}

// ArrayN is like Array, but the section that is read must have n values.
func ArrayN[T any](c Codec, name string, values *[]T, n int) {
	if c.writer != nil {
		Put(c.writer, name, *values)
	} else {
		*values = TakeN[T](c.Reader, name, n)
	}
}
