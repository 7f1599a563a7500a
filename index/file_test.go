package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/ranking"
	"pubd/index/schema"
	"pubd/index/spool"
)

// builtFile returns the index file of a directory that uses every section.
func builtFile(t testing.TB) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	var content indexfile.Memory
	testkit.OK(t, Build(manyPubs(rng, 600), &content, BuildOptions{Source: [32]byte{1, 2, 3}, BuilderVersion: "test"}))
	return content
}

// manyPubs generates a directory with at least count pubs.
func manyPubs(rng *rand.Rand, count int) corpus.Directory {
	directory := corpus.Directory{CountsReviews: true}
	for len(directory.Pubs) < count {
		for _, pub := range drawDirectory(rng.IntN).Pubs {
			pub.UID = fmt.Sprint(len(directory.Pubs))
			directory.Pubs = append(directory.Pubs, pub)
		}
	}
	return directory
}

func parsed(t testkit.TB, content []byte) *indexfile.File {
	t.Helper()
	file := testkit.Must(indexfile.Parse(content))(t)
	return file
}

// openBytes opens an index file with this content.
func openBytes(t testing.TB, content []byte, private int64) (*Snapshot, error) {
	t.Helper()
	f := fileOf(t, content)
	defer f.Close()
	return Open(f, private)
}

// fileOf returns a file with this content, called pubs.idx.
func fileOf(t testing.TB, content []byte) *os.File {
	t.Helper()
	return testkit.Must(os.Open(testkit.File(t, "pubs.idx", content)))(t)
}

// The same directory gives the same bytes, whatever the number of workers and wherever the memory comes from.
func TestBuildIsDeterministic(t *testing.T) {
	directory := func() corpus.Directory { return manyPubs(rand.New(rand.NewPCG(1, 2)), 3000) }
	source := directory()
	gazetteer := drawDirectory(rand.New(rand.NewPCG(1, 8)).IntN).Gazetteer
	testkit.StopIf(t, len(gazetteer) == 0, "there is no gazetteer")
	var first []byte
	for i, rows := range []*corpus.Rows{nil, corpus.NewRows(2, "", 0), corpus.NewRows(2, t.TempDir(), 0)} {
		d := directory()
		d.Gazetteer, d.Extra = gazetteer, []schema.ExtraColumn{"website", "facet:garden"}
		for i := range d.Pubs {
			if i%3 == 0 {
				d.Pubs[i].Extra = []string{fmt.Sprint("https://pub.example/", i), source.Pubs[i].Area}
				d.Pubs[i].Features, d.Pubs[i].OpeningHours = drawnFeatures[i%len(drawnFeatures)], drawnHours[i%len(drawnHours)]
				d.Pubs[i].Brand, d.Pubs[i].TimeZone = drawnBrands[i%len(drawnBrands)], drawnZones[i%len(drawnZones)]
			}
			if rows != nil {
				rows.Add(&d.Pubs[i], i)
			}
		}
		d.Rows = rows
		var content indexfile.Memory
		testkit.OK(t, Build(d, &content, BuildOptions{Workers: 1 + i}))
		if first == nil {
			first = content
		}
		testkit.StopIf(t, !bytes.Equal(content, first), "%d workers with pubs in %v write different bytes", 1+i, rows)
	}
}

