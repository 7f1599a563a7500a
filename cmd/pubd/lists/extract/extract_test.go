package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/loader/sniff"
)

func isPub(tags map[string]string) bool {
	return slices.Contains([]string{"pub", "bar", "biergarten"}, tags["amenity"])
}

// collect returns what Read gives.
func collect(content []byte, format sniff.Kind, keep func(map[string]string) bool) (elements []Element, err error) {
	err = Read(bytes.NewReader(content), format, keep, func(e Element) error {
		elements = append(elements, e)
		return nil
	})
	return elements, err
}

// line shows an element, with its tags in order.
func line(e Element) string {
	var tags []string
	for _, key := range slices.Sorted(maps.Keys(e.Tags)) {
		tags = append(tags, key+"="+e.Tags[key])
	}
	return fmt.Sprintf("%s/%d %v %v %s", e.Type, e.ID, e.Latitude, e.Longitude, strings.Join(tags, ","))
}

func lines(elements []Element) string {
	var all []string
	for _, e := range elements {
		all = append(all, line(e))
	}
	return strings.Join(all, "\n")
}

// tiny lists the elements of testdata/tiny.osm.pbf: made-up places around a village.
func tiny() []item {
	place := func(id int64, lat, lon int32, tags ...string) item {
		it := item{kind: node, id: id, lat: lat, lon: lon, tags: map[string]string{}}
		for _, tag := range tags {
			key, value, _ := strings.Cut(tag, "=")
			it.tags[key] = value
		}
		return it
	}
	area := func(kind kind, id int64, tags ...string) item {
		it := place(id, 0, 0, tags...)
		it.kind = kind
		return it
	}
	gone := place(112, 523800000, 11100000, "amenity=pub", "name=The Gone Goose")
	gone.deleted = true
	arms := area(way, 201, "amenity=pub", "building=yes", "name=The Tapping Heron", "addr:street=Mere Street", "addr:housenumber=3", "addr:city=Little Mardle",
		"brand=Wetherspoon", "operator=JD Wetherspoon", "food=yes", "wheelchair=yes")
	arms.nodes = []int64{1, 2, 3, 4, 1}
	outline := area(way, 202)
	outline.nodes = []int64{5, 6, 7, 8, 5}
	edge := area(way, 203, "amenity=bar", "name=The Far Edge")
	edge.nodes = []int64{901, 902, 901}
	manor := area(relation, 301, "type=multipolygon", "amenity=pub", "name=Mardle Manor", "addr:housename=The Manor", "addr:city=Great Mardle")
	manor.members = []member{{way, 202}}
	return []item{
		place(1, 523701000, 11001000), place(2, 523701000, 11003000), place(3, 523702001, 11003000), place(4, 523702001, 11001000),
		place(5, 523801000, 11101000), place(6, 523801000, 11105000), place(7, 523805000, 11105000), place(8, 523805000, 11101000),
		place(101, 523712345, 11012345, "amenity=pub", "name=The Wheelwright's Rest", "addr:housenumber=12", "addr:street=Chapel Lane",
			"addr:city=Little Mardle", "addr:postcode=ZZ1 1AA", "website=https://wheelwright.example", "phone=+44 20 7946 0001", "opening_hours=Mo-Su 11:00-23:00"),
		place(102, 523722345, 11022345, "amenity=pub", "name=The Quiet Badger", "alt_name=The Badger", "old_name=The Loud Badger", "addr:city=Little Mardle",
			"outdoor_seating=garden", "dog=yes", "live_music=no", "opening_hours=Mo-Th 12:00-23:00; Fr-Sa 12:00-02:00"),
		place(103, 523732345, 11032345, "amenity=bar", "name=Bar Zürich", "addr:street=Mere Street", "addr:city=Little Mardle", "contact:website=https://zuerich.example",
			"operator=Fuller's", "internet_access=wlan", "opening_hours=Tu-Su sunset-23:00"),
		place(104, 523742345, 11042345, "amenity=pub", "name=The Plain Plough", "wheelchair=no", "food=no"),
		place(105, 523752345, 11052345, "amenity=pub"),
		place(106, 523762345, 11062345, "amenity=biergarten", "name=Kastaniengarten", "addr:city=Great Mardle"),
		place(107, 523772345, 11072345, "amenity=restaurant", "name=Trattoria Mardle", "addr:city=Great Mardle"),
		place(108, 523782345, 11082345, "craft=brewery", "microbrewery=yes", "name=Mardle Brewing", "addr:city=Great Mardle"),
		place(109, 523792345, 11092345, "amenity=bar", "name=Blue Lantern"),
		place(110, 523802345, 11102345, "amenity=pub", "name=The Cask & Cooper", "real_ale=yes", "wheelchair=limited", "addr:city=Great Mardle"),
		place(111, 523812345, 11112345, "disused:amenity=pub", "name=The Old Bellows"),
		gone, arms, outline, edge, manor,
	}
}

