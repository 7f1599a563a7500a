// Package basemap reads a file of map tiles with the streets of the explorer: a PMTiles archive, version 3, with
// vector tiles (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md). [Open] verifies it, [File.ReadAt]
// reads from it. The browser finds the tiles in it by itself, with range requests, so nothing else of it is understood
// here.
//
// Such files have up to 130 GB and stay on disk. Only the header and the metadata are read at the start, bounded by
// [maxMetadata] and [maxExpanded]; what is read later is in the page cache of the system.
//
//	header    what the tiles are, how they are compressed, where everything is
//	metadata  JSON: the layers, which tell the schema and so the style, and who must be named on the map
//
// A file that is written to while it is open fails from then on, so that nobody mixes parts of two files. One that is
// replaced by a rename, or removed, goes on as it was. A File is safe for concurrent use.
package basemap

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"pubd/loader/disk"
)

// A Schema is a convention about the layers of tiles and their attributes.
type Schema string

// The schemas that the explorer has a style for.
const (
	OpenMapTiles Schema = "openmaptiles" // https://openmaptiles.org/schema/
	Protomaps    Schema = "protomaps"    // https://docs.protomaps.com/basemaps/layers
)

// schemaLayers has the layer by which a schema is recognised: that of streets.
var schemaLayers = map[string]Schema{"transportation": OpenMapTiles, "roads": Protomaps}

// OpenStreetMap is the attribution of files that have none: both schemas are made of its data.
const OpenStreetMap = "© OpenStreetMap contributors"

// A File is an open archive.
type File struct {
	// Schema is that of the tiles. Attribution is plain text of at most 200 characters, never empty.
	Schema      Schema
	Attribution string
	// Size is in bytes. ETag is a strong entity tag, in quotes, which differs between versions of the file, not between
	// copies.
	Size int64
	ETag string

	file     *os.File
	modified time.Time
}

const (
	headerSize  = 127
	maxMetadata = 1 << 20 // bytes as stored
	maxExpanded = 8 << 20 // bytes of JSON
	// maxRoot is where the root directory must end, according to the specification.
	maxRoot        = 16 << 10
	maxAttribution = 200 // characters
)

// How people get a usable file.
const fix = "get one with pmtiles extract, or make one with planetiler"

// Open opens an archive and verifies its header and metadata. Errors begin with the name of the file and tell the fix.
// The caller closes it.
func Open(name string) (*File, error) {
	return disk.Do(context.Background(), &disk.Clock{Limit: disk.Patience}, name, func(context.Context) (*File, error) {
		file, _, err := disk.Open(name)
		if err != nil {
			return nil, unreadable(name, err)
		}
		f := &File{file: file}
		if err := f.verify(); err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return f, nil
	})
}

// unreadable returns why a file cannot be opened.
func unreadable(name string, err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w: name a PMTiles file that pubd may read, or %s", name, err, fix)
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// ErrChanged is returned after something has written to the file.
var ErrChanged = errors.New("the file has changed since the start: restart pubd; replace it by a rename next time")

// ReadAt implements io.ReaderAt. It returns ErrChanged unless the file is as it was when it was opened, before and
// after reading.
func (f *File) ReadAt(p []byte, offset int64) (n int, err error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	n, err = f.file.ReadAt(p, offset)
	if changed := f.check(); changed != nil {
		return 0, changed
	}
	return n, err
}

// check compares size and time of the open file with those at the start.
func (f *File) check() error {
	info, err := f.file.Stat()
	if err == nil && (info.Size() != f.Size || !info.ModTime().Equal(f.modified)) {
		return fmt.Errorf("%s: %w", f.file.Name(), ErrChanged)
	}
	return err
}

// verify reads the header and the metadata.
func (f *File) verify() error {
	info, err := f.file.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() == 0:
		return errors.New("is empty: " + fix)
	}
	f.Size, f.modified = info.Size(), info.ModTime()
	start := make([]byte, headerSize)
	n, err := f.file.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return err
	}
	h, err := parseHeader(start[:n], f.Size)
	if err != nil {
		return err
	}
	stored := make([]byte, h.metadata.length)
	if _, err := f.ReadAt(stored, h.metadata.offset); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	if f.ETag, err = f.tag(stored); err != nil {
		return err
	}
	return f.describe(stored, h.compression)
}

// tag returns an entity tag: a hash of the size, of the metadata, which may tell when the tiles were made, and of 64
// samples from the first byte to the last, which shift when the length of any tile changes. Times of the file are not
// in it, so that copies have the same tag on all replicas: clients must see one.
func (f *File) tag(metadata []byte) (string, error) {
	const samples, length = 64, 16 << 10 // the first one has the header and the root directory
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %s", f.Size, metadata) // never fails
	sample := make([]byte, min(f.Size, length))
	for i := range int64(samples) {
		if _, err := f.ReadAt(sample, (f.Size-int64(len(sample)))*i/(samples-1)); err != nil {
			return "", err
		}
		hash.Write(sample)
	}
	return `"` + hex.EncodeToString(hash.Sum(nil)[:8]) + `"`, nil
}

// A section is a part of the file.
type section struct{ offset, length int64 }

// A header is what is needed of it.
type header struct {
	metadata    section
	compression byte // of metadata and directories
}

// Compressions and types of tiles, by their number.
var (
	compressions = []string{"something unknown", "none", "gzip", "brotli", "zstd"}
	tileTypes    = []string{"of an unknown kind", "MVT", "PNG", "JPEG", "WebP", "AVIF", "MapLibre tiles"}
)

const (
	none, packed = 1, 2 // compressions that every browser expands
	mvt          = 1
)