// A build that runs out of memory, wherever it is, says so, and leaves nothing behind that uses memory.
func TestBuildRunsOutOfMemory(t *testing.T) {
	pubs := manyPubs(rand.New(rand.NewPCG(1, 2)), 1_000).Pubs
	for i := range pubs {
		for word := range 40 { // their terms take more than the rest
			pubs[i].Address += fmt.Sprint(40*i+word, " ")
		}
	}
	before := runtime.NumGoroutine()
	missing := filepath.Join(t.TempDir(), "missing")
	failures := 0
	for memory := int64(1 << 19); ; memory += memory / int64(testkit.Pick(2, 8)) {
		build := func() (err error) {
			defer spool.Catch(&err)
			rows := corpus.NewRows(0, missing, memory)
			defer rows.Close()
			for i := range pubs {
				rows.Add(&pubs[i], i)
			}
			var content indexfile.Memory
			return Build(corpus.Directory{Rows: rows}, &content, BuildOptions{Workers: 3})
		}
		err := build()
		for late := time.Now().Add(time.Second); runtime.NumGoroutine() > before && time.Now().Before(late); {
			runtime.Gosched() // to those that are about to end
		}
		testkit.StopIf(t, runtime.NumGoroutine() > before,
			"%d bytes: %d goroutines are left", memory, runtime.NumGoroutine()-before)
		if err == nil {
			break
		}
		if failures++; !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "memory for building: ") {
			t.Fatalf("%d bytes: got %v", memory, err)
		}
	}
	testkit.FailIf(t, failures < 4, "%d builds ran out of memory", failures)
}

func TestOpenedFileAnswers(t *testing.T) {
	content := builtFile(t)
	for _, private := range []int64{0, int64(len(content))} {
		s := testkit.Must(openBytes(t, content, private))(t)
		if err := s.Verify(); err != nil {
			t.Error(err)
		}
		testkit.FailIf(t, s.ID() != "0102030000000000" || s.BuilderVersion() != "test" || s.Size() != int64(len(content)) || s.Len() < 600,
			"got snapshot %s by %q, %d bytes, %d pubs", s.ID(), s.BuilderVersion(), s.Size(), s.Len())
	}
}