// The fixture that other packages read.
func TestTiny(t *testing.T) {
	const name = "testdata/tiny.osm.pbf"
	if *testkit.Update {
		testkit.OK(t, os.WriteFile(name, pbfWriter{dense: true, deflate: true}.write(tiny()), 0o644))
	}
	content := testkit.Must(os.ReadFile(name))(t)
	got, err := collect(content, sniff.PBF, isPub)
	if want := lines(model(tiny(), isPub)); err != nil || lines(got) != want || len(got) != 11 {
		t.Errorf("%d elements, %v:\n%s\nwant 11:\n%s", len(got), err, lines(got), want)
	}
	if areas := lines(got[8:]); !strings.Contains(areas, "way/201 52.3701501 1.1002 ") ||
		!strings.Contains(areas, "way/203 NaN NaN ") || !strings.Contains(areas, "relation/301 52.3803 1.1103 ") {
		t.Errorf("positions of ways and relations:\n%s", areas)
	}
}

func randomItems(t *rapid.T) (items []item) {
	texts := rapid.SampledFrom([]string{"amenity", "name", "pub", "bar", "cinema", "The <&\"'> Bell", "Zürich", "日本", " two  spaces "})
	coordinate := func(limit int32) *rapid.Generator[int32] {
		return rapid.OneOf(rapid.Int32Range(-limit, limit), rapid.Int32Range(-3, 3), rapid.SampledFrom([]int32{-limit, limit}))
	}
	ids := rapid.Int64Range(-9, 9)
	taken := map[member]bool{}
	for range rapid.IntRange(0, 40).Draw(t, "elements") {
		it := item{kind: kind(rapid.IntRange(0, 2).Draw(t, "kind")), tags: rapid.MapOfN(texts, texts, 0, 3).Draw(t, "tags")}
		if it.id = rapid.OneOf(ids, rapid.Int64()).Draw(t, "id"); taken[member{it.kind, it.id}] {
			continue
		}
		taken[member{it.kind, it.id}] = true
		if rapid.Bool().Draw(t, "is pub") {
			it.tags["amenity"] = rapid.SampledFrom([]string{"pub", "bar", "cinema"}).Draw(t, "amenity")
		}
		it.deleted = rapid.IntRange(0, 5).Draw(t, "deleted") == 0
		switch it.kind {
		case node:
			it.lat, it.lon = coordinate(900_000_000).Draw(t, "lat"), coordinate(1_800_000_000).Draw(t, "lon")
		case way:
			it.nodes = rapid.SliceOfN(ids, 0, 6).Draw(t, "nodes")
		case relation:
			for range rapid.IntRange(0, 5).Draw(t, "members") {
				it.members = append(it.members, member{kind(rapid.IntRange(0, 2).Draw(t, "member kind")), ids.Draw(t, "member")})
			}
		}
		items = append(items, it)
	}
	if rapid.Bool().Draw(t, "sorted") {
		slices.SortFunc(items, func(a, b item) int { return int(a.kind - b.kind) })
	}
	return items
}

