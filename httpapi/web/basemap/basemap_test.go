package basemap

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

// An archive is the content of a file, changed before or after it is put together.
type archive struct {
	metadata              string
	internal, tiles, kind byte // 0 means gzip and MVT
	root                  int  // the size of the root directory; 0 means 20
}

const osmLayers = `{"vector_layers":[{"id":"transportation"},{"id":"water"}]}`

func zip(t testing.TB, text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	testkit.Must(w.Write(text))(t)
	testkit.OK(t, w.Close())
	return out.Bytes()
}

func (a archive) bytes(t testing.TB) []byte {
	metadata := []byte(cmp.Or(a.metadata, osmLayers))
	if cmp.Or(a.internal, packed) == packed {
		metadata = zip(t, metadata)
	}
	root, tiles := bytes.Repeat([]byte{1}, cmp.Or(a.root, 20)), []byte("the tiles")
	header := append([]byte(magic), 3)
	offset := headerSize
	for _, length := range []int{len(root), len(metadata), 0, len(tiles)} {
		header = binary.LittleEndian.AppendUint64(header, uint64(offset))
		header = binary.LittleEndian.AppendUint64(header, uint64(length))
		offset += length
	}
	header = append(header, make([]byte, headerSize-len(header))...)
	header[97], header[98], header[99] = cmp.Or(a.internal, packed), cmp.Or(a.tiles, packed), cmp.Or(a.kind, mvt)
	return slices.Concat(header, root, metadata, tiles)
}