func TestForeignFilesAreRejected(t *testing.T) {
	content := builtFile(t)
	version := slices.Clone(content)
	binary.LittleEndian.PutUint32(version[8:], 99)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "pubs.idx: not an index file of pubd: it is empty; build it again with pubd build"},
		{"a CSV", []byte("UID,name\nu1,Anchor\n" + strings.Repeat("x", 200)), `pubs.idx: not an index file of pubd, or one that is not finished: it begins with "UID,name"`},
		{"another version", version, "pubs.idx: format version 99: this program reads version " + strconv.Itoa(FormatVersion()) + "; use the program that built it (test)"},
		{"not finished", append(make([]byte, 200), content[200:]...), "not finished"},
	} {
		if _, err := openBytes(t, c.content, 1<<30); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// A file that is truncated, or that has any bit flipped, except in the padding between sections, is rejected.
func TestDamagedFilesAreRejected(t *testing.T) {
	content := builtFile(t)
	file := parsed(t, content)
	rejects := func(content []byte, damage string, at int) {
		if _, err := indexfile.Parse(content); !isRefusal(err) {
			t.Errorf("%s at %d of %d: got %v", damage, at, len(content), err)
		}
	}
	table, last := 128+64*len(file.Sections), file.Sections[len(file.Sections)-1]
	cuts := []int{1, 7, 8, 100, 127, 128, 129, int(last.Offset+last.Size) - 1}
	for _, s := range file.Sections {
		if s.Offset < last.Offset+last.Size {
			cuts = append(cuts, int(s.Offset))
		}
	}
	for _, cut := range cuts {
		rejects(content[:cut], "cut", cut)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range testkit.Pick(500, 5_000) {
		at, bit := rng.IntN(len(content)), byte(1)<<rng.IntN(8)
		if at >= table && !slices.ContainsFunc(file.Sections, func(s Section) bool { return s.Offset <= int64(at) && int64(at) < s.Offset+s.Size }) {
			continue
		}
		content[at] ^= bit
		rejects(content, "a bit flipped", at)
		content[at] ^= bit
	}
}

func isRefusal(err error) bool {
	var refusal *indexfile.Error
	return errors.As(err, &refusal)
}

func openCopy(content []byte) (*Snapshot, error) {
	mapping, err := indexfile.Copy(content)
	if err != nil {
		return nil, err
	}
	return newSnapshot(mapping)
}

// forge makes the checksums of a changed file correct.
func forge(content []byte) {
	const headerSize, entrySize, sumStart = 128, 64, 112
	table := crc32.MakeTable(crc32.Castagnoli)
	count := int(binary.LittleEndian.Uint32(content[12:]))
	for i := range count {
		if headerSize+entrySize*(i+1) > len(content) {
			return
		}
		entry := content[headerSize+entrySize*i:][:entrySize]
		offset, size := binary.LittleEndian.Uint64(entry[40:]), binary.LittleEndian.Uint64(entry[48:])
		if offset < uint64(len(content)) && size <= uint64(len(content))-offset {
			binary.LittleEndian.PutUint32(entry[56:], crc32.Checksum(content[offset:offset+size], table))
		}
	}
	clear(content[sumStart : sumStart+4])
	binary.LittleEndian.PutUint32(content[sumStart:], crc32.Checksum(content[:headerSize+entrySize*count], table))
}

// callEverything runs queries of all kinds on a snapshot, whatever its content. It returns the number of queries that
// panicked because they would have read outside the file.
func callEverything(s *Snapshot) (panics int) {
	var w Workspace
	guarded := func(call func()) {
		defer func() {
			if cause := recover(); cause != nil {
				panics++
				w = Workspace{}
			}
		}()
		call()
	}
	circle := geo.NewCircle(geo.Point{Lat: 51.5, Lng: -0.1}, 50)
	for _, text := range []string{"red", "r", "lion red", "redlion", "ailwa", "raliway hotel", "anchor nothing at all", "pubs in soho", "anchro soho"} {
		for sort := range schema.SortCount {
			for kind := range 4 {
				q := Query{Text: []byte(text), All: text == "r", Sort: sort, Descending: kind%2 == 0, Amount: 10, Page: int64(kind), Weights: ranking.Weights{1, 2}, Rated: kind == 3}
				if kind > 1 || sort == schema.SortDistance {
					q.Circle = &circle
				}
				if kind == 0 {
					q.Counts = []schema.Facet{schema.Trading, schema.Category, schema.Location}
					q.Filter.Ranges = []Range{{schema.Number(schema.Beer), 3, 10}, {schema.NumberReviews, 1, math.Inf(1)}}
					q.Filter.Values[schema.Location] = [][]byte{[]byte("soho"), []byte("newtown")}
				}
				guarded(func() {
					result := s.Search(&q, &w)
					for _, pub := range result.Pubs {
						w.Highlights(s, &result, pub)
					}
				})
			}
		}
	}
	for _, pub := range []uint32{0, 1, uint32(s.Len()) / 2, uint32(s.Len()) - 1} {
		guarded(func() {
			prepared := s.Prepared(pub)
			prepared.Touch()
			prepared.Append(nil)
		})
		guarded(func() { s.Pub(pub) })
		guarded(func() { s.AppendLabel(nil, pub) })
		guarded(func() { s.Ratings(pub) })
		guarded(func() { s.LocalRank(pub, schema.Total) })
		guarded(func() { s.Namesakes(pub) })
	}
	guarded(func() { s.Lookup([]byte("7")) })
	for _, text := range []string{"re", "ls1", "sw1a2p"} {
		guarded(func() { s.Suggest(&w, &Query{Text: []byte(text), Amount: 10}) })
	}
	guarded(func() { s.Statistics(schema.Beer) })
	guarded(func() { s.CountAll(schema.Location) })
	guarded(func() { _ = s.Verify() })
	return panics
}

// Files with correct checksums but arbitrary content, or with offsets that do not ascend, are rejected or opened. No
// query reads outside them, crashes the process or goes on for ever.
func TestForgedFilesDoNotCrash(t *testing.T) {
	content := builtFile(t)
	if s, err := openCopy(content); err != nil || callEverything(s) != 0 {
		t.Fatalf("the original file: %v", err)
	}
	late := time.AfterFunc(10*time.Minute, func() { panic("a query of a forged file does not end") })
	defer late.Stop()
	rng := rand.New(rand.NewPCG(7, 8))
	file := parsed(t, content)
	files, refused, panics := 0, 0, 0
	try := func(s Section, change func(values []byte)) {
		forged := slices.Clone(content)
		change(forged[s.Offset : s.Offset+s.Size])
		forge(forged)
		files++
		snapshot, err := openCopy(forged)
		if err != nil {
			refused++
			return
		}
		panics += callEverything(snapshot)
	}
	for i := range testkit.Pick(50, 200) {
		try(file.Sections[i*7%len(file.Sections)], func(values []byte) {
			for range min(len(values), 1+rng.IntN(8)) {
				values[rng.IntN(len(values))] = pick(rng.IntN, 255, byte(rng.IntN(256)))
			}
		})
	}
	for _, s := range file.Sections {
		if !strings.HasSuffix(s.Name, "starts") && !strings.HasSuffix(s.Name, "heads") {
			continue
		}
		for _, width := range []int{4, 8} { // of an offset
			try(s, func(values []byte) {
				for at := width; at+width <= len(values); at += 2 * width {
					copy(values[at:at+width], values[at-width:at])
				}
			})
		}
	}
	testkit.FailIf(t, refused == 0 || refused == files, "%d forged files, %d rejected", files, refused)
	t.Logf("%d forged files, %d rejected; %d queries of the others panicked", files, refused, panics)
}

// A file with numbers that are out of range is rejected, and the error names their section.
func TestForgedNumbersAreRejected(t *testing.T) {
	directory := manyPubs(rand.New(rand.NewPCG(11, 12)), 600)
	for i := range directory.Pubs {
		directory.Pubs[i].Trading = "open" // enough pubs for a bitmap
	}
	var content indexfile.Memory
	testkit.OK(t, Build(directory, &content, BuildOptions{}))
	file := parsed(t, content)
	testkit.StopIf(t, file.Pubs%64 == 0, "%d pubs leave no unused bits in a bitmap", file.Pubs)
	first := func(with byte) func([]byte) { return func(values []byte) { values[0] ^= with } }
	full := func(values []byte) { copy(values, bytes.Repeat([]byte{0xff}, len(values))) }
	last := func(with byte) func([]byte) { return func(values []byte) { values[len(values)-1] ^= with } }
	for _, c := range []struct {
		section string
		forge   func(values []byte)
	}{
		{"orders.beer.heads", first(0xfe)}, // the number of groups differs from that of values
		{"orders.beer.heads", last(0x80)},  // in bitmaps, the bit of a pub that does not exist
		{"orders.beer.rated", last(0x80)},
		{"orders.beer.suffixes", last(0x80)},
		{"orders.beer.ordinals", last(0x80)},
		{"rated", last(0x80)},
		{"located", last(0x80)},
		{"orders.beer.numbers", full},
		{"orders.beer.starts", last(0x80)},
		{"common_category.numbers", full},
		{"location.numbers", full},
		{"local.beer.groups", full},
		{"trading.pubs.ids", last(0x80)},
		{"trading.pubs.bits", last(0x80)},
		{"pubs.uids", last(0x80)},
		{"titles.shown", last(0x80)},
		{"words.trigrams.terms", last(0x80)}, // the last number does not end
		{"names.words", last(0x80)},
		{"names.words.starts", last(0x80)},
		{"pubs.starts", last(0x80)},
		{"details.starts", last(0x80)},
		{"named.postings.ids", last(0x80)},
		{"words.postings.of", last(0x80)},
		{"words.whole.of", last(0x80)},
		{"places.codes.outwards", last(0x80)},
		{"places.codes.starts", last(0x80)},
		{"places.codes.pubs", last(0x80)},
		{"places.centred", last(0x80)},
		{"places.names.own.starts", last(0x80)},
	} {
		i := slices.IndexFunc(file.Sections, func(s Section) bool { return s.Name == c.section })
		if i < 0 || file.Sections[i].Size == 0 {
			t.Errorf("%s: missing or empty", c.section)
			continue
		}
		forged := slices.Clone(content)
		s := file.Sections[i]
		c.forge(forged[s.Offset : s.Offset+s.Size])
		forge(forged)
		if _, err := openCopy(forged); !isRefusal(err) || !strings.Contains(err.Error(), strconv.Quote(c.section)) {
			t.Errorf("%s: got %v", c.section, err)
		}
	}
}

// FuzzOpen opens and queries files with changed bytes and correct checksums.
func FuzzOpen(f *testing.F) {
	honest := builtFile(f)
	f.Add(uint32(200), []byte{1, 2, 3})
	f.Add(uint32(16_600), []byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		content := slices.Clone(honest)
		copy(content[int(at)%len(content):], change)
		forge(content)
		late := time.AfterFunc(10*time.Second, func() { panic("a query of a forged file does not end") })
		defer late.Stop()
		if s, err := openCopy(content); err == nil && s.Len() > 0 {
			callEverything(s)
		}
	})
}

// A snapshot that nobody releases stays mapped while a query uses it, and is unmapped afterwards.
func TestSnapshotsAreUnmapped(t *testing.T) {
	content := builtFile(t)
	before := mappedFiles(t)
	var workers sync.WaitGroup
	for worker := range uint64(2) {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(9, worker))
			var w Workspace
			for range 60 {
				s, err := openBytes(t, content, 0)
				if err != nil {
					t.Error(err)
					return
				}
				want := s.Len()
				for range 20 {
					if got := s.Search(&Query{All: true, Amount: 10, Sort: preparedSorts[rng.IntN(len(preparedSorts))]}, &w); got.Total != want {
						t.Errorf("%d pubs, want %d", got.Total, want)
					}
				}
				if rng.IntN(4) == 0 {
					runtime.GC()
				}
			}
		})
	}
	workers.Wait()
	waitUntilMapped(t, before)
}