func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := randomItems(t)
		writer := pbfWriter{
			dense: rapid.Bool().Draw(t, "dense"), deflate: rapid.Bool().Draw(t, "deflate"),
			perBlock: rapid.IntRange(0, 9).Draw(t, "per block"), granularity: rapid.SampledFrom([]int64{1, 50, 100}).Draw(t, "granularity"),
			offset: rapid.SampledFrom([]int64{0, 1e9}).Draw(t, "offset"),
		}
		want := lines(model(items, isPub))
		for format, content := range map[sniff.Kind][]byte{sniff.PBF: writer.write(items), sniff.OSMXML: writeXML(items)} {
			got, err := collect(content, format, isPub)
			testkit.StopIf(t, err != nil || lines(got) != want,
				"format %d: %v:\n%s\nwant\n%s", format, err, lines(got), want)
		}
	})
}

// XML as other programs than OpenStreetMap's write it, and with a position of its own.
func TestXML(t *testing.T) {
	const pub = `<tag k="amenity" v="pub"/>`
	for _, c := range []struct{ elements, want string }{
		{`<node id="7" lat="51.5" lon="-0.1">` + pub + `</node>`, "node/7 51.5 -0.1 amenity=pub"},
		{`<node id="-7" lat="51.12345678" lon="-0.00000005">` + pub + `</node>`, "node/-7 51.1234568 -1e-07 amenity=pub"},
		{`<node id="7">` + pub + `</node>`, "node/7 NaN NaN amenity=pub"},
		{`<node id="7" lat="214.7483647" lon="214.7483647">` + pub + `</node>`, "node/7 NaN NaN amenity=pub"},
		{`<node id="7" lat="90.0000001" lon="180">` + pub + `</node>`, "node/7 NaN NaN amenity=pub"},
		{`<node id="7" lat="90" lon="-180.0000001">` + pub + `</node>`, "node/7 NaN NaN amenity=pub"},
		{`<node id="7" lat="-90" lon="180">` + pub + `</node>`, "node/7 -90 180 amenity=pub"},
		{`<node id="7" lat="NaN" lon="1">` + pub + `</node>`, "node/7 NaN NaN amenity=pub"},
		{`<node id="7" lat="1" lon="2" action="delete">` + pub + `</node>`, ""},
		{`<node id="7" lat="1" lon="2" action="modify" visible="true">` + pub + `</node>`, "node/7 1 2 amenity=pub"},
		{`<note>x</note><meta osm_base="y"/><way id="7"><center lat="1" lon="2"/><nd ref="1"/>` + pub + `</way>`, "way/7 1 2 amenity=pub"},
		{`<way id="7"><bounds minlat="1" minlon="2" maxlat="1.5" maxlon="2.5"/><nd ref="1"/>` + pub + `</way>`, "way/7 1.25 2.25 amenity=pub"},
		{`<way id="7"><nd ref="1" lat="1" lon="2"/><nd ref="2" lat="2" lon="3"/>` + pub + `</way>`, "way/7 1.5 2.5 amenity=pub"},
		{`<relation id="7"><member type="way" ref="1" role=""><nd lat="1" lon="2"/><nd lat="2" lon="3"/></member>` + pub + `</relation>`, "relation/7 1.5 2.5 amenity=pub"},
		{`<relation id="7"><member type="relation" ref="7"/>` + pub + `</relation>`, "relation/7 NaN NaN amenity=pub"},
		{`<relation id="7"><member type="node" ref="7"/>` + pub + `</relation><node id="7" lat="1" lon="2"/>`, "relation/7 1 2 amenity=pub"},
		{`<changeset id="1">` + pub + `</changeset>`, ""},
		{`<node id="7" lat="1" lon="2"><tag k="amenity" v="bar"/>` + pub + `</node>`, "node/7 1 2 amenity=pub"},
	} {
		got, err := collect([]byte("<osm>"+c.elements+"</osm>"), sniff.OSMXML, isPub)
		testkit.FailIf(t, err != nil || lines(got) != c.want,
			"%s: got %q, %v, want %q", c.elements, lines(got), err, c.want)
	}
}