// parseHeader parses the start of a file of a given size.
func parseHeader(start []byte, size int64) (h header, err error) {
	if err := recognise(start); err != nil {
		return header{}, err
	}
	names := []string{"root directory", "metadata", "leaf directories", "tiles"}
	sections := map[string]section{}
	for i, name := range names {
		offset, length := binary.LittleEndian.Uint64(start[8+16*i:]), binary.LittleEndian.Uint64(start[16+16*i:])
		if offset > uint64(size) || length > uint64(size)-offset {
			return header{}, fmt.Errorf("is cut off: its %s should be %d bytes from byte %d on, and the file has %d: copy or download it again", name, length, offset, size)
		}
		sections[name] = section{int64(offset), int64(length)}
	}
	root, metadata, tiles := sections[names[0]], sections[names[1]], sections[names[3]]
	switch {
	case root.length == 0 || root.offset < headerSize || root.offset+root.length > maxRoot:
		return header{}, fmt.Errorf("root directory: is %d bytes from byte %d on, must be within bytes %d to %d: %s", root.length, root.offset, headerSize, maxRoot, fix)
	case metadata.length == 0 || metadata.length > maxMetadata:
		return header{}, fmt.Errorf("metadata: are %d bytes, must be from 1 to %d: %s", metadata.length, maxMetadata, fix)
	case tiles.length == 0:
		return header{}, errors.New("has no tiles: " + fix)
	}
	for _, field := range []struct {
		name  string
		value byte
	}{{"directories", start[97]}, {"tiles", start[98]}} {
		if field.value != none && field.value != packed {
			return header{}, fmt.Errorf("%s: are compressed with %s, must be with gzip or not: %s", field.name, named(compressions, field.value), fix)
		}
	}
	if kind := start[99]; kind != mvt {
		return header{}, fmt.Errorf("tiles: are %s, must be vector tiles (MVT): %s", named(tileTypes, kind), fix)
	}
	return header{metadata, start[97]}, nil
}

// named returns the name of a number.
func named(names []string, number byte) string {
	if int(number) < len(names) {
		return names[number]
	}
	return names[0]
}

// magic is how an archive begins; its version follows.
const magic = "PMTiles"

// recognise returns an error unless the file begins as an archive of version 3.
func recognise(start []byte) error {
	is := func(beginning string) bool { return bytes.HasPrefix(start, []byte(beginning)) }
	switch {
	case is(magic) && len(start) == headerSize && start[len(magic)] == 3:
		return nil
	case is("SQLite format 3\x00"):
		return errors.New("is an MBTiles file (SQLite), not PMTiles: convert it with pmtiles convert FILE.mbtiles FILE.pmtiles")
	case is("\x1f\x8b"):
		return errors.New("is compressed with gzip: expand it with gunzip first")
	case is("PM") && !is(magic) && len(start) > 3 && start[3] == 0: // 2 bytes, and the version in another 2
		return fmt.Errorf("is PMTiles version %d, must be version 3: %s", start[2], fix)
	case is(magic) && len(start) > len(magic) && start[len(magic)] != 3:
		return fmt.Errorf("is PMTiles version %d, must be version 3: %s", start[len(magic)], fix)
	case is(magic):
		return errors.New("is cut off within its header: copy or download it again")
	}
	return fmt.Errorf("is not PMTiles version 3 (it begins with %q): %s", start[:min(len(start), 8)], fix)
}

// describe reads schema and attribution from the metadata, as stored.
func (f *File) describe(stored []byte, compression byte) error {
	text := stored
	if compression == packed {
		expanded, err := gzip.NewReader(bytes.NewReader(stored))
		if err == nil {
			text, err = io.ReadAll(io.LimitReader(expanded, maxExpanded+1))
		}
		if err != nil {
			return fmt.Errorf("metadata: %w: copy or download the file again", err)
		}
	}
	if len(text) > maxExpanded {
		return fmt.Errorf("metadata: are more than %d bytes when expanded: %s", maxExpanded, fix)
	}
	var metadata struct {
		Attribution string `json:"attribution"`
		Layers      []struct {
			ID string `json:"id"`
		} `json:"vector_layers"`
	}
	if err := json.Unmarshal(text, &metadata); err != nil {
		return fmt.Errorf("metadata: %w: %s", err, fix)
	}
	var layers []string
	for _, layer := range metadata.Layers {
		layers = append(layers, layer.ID)
		f.Schema = cmp.Or(f.Schema, schemaLayers[layer.ID])
	}
	if f.Schema == "" {
		return fmt.Errorf("layers: are %s, must be those of OpenMapTiles (with transportation) or of Protomaps (with roads): %s", listed(layers), fix)
	}
	f.Attribution = cmp.Or(plain(metadata.Attribution), OpenStreetMap)
	return nil
}

// listed returns some layers for a message.
func listed(layers []string) string {
	const most, longest = 20, 40
	if len(layers) == 0 {
		return "not named (vector_layers)"
	}
	slices.Sort(layers)
	var list []string
	for _, layer := range layers[:min(len(layers), most)] {
		list = append(list, cut(layer, longest))
	}
	if len(layers) > most {
		list = append(list, "…")
	}
	return fmt.Sprintf("%q", list)
}

// plain returns the text of HTML in one line of at most maxAttribution characters.
func plain(markup string) string {
	var text strings.Builder
	for markup != "" {
		before, tag, _ := strings.Cut(markup, "<")
		text.WriteString(before)
		_, markup, _ = strings.Cut(tag, ">")
	}
	line := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, html.UnescapeString(text.String()))
	return cut(strings.Join(strings.Fields(line), " "), maxAttribution)
}

// cut shortens a text to a number of characters.
func cut(text string, most int) string {
	if characters := []rune(text); len(characters) > most {
		return string(characters[:most-1]) + "…"
	}
	return text
}