// The last reader unmaps the file, once and without the garbage collector; afterwards there is no other.
func TestLastReaderUnmaps(t *testing.T) {
	before := mappedFiles(t)
	s := testkit.Must(openBytes(t, builtFile(t), 0))(t)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 1000 {
				testkit.FailIf(t, !s.Acquire() || s.Pub(0).UID == "", "the opener is a reader, but nobody else can be")
				s.Release()
			}
		})
	}
	testkit.FailIf(t, !s.Acquire(), "the opener is a reader, but nobody else can be")
	readers.Wait()
	s.Release()
	testkit.FailIf(t, mappedFiles(t) <= before || s.Pub(0).UID == "", "unmapped before the last reader has released it")
	s.Release()
	testkit.FailIf(t, mappedFiles(t) != before || s.Acquire(),
		"released by all: %d files are mapped, want %d as before", mappedFiles(t), before)
	func() {
		defer func() {
			testkit.FailIf(t, recover() == nil || s.Acquire(), "released by more than its readers")
		}()
		s.Release()
	}()
	other, err := openBytes(t, builtFile(t), 0) // the kernel may map it where the first one was
	testkit.OK(t, err)
	s = nil
	for range 3 {
		runtime.GC()
	}
	testkit.FailIf(t, other.Pub(0).UID == "" || mappedFiles(t) <= before,
		"the garbage collector unmaps what was released")
	other.Release()
}