// Files that cannot be read to their end, and what is said of them.
func TestDamaged(t *testing.T) {
	good := pbfWriter{dense: true, deflate: true}.write(tiny())
	header := len(pbfWriter{}.write(nil))
	deflatedHeader := len(pbfWriter{deflate: true}.write(nil))
	data := func(blob []byte) string { return string(appendFrame(pbfWriter{}.write(nil), "OSMData", blob)) }
	raw := func(block []byte) string { return data(appendBytes(nil, 1, block)) }
	pubs := tiny()[8:9]
	spoiled := func(w pbfWriter, find, replace string) string {
		w.spoil = func(block []byte) []byte {
			testkit.StopIf(t, !bytes.Contains(block, []byte(find)), "%q is not in %q", find, block)
			return bytes.Replace(block, []byte(find), []byte(replace), 1)
		}
		return string(w.write(pubs))
	}
	at, later := fmt.Sprintf("is damaged: byte %d: ", header), fmt.Sprintf("is damaged: byte %d: ", deflatedHeader)
	many := item{kind: way, id: 7, tags: map[string]string{}}
	for i := range maxTags + 1 {
		many.tags[fmt.Sprint(i)] = "x"
	}
	long := item{kind: way, id: 7, tags: map[string]string{"amenity": "pub"}, nodes: make([]int64, maxRefs+1)}
	wide := item{kind: relation, id: 7, tags: map[string]string{"amenity": "pub"}, members: make([]member, maxRefs+1)}
	for name, c := range map[string]struct {
		format  sniff.Kind
		content string
		want    string // begins the error
	}{
		"empty":                 {sniff.PBF, "", "is damaged: byte 0: is empty: download it again"},
		"text":                  {sniff.PBF, "<?xml version='1.0'?>", "is damaged: byte 0: a header of 1010792557 bytes: must have at most 65536: is it PBF?: download it again"},
		"no header":             {sniff.PBF, string(appendFrame(nil, "OSMData", nil)), `is damaged: byte 0: must begin with a block OSMHeader instead of "OSMData"`},
		"cut in a length":       {sniff.PBF, string(good[:2]), "is damaged: byte 0: the file ends 2 bytes too early: download it again"},
		"cut in a header":       {sniff.PBF, string(good[:deflatedHeader+6]), later + "the file ends "},
		"cut in a block":        {sniff.PBF, string(good[:len(good)-9]), later + "the file ends 9 bytes too early: download it again"},
		"flipped":               {sniff.PBF, string(good[:len(good)-9]) + "########" + string(good[len(good)-1:]), later},
		"huge block":            {sniff.PBF, string(good[:deflatedHeader]) + "\x00\x00\x00\x0a\x0a\x01x\x18\xff\xff\xff\xff\xff\x01", later + "a block of 68719476735 bytes: must have from 0 to 33554432"},
		"no content":            {sniff.PBF, data(nil), at + "a block without content"},
		"bomb that lies":        {sniff.PBF, data(appendDeflated(make([]byte, 1<<20), 9)), at + "a block of more than 9 bytes when expanded, as it says"},
		"bomb that says so":     {sniff.PBF, data(appendDeflated(nil, 1<<30)), at + "a block of 1073741824 bytes when expanded: must have from 0 to 33554432"},
		"smaller than it says":  {sniff.PBF, data(appendDeflated(nil, 9)), at + "a block of 0 bytes when expanded instead of 9, as it says"},
		"lz4":                   {sniff.PBF, data(appendBytes(nil, 6, []byte("x"))), "is compressed with lz4: must be zlib or none"},
		"zstd":                  {sniff.PBF, data(appendBytes(nil, 7, []byte("x"))), "is compressed with zstd: must be zlib or none"},
		"history":               {sniff.PBF, string(pbfWriter{required: []string{"HistoricalInformation"}}.write(nil)), "has the history of elements"},
		"feature":               {sniff.PBF, string(pbfWriter{required: []string{"X\x1b"}}.write(nil)), `requires feature "X\x1b": must require only [OsmSchema-V0.6 DenseNodes]`},
		"a varint as block":     {sniff.PBF, raw(appendVarint(nil, 2, 1)), at + "field 2 must have type 2 instead of 0"},
		"no such text":          {sniff.PBF, spoiled(pbfWriter{}, "\x12\x09\x01", "\x12\x09\x7f"), at + "node 101: text 127 of 19"},
		"no such dense text":    {sniff.PBF, spoiled(pbfWriter{dense: true}, "\x52\x13\x01", "\x52\x13\x7f"), at + "node 101: text 127 of 19"},
		"tags without end":      {sniff.PBF, spoiled(pbfWriter{dense: true}, "\x12\x00", "\x12\x01"), at + "node 101: its tags end too early"},
		"too many tags":         {sniff.PBF, string(pbfWriter{}.write([]item{many})), at + "way 7: more than 10000 tags"},
		"too many nodes":        {sniff.PBF, string(pbfWriter{}.write([]item{long})), at + "way 7: more than 1048576 nodes"},
		"too many members":      {sniff.PBF, string(pbfWriter{}.write([]item{wide})), at + "relation 7: more than 1048576 nodes or members"},
		"too many texts":        {sniff.PBF, raw(appendBytes(nil, 1, bytes.Repeat([]byte{10, 0}, maxTexts+1))), at + "a block of more than 1048576 texts"},
		"empty XML":             {sniff.OSMXML, "", "is damaged: byte 0: has no <osm>: download it again"},
		"text only":             {sniff.OSMXML, "hello", "is damaged: byte 5: has no <osm>: download it again"},
		"PBF as XML":            {sniff.OSMXML, string(good), "is damaged: byte 0: XML syntax error on line "},
		"changes":               {sniff.OSMXML, "<osmChange/>", "is damaged: byte 0: must begin with <osm> instead of <osmChange>: is it an extract?"},
		"cut":                   {sniff.OSMXML, "<osm><node id='1'/>", "is damaged: byte 19: XML syntax error on line 1: unexpected EOF"},
		"no ID":                 {sniff.OSMXML, "<osm><node/></osm>", `is damaged: byte 5: node: id "": must be an integer`},
		"bad latitude":          {sniff.OSMXML, "<osm><node id='1' lat='x' lon='1'/></osm>", `is damaged: byte 5: node: lat "x": must be a number`},
		"bad bounds":            {sniff.OSMXML, "<osm><way id='1'><bounds minlat='1' minlon='1' maxlat='x' maxlon='1'/></way></osm>", `is damaged: byte 17: bounds: maxlat "x": must be a number`},
		"bad ref":               {sniff.OSMXML, "<osm><way id='1'><nd ref='x'/></way></osm>", `is damaged: byte 17: way 1: ref "x": must be an integer`},
		"deep":                  {sniff.OSMXML, "<osm>" + strings.Repeat("<a>", 1000), "is damaged: byte 50: more than 16 elements within each other"},
		"long tag":              {sniff.OSMXML, "<osm><node id='" + strings.Repeat("1", 2<<20), "is damaged: byte 5: a tag, text or comment of more than 1 MiB"},
		"long text":             {sniff.OSMXML, "<osm>" + strings.Repeat("1", 2<<20), "is damaged: byte 1048581: a tag, text or comment of more than 1 MiB"},
		"too many tags in XML":  {sniff.OSMXML, "<osm><way id='7'>" + strings.Repeat("<tag/>", maxTags+1), "is damaged: byte 60017: way 7: more than 10000 tags"},
		"too many nodes in XML": {sniff.OSMXML, "<osm><way id='7'>" + strings.Repeat("<nd ref='1'/>", maxRefs+1), "is damaged: byte 13631505: way 7: more than 1048576 nodes or members"},
	} {
		got, err := collect([]byte(c.content), c.format, isPub)
		testkit.FailIf(t, err == nil || !strings.HasPrefix(err.Error(), c.want) || got != nil,
			"%s: got %d elements, error %v, want %s", name, len(got), err, c.want)
	}
}