func opened(t testing.TB, content []byte) *File {
	t.Helper()
	f := testkit.Must(Open(testkit.File(t, "map.pmtiles", content)))(t)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestSchemas(t *testing.T) {
	for _, test := range []struct {
		archive archive
		want    Schema
	}{
		{archive{}, OpenMapTiles},
		{archive{metadata: `{"vector_layers":[{"id":"earth"},{"id":"roads"}]}`}, Protomaps},
		{archive{internal: none}, OpenMapTiles},
		{archive{tiles: none}, OpenMapTiles},
		{archive{root: maxRoot - headerSize}, OpenMapTiles},
	} {
		f := opened(t, test.archive.bytes(t))
		testkit.Equal(t, "schema", f.Schema, test.want)
		testkit.Equal(t, "size", f.Size, int64(len(test.archive.bytes(t))))
	}
}

func TestAttribution(t *testing.T) {
	for _, test := range []struct{ markup, want string }{
		{``, OpenStreetMap},
		{`  <br> `, OpenStreetMap},
		{`Somebody`, "Somebody"},
		{`<a href='https://x.example/?a=b'>&copy; OpenMapTiles</a> <a>&#169; OpenStreetMap contributors</a>`, "© OpenMapTiles © OpenStreetMap contributors"},
		{"a\\n\\tb\u202ec\\u0000", "a b c"},
		{`&lt;script&gt;`, "<script>"},
		{`left <b unfinished`, "left"},
		{strings.Repeat("ä", 200), strings.Repeat("ä", 200)},
		{strings.Repeat("ä", 201), strings.Repeat("ä", 199) + "…"},
	} {
		f := opened(t, archive{metadata: `{"attribution":"` + test.markup + `","vector_layers":[{"id":"roads"}]}`}.bytes(t))
		testkit.Equal(t, "attribution of "+test.markup, f.Attribution, test.want)
	}
}

// Each file that cannot be used is rejected with what it is and what to do.
func TestWrongFiles(t *testing.T) {
	whole := archive{}.bytes(t)
	changed := func(at int, value byte) []byte {
		content := slices.Clone(whole)
		content[at] = value
		return content
	}
	for _, test := range []struct {
		content []byte
		want    string
	}{
		{nil, "is empty: get one with pmtiles extract"},
		{[]byte("<!DOCTYPE html>"), `is not PMTiles version 3 (it begins with "<!DOCTYP"): get one with pmtiles extract`},
		{[]byte("x"), `is not PMTiles version 3 (it begins with "x")`},
		{[]byte("SQLite format 3\x00 and more"), "is an MBTiles file (SQLite), not PMTiles: convert it with pmtiles convert"},
		{zip(t, whole), "is compressed with gzip: expand it with gunzip first"},
		{[]byte("PM\x02\x00 and more"), "is PMTiles version 2, must be version 3"},
		{changed(7, 4), "is PMTiles version 4, must be version 3"},
		{whole[:7], "is cut off within its header: copy or download it again"},
		{whole[:126], "is cut off within its header: copy or download it again"},
		{whole[:len(whole)-1], "is cut off: its tiles should be 9 bytes from byte 224 on, and the file has 232: copy or download it again"},
		{changed(23, 0x80), "is cut off: its root directory should be 9223372036854775828 bytes from byte 127 on, and the file has 233"},
		{changed(15, 0xff), "is cut off: its root directory should be 20 bytes from byte 18374686479671623807 on"},
		{changed(16, 0), "root directory: is 0 bytes from byte 127 on, must be within bytes 127 to 16384"},
		{changed(8, 0), "root directory: is 20 bytes from byte 0 on"},
		{archive{root: maxRoot - headerSize + 1}.bytes(t), "root directory: is 16258 bytes from byte 127 on"},
		{changed(32, 0), "metadata: are 0 bytes, must be from 1 to 1048576"},
		{archive{internal: none, metadata: strings.Repeat(" ", maxMetadata+1)}.bytes(t), "metadata: are 1048577 bytes, must be from 1 to 1048576"},
		{archive{metadata: strings.Repeat(" ", maxExpanded+1)}.bytes(t), "metadata: are more than 8388608 bytes when expanded"},
		{changed(64, 0), "has no tiles"},
		{changed(97, 4), "directories: are compressed with zstd, must be with gzip or not"},
		{changed(98, 3), "tiles: are compressed with brotli, must be with gzip or not"},
		{changed(98, 0), "tiles: are compressed with something unknown"},
		{changed(99, 2), "tiles: are PNG, must be vector tiles (MVT)"},
		{changed(99, 6), "tiles: are MapLibre tiles, must be vector tiles (MVT)"},
		{changed(99, 99), "tiles: are of an unknown kind"},
		{changed(147, 0), "metadata: gzip: invalid header: copy or download the file again"},
		{archive{metadata: `[1]`}.bytes(t), "metadata: json: cannot unmarshal array"},
		{archive{metadata: `{"attribution":1}`}.bytes(t), "metadata: json: cannot unmarshal number"},
		{archive{metadata: strings.Repeat(`[`, 1<<20)}.bytes(t), "metadata: invalid character '[' exceeded max depth"},
		{archive{metadata: `{}`}.bytes(t), "layers: are not named (vector_layers), must be those of OpenMapTiles (with transportation) or of Protomaps (with roads)"},
		{archive{metadata: `{"vector_layers":[{"id":"streets"},{"id":"addresses"}]}`}.bytes(t), `layers: are ["addresses" "streets"], must be`},
		{archive{metadata: `{"vector_layers":[` + strings.Repeat(`{"id":"x"},`, 1e5) + `{"id":"x"}]}`}.bytes(t), `"x" "…"], must be`},
	} {
		name := testkit.File(t, "map.pmtiles", test.content)
		f, err := Open(name)
		testkit.FailIf(t, err == nil || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), test.want) || len(err.Error()) > len(name)+500,
			"file of %d bytes: got %v and error %v, want one with %q", len(test.content), f, err, test.want)
	}
}

func TestWrongNames(t *testing.T) {
	folder := t.TempDir()
	for name, want := range map[string]string{folder: "is a directory: must be a regular file: name a PMTiles file", filepath.Join(folder, "none"): "no such file or directory: name a PMTiles file",
		os.DevNull: "is a device: must be a regular file: name a PMTiles file"} {
		_, err := Open(name)
		testkit.FailIf(t, err == nil || !strings.HasPrefix(err.Error(), name+": "+want),
			"got error %v, want %s: %s", err, name, want)
	}
}

