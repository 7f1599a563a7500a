//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package indexfile

import (
	"fmt"
	"reflect"
	"unsafe"
)

// All unsafe conversions of index are in this file; package spool passes the kernel an address. Its slices are within
// their bytes, aligned, and of types without pointers and padding, so that the bounds checks of Go protect everything
// else, whatever a file contains. It compiles only for machines whose numbers have the form of the file: little-endian,
// with 64 bits.

// bytesOf returns the memory of values.
func bytesOf[T any](values []T) []byte {
	mustBeFlat[T]()
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}

// ValuesOf returns bytes as values in the same memory; ok is false if they are not a whole number of values, or not
// aligned. It panics for a type with pointers or padding.
func ValuesOf[T any](content []byte) (values []T, ok bool) {
	mustBeFlat[T]()
	size := int(unsafe.Sizeof(*new(T)))
	start := unsafe.Pointer(unsafe.SliceData(content))
	if len(content)%size != 0 || uintptr(start)%unsafe.Alignof(*new(T)) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(start), len(content)/size), true
}

// StringOf returns bytes, which must not change any more, as a string in the same memory.
func StringOf(content []byte) string { return unsafe.String(unsafe.SliceData(content), len(content)) }

// BytesOf returns the bytes of a string in the same memory: they must not be changed.
func BytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// mustBeFlat panics for a type that has pointers or padding, which is a programming error.
func mustBeFlat[T any]() {
	t := reflect.TypeFor[T]()
	if size, ok := flatSize(t); !ok || size != t.Size() {
		panic(fmt.Sprintf("indexfile: %v has pointers or padding", t))
	}
}

// flatSize returns the size of a type without its padding, if it has no pointers.
func flatSize(t reflect.Type) (size uintptr, ok bool) {
	switch t.Kind() {
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Int64, reflect.Float32, reflect.Float64:
		return t.Size(), true
	case reflect.Array:
		size, ok = flatSize(t.Elem())
		return size * uintptr(t.Len()), ok
	case reflect.Struct:
		for i := range t.NumField() {
			field, flat := flatSize(t.Field(i).Type)
			if !flat {
				return 0, false
			}
			size += field
		}
		return size, true
	}
	return 0, false
}