// A file cut or changed anywhere gives elements or an error.
func TestAnyByte(t *testing.T) {
	for format, content := range map[sniff.Kind][]byte{sniff.PBF: pbfWriter{dense: true, perBlock: 11}.write(tiny()), sniff.OSMXML: writeXML(tiny())} {
		for i := 0; i < len(content); i += testkit.Pick(5, 1) {
			for _, changed := range [][]byte{content[:i], slices.Concat(content[:i], []byte{content[i] ^ 0x55}, content[i+1:])} {
				checkAny(t, changed, format)
			}
		}
	}
}

// checkAny checks what Read does with any file.
func checkAny(t *testing.T, content []byte, format sniff.Kind) {
	t.Helper()
	got, err := collect(content, format, func(tags map[string]string) bool { return len(tags) > 0 })
	if err != nil {
		if text := err.Error(); got != nil || len(text) > 1000 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) {
			t.Errorf("%d elements and error %q", len(got), text)
		}
		return
	}
	for _, e := range got {
		isKnown := math.Abs(e.Latitude) <= 90 && math.Abs(e.Longitude) <= 180
		if isNowhere := math.IsNaN(e.Latitude) && math.IsNaN(e.Longitude); isKnown == isNowhere || len(e.Tags) == 0 {
			t.Errorf("%s", line(e))
		}
	}
}