// waitUntilMapped collects garbage until only so many index files are mapped.
func waitUntilMapped(t *testing.T, want int) {
	t.Helper()
	for range 100 {
		runtime.GC()
		if mappedFiles(t) == want {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d files are mapped, want %d as before", mappedFiles(t), want)
}

// mappedFiles returns the number of index files in the process's memory map.
func mappedFiles(t *testing.T) int {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("no /proc/self/maps: ", err)
	}
	return bytes.Count(maps, []byte("pubs.idx"))
}

// A workspace that was used with a snapshot does not keep it in memory.
func TestWorkspaceKeepsNoSnapshot(t *testing.T) {
	before := mappedFiles(t)
	var w Workspace
	use := func() {
		s := testkit.Must(openBytes(t, builtFile(t), 0))(t)
		rng := rand.New(rand.NewPCG(7, 8))
		for _, text := range []string{"red", "redlion", "raliway", "anchor nothing"} {
			for sort := range schema.SortCount {
				circle := geo.NewCircle(geo.Point{Lat: 51.5, Lng: -0.1}, 50)
				s.Search(&Query{Text: []byte(text), Sort: sort, Circle: &circle, Weights: ranking.Weights{1}, Amount: 1 + rng.IntN(9), Counts: []schema.Facet{schema.Trading, schema.Category}}, &w)
			}
		}
		s.Suggest(&w, &Query{Text: []byte("re"), Amount: 5})
	}
	use()
	waitUntilMapped(t, before)
	runtime.KeepAlive(&w)
}

// Replacing, truncating or deleting a served file has no effect if it was copied. If it was mapped in place,
// truncating it makes queries panic, which their goroutine recovers.
func TestTruncatedWhileServed(t *testing.T) {
	content := builtFile(t)
	for _, private := range []int64{int64(len(content)), 0} {
		f := fileOf(t, content)
		s := testkit.Must(Open(f, private))(t)
		f.Close()
		testkit.OK(t, os.Truncate(f.Name(), 0))
		testkit.OK(t, os.Remove(f.Name()))
		debug.SetPanicOnFault(true)
		panics := callEverything(s)
		testkit.FailIf(t, private > 0 && panics > 0 || private == 0 && panics == 0,
			"copied %v: %d queries panicked", private > 0, panics)
	}
}

// What is read from a file that was written to in place is not to be used until the file was found intact.
func TestIsOverwritten(t *testing.T) {
	content := builtFile(t)
	f := fileOf(t, content)
	defer f.Close()
	s, moved, ticks := testkit.Must(Open(f, 0))(t), f.Name()+".moved", int64(0)
	write := func(content []byte) error { // in another tick of the kernel's clock
		ticks++
		return errors.Join(os.WriteFile(moved, content, 0o600), os.Chtimes(moved, time.Time{}, time.Unix(ticks, 0)))
	}
	for _, step := range []struct {
		what         string
		do           func() error
		then, intact bool
	}{
		{"opened", func() error { return nil }, false, true},
		{"renamed", func() error { return os.Rename(f.Name(), moved) }, false, true},
		{"written over with the same", func() error { return write(content) }, true, true},
		{"found intact", func() error { return nil }, false, true},
		{"written over", func() error { return write(slices.Concat(content[:4096], make([]byte, len(content)-4096))) }, true, false},
	} {
		testkit.OK(t, step.do())
		testkit.Equal(t, step.what+": is overwritten", s.IsOverwritten(), step.then)
		testkit.Equal(t, step.what+": is intact", s.Intact() == nil, step.intact)
	}
}

// A file that is truncated while it is opened or verified in place is rejected, and does not crash the process.
func TestTruncatedWhileOpened(t *testing.T) {
	content := builtFile(t)
	for _, size := range []int64{0, parsed(t, content).Sections[0].Offset, int64(len(content)) / 2} {
		f := fileOf(t, content)
		defer f.Close()
		mapping := testkit.Must(indexfile.Map(f, 0))(t)
		s := testkit.Must(Open(f, 0))(t)
		testkit.OK(t, os.Truncate(f.Name(), size))
		if _, err := newSnapshot(mapping); err == nil {
			t.Errorf("opened, truncated to %d bytes: got no error", size)
		}
		if err := s.Verify(); err == nil {
			t.Errorf("verified, truncated to %d bytes: got no error", size)
		}
	}
}

// A file of few pubs, whose last sections are empty, is complete on disk, too.
func TestBuildToDisk(t *testing.T) {
	for count := range 5 {
		f := testkit.Must(os.Create(filepath.Join(t.TempDir(), "pubs.idx")))(t)
		defer f.Close()
		var directory corpus.Directory
		for i := range count + 1 {
			directory.Pubs = append(directory.Pubs, schema.Pub{UID: fmt.Sprint(i), Name: "Bell", Latitude: math.NaN(), Longitude: math.NaN(), Ratings: schema.Rated(nil)})
		}
		testkit.OK(t, Build(directory, f, BuildOptions{}))
		if s, err := Open(f, 0); err != nil || s.Len() != count+1 {
			t.Errorf("%d pubs: %v", count+1, err)
		}
	}
}