// Whatever a file has, Open ends with a usable archive or an error.
func TestDamagedFiles(t *testing.T) {
	whole, folder := archive{}.bytes(t), t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		content := slices.Clone(whole)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			content[rapid.IntRange(0, len(content)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "value")
		}
		content = content[:rapid.IntRange(0, len(content)).Draw(t, "length")]
		name := filepath.Join(folder, "map.pmtiles")
		testkit.OK(t, os.WriteFile(name, content, 0o600))
		f, err := Open(name)
		if err != nil {
			return
		}
		defer f.Close()
		testkit.StopIf(t, f.Schema != OpenMapTiles || f.Attribution == "" || f.Size != int64(len(content)) || len(f.ETag) != 18,
			"got %+v", f)
	})
}

// What is read is of the file as it was at the start, or an error.
func TestChangedFiles(t *testing.T) {
	whole := archive{}.bytes(t)
	later := time.Now().Add(time.Hour)
	for name, change := range map[string]func(name string) error{
		"cut off":   func(name string) error { return os.Truncate(name, 100) },
		"longer":    func(name string) error { return os.Truncate(name, 10_000) },
		"rewritten": func(name string) error { return os.Chtimes(name, later, later) },
	} {
		file := testkit.File(t, "map.pmtiles", whole)
		f := testkit.Must(Open(file))(t)
		testkit.OK(t, change(file))
		n, err := f.ReadAt(make([]byte, 10), 0)
		testkit.FailIf(t, n != 0 || !errors.Is(err, ErrChanged) || !strings.HasPrefix(err.Error(), file),
			"%s: got %d bytes and error %v, want 0 and %v", name, n, err, ErrChanged)
		testkit.OK(t, f.Close())
	}
}

func TestReplacedFile(t *testing.T) {
	whole := archive{}.bytes(t)
	file := testkit.File(t, "map.pmtiles", whole)
	f := testkit.Must(Open(file))(t)
	defer f.Close()
	testkit.OK(t, os.WriteFile(file+".new", []byte("another"), 0o600))
	testkit.OK(t, os.Rename(file+".new", file))
	got := testkit.Must(io.ReadAll(io.NewSectionReader(f, 0, f.Size)))(t)
	testkit.Equal(t, "content", string(got), string(whole))
}

// Each version of a file has an entity tag of its own, and copies have the same.
func TestETag(t *testing.T) {
	tag := func(content []byte) string { return opened(t, content).ETag }
	whole := archive{root: 10_000, tiles: none}.bytes(t)
	first := tag(whole)
	copied := testkit.File(t, "map.pmtiles", whole)
	earlier := time.Now().Add(-time.Hour)
	testkit.OK(t, os.Chtimes(copied, earlier, earlier))
	f := testkit.Must(Open(copied))(t)
	defer f.Close()
	testkit.Equal(t, "entity tag of a copy", f.ETag, first)
	for at := headerSize; at < headerSize+10_000; at += 1000 {
		changed := slices.Clone(whole)
		changed[at]++
		testkit.FailIf(t, tag(changed) == first, "a file with another byte %d has the same entity tag", at)
	}
	// Metadata that no sample has: they are behind most of a large file.
	large := func(made string) []byte {
		content := archive{root: 100, tiles: none, internal: none, metadata: osmLayers[:len(osmLayers)-1] + `,"made":"` + made + `"}`}.bytes(t)
		from := headerSize + 100
		metadata := content[from : len(content)-len("the tiles")]
		moved := slices.Concat(content[:from], make([]byte, 1_500_000), metadata, make([]byte, 1_500_000))
		binary.LittleEndian.PutUint64(moved[24:], uint64(from+1_500_000))
		return moved
	}
	testkit.FailIf(t, tag(large("2026-11-25")) == tag(large("2026-11-26")),
		"a file with other metadata has the same entity tag")
	testkit.FailIf(t, tag(append(slices.Clone(whole), 0)) == first, "a longer file has the same entity tag")
}

// The last sample ends with a file, however large it is.
func TestSamples(t *testing.T) {
	whole := archive{}.bytes(t)
	name := testkit.File(t, "map.pmtiles", whole)
	testkit.OK(t, os.Truncate(name, 1<<40)) // a hole, which takes no room
	f := testkit.Must(Open(name))(t)
	testkit.OK(t, f.Close())
}