func FuzzPBF(f *testing.F) {
	for _, w := range []pbfWriter{{}, {dense: true}, {dense: true, deflate: true, perBlock: 3}, {required: []string{"x"}}} {
		f.Add(w.write(tiny()))
	}
	f.Fuzz(func(t *testing.T, content []byte) { checkAny(t, content, sniff.PBF) })
}

// The content of a block, as hardly any change leaves the compressed form valid.
func FuzzBlock(f *testing.F) {
	for _, w := range []pbfWriter{{}, {dense: true}} {
		f.Add(w.block(tiny()))
	}
	header := pbfWriter{}.write(nil)
	f.Fuzz(func(t *testing.T, content []byte) {
		checkAny(t, pbfWriter{}.appendBlob(slices.Clone(header), "OSMData", content), sniff.PBF)
	})
}

func FuzzXML(f *testing.F) {
	f.Add(writeXML(tiny()))
	f.Add([]byte(`<osm><way id="7"><center lat="1" lon="2"/><bounds minlat="1" minlon="2" maxlat="1.5" maxlon="2.5"/><nd ref="1" lat="1" lon="1"/><tag k="a" v="b"/></way></osm>`))
	f.Fuzz(func(t *testing.T, content []byte) { checkAny(t, content, sniff.OSMXML) })
}

// faulty is a file whose reads fail after some bytes.
type faulty struct {
	*bytes.Reader
	left   int
	err    error
	passes int
}

func (f *faulty) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		f.passes++
	}
	return f.Reader.Seek(offset, whence)
}

func (f *faulty) Read(buffer []byte) (int, error) {
	if f.left -= len(buffer); f.left < 0 && f.err != nil {
		return 0, f.err
	}
	return f.Reader.Read(buffer)
}

// village returns nodes and ways, of which few are pubs, in the order of a real file.
func village(nodes int) (items []item) {
	for i := range nodes {
		it := item{kind: node, id: int64(i), lat: int32(i), lon: int32(-i)}
		if i%4 == 0 {
			it.tags = map[string]string{"ref": fmt.Sprint("a hydrant, ", i)}
		}
		if i%500 == 0 {
			it.tags = map[string]string{"amenity": "pub", "name": fmt.Sprint("The Bell ", i)}
		}
		items = append(items, it)
	}
	for i := range nodes / 8 {
		it := item{kind: way, id: int64(i), tags: map[string]string{"building": "yes"}}
		for j := range int64(8) {
			it.nodes = append(it.nodes, int64(i)*8+j)
		}
		if i%500 == 0 {
			it.tags = map[string]string{"amenity": "pub", "building": "yes"}
		}
		items = append(items, it)
	}
	return items
}

// An error of the file or of take ends Read, and is returned as it is.
func TestErrors(t *testing.T) {
	ours := errors.New("ours")
	for format, content := range map[sniff.Kind][]byte{sniff.PBF: pbfWriter{dense: true, perBlock: 1000}.write(village(10_000)), sniff.OSMXML: writeXML(village(10_000))} {
		for _, left := range []int{0, len(content) / 2, len(content) + len(content)/2} {
			if err := Read(&faulty{Reader: bytes.NewReader(content), left: left, err: ours}, format, isPub, func(Element) error { return nil }); err != ours {
				t.Errorf("format %d, a file that fails after %d bytes: got %v", format, left, err)
			}
		}
		taken := 0
		give := func(Element) error {
			if taken++; taken == 3 {
				return ours
			}
			return nil
		}
		if err := Read(bytes.NewReader(content), format, isPub, give); err != ours || taken != 3 {
			t.Errorf("format %d: got %v after %d elements, want %v after 3", format, err, taken, ours)
		}
	}
}

// There is no pass if nothing is missing.
func TestPasses(t *testing.T) {
	items := append(village(10_000), item{kind: relation, id: 1, tags: map[string]string{"type": "x"}, members: []member{{way, 9}}})
	for format, content := range map[sniff.Kind][]byte{sniff.PBF: pbfWriter{dense: true, perBlock: 100}.write(items), sniff.OSMXML: writeXML(items)} {
		for passes, keep := range map[int]func(tags map[string]string) bool{
			1: func(tags map[string]string) bool { return tags["name"] != "" },
			2: func(tags map[string]string) bool { return tags["amenity"] == "pub" && tags["name"] == "" },
			3: func(tags map[string]string) bool { return tags["type"] != "" },
		} {
			file := &faulty{Reader: bytes.NewReader(content), left: math.MaxInt}
			err := Read(file, format, keep, func(Element) error { return nil })
			if err != nil || file.passes != passes {
				t.Errorf("format %d: %v, %d passes, want %d", format, err, file.passes, passes)
			}
		}
	}
}

// What is held grows with what is kept, and has a limit.
func TestMemory(t *testing.T) {
	for format, content := range map[sniff.Kind][]byte{sniff.PBF: pbfWriter{dense: true, deflate: true, perBlock: 8000}.write(village(20_000)), sniff.OSMXML: writeXML(village(20_000))} {
		h := testkit.Must(read(bytes.NewReader(content), format, isPub, maxHeld))(t)
		if limit := int64(len(h.kept)) * 1200; h.bytes > limit || len(h.sought[node]) > 8*len(h.kept) {
			t.Errorf("format %d: %d elements and %d nodes take about %d bytes, want at most %d", format, len(h.kept), len(h.sought[node]), h.bytes, limit)
		}
		_, err := read(bytes.NewReader(content), format, isPub, h.bytes-1)
		if want := "has more to keep than fits into 0 MiB: keep fewer elements"; err == nil || err.Error() != want {
			t.Errorf("format %d: got %v, want %s", format, err, want)
		}
	}
}
