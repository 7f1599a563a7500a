package list

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"pubd/bench/testkit"
)

// known are the names that tests recognise in headers.
func known(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "id", "uid", "name", "town", "location", "lat", "lng":
		return true
	}
	return false
}

// table returns what a list is, its columns and its rows, as one text.
func table(t *testing.T, content []byte, options Options) string {
	t.Helper()
	options.Known = known
	l, err := Open("in", content, options)
	if err != nil {
		return "! " + err.Error()
	}
	text := strings.Join(append([]string{string(l.Form)}, l.Found...), ", ") + ": " + strings.Join(l.Columns, "|")
	for row := range l.Rows() {
		if row.Fault != nil {
			text += fmt.Sprintf(" / %d! %s", row.Line, row.Fault.Rule)
		} else {
			text += fmt.Sprintf(" / %d %s", row.Line, strings.Join(row.Cells, "|"))
		}
	}
	return text
}

// A table in any encoding of spreadsheet programs, with or without a byte order mark, is the same table.
func TestEncodings(t *testing.T) {
	const text = "UID\tname\tlocation\r\n1\tCafé Zlín\tPrag\r\n"
	for _, c := range []struct {
		encoding encoding.Encoding
		want     string
	}{
		{unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16"},
		{unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "UTF-16"},
		{unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "UTF-16"},
		{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "UTF-16"},
		{utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "UTF-32"},
		{utf32.UTF32(utf32.BigEndian, utf32.UseBOM), "UTF-32"},
		{utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "UTF-32"},
		{utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "UTF-32"},
		{encoding.Nop, ""},
		{unicode.UTF8BOM, ""},
		{charmap.Windows1252, "Latin-1"},
	} {
		for _, ends := range []string{"\r\n", "\n", "\r"} {
			encoded := testkit.Must(c.encoding.NewEncoder().Bytes([]byte(strings.ReplaceAll(text, "\r\n", ends))))(t)
			want := strings.TrimSuffix("csv, "+c.want, ", ") + ", tabs: UID|name|location / 2 1|Café Zlín|Prag"
			if got := table(t, encoded, Options{}); got != want {
				t.Errorf("%v, lines end in %q: got %s, want %s", c.encoding, ends, got, want)
			}
		}
	}
}

// The separator and the line of the names are found, whatever stands above them.
func TestHeaders(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\"sep=|\"\r\nid|name\r\n1|Bell\r\n", "csv, a line sep=, vertical bars: id|name / 3 1|Bell"},
		{"SEP=\t\nid\tname\n1\tBell\n", "csv, a line sep=, tabs: id|name / 3 1|Bell"},
		{"sep=!\nid!name\n1!Bell\n", "csv, a line sep=, '!' between columns: id|name / 3 1|Bell"},
		{"Pubs, bars and inns\n\nid;name\n1;Bell\n", "csv, semicolons, header in line 3: id|name / 4 1|Bell"},
		{"\"Pubs\nof 2024\",\nid,name\n1,Bell\n", "csv, header in line 3: id|name / 4 1|Bell"},
		{"List of pubs\nRef;Pub;Where\n1;Bell;Diss\n2;Bear;Eye\n", "csv, semicolons, header in line 2: Ref|Pub|Where / 3 1|Bell|Diss / 4 2|Bear|Eye"},
		{"Wirt\nBell\n", "csv: Wirt / 2 Bell"},
		{"id,name\n1,Name of the town\n2,\"Bear\n", "csv: id|name / 2 1|Name of the town / 3! a quote on line 3, byte 9 is out of place: put the field in quotes and double each quote within"},
		{"id,name\n1,Town\nid,Lat\n", "csv: id|name / 2 1|Town / 3 id|Lat"},
		{"Wirt,Ort\nBell,Diss\nBear,name\n", "csv: Wirt|Ort / 2 Bell|Diss / 3 Bear|name"},
		{"id;name;lat\n1;Bell;51,\n", "csv, semicolons: id|name|lat / 2 1|Bell|51,"},
		{"id,na\"me\n1,Bell\n", "csv: id|na\"me / 2 1|Bell"},
	} {
		testkit.Equal(t, c.text, table(t, []byte(c.text), Options{}), c.want)
	}
}

// workbook returns an Excel workbook of two sheets.
func workbook(t *testing.T) []byte {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	if _, err := book.NewSheet("List"); err != nil {
		t.Fatal(err)
	}
	for cell, value := range map[string]any{"Sheet1!A1": "Pubs of Suffolk", "Sheet1!A3": "id", "Sheet1!B3": "name", "Sheet1!C3": "lat", "Sheet1!A4": 1, "Sheet1!B4": "Bell",
		"Sheet1!C4": 51.507407, "Sheet1!A6": 123456789012, "Sheet1!B6": "Bear", "Sheet1!A7": 3, "Sheet1!B7": "Cat", "Sheet1!D7": "x", "List!A1": "id", "List!B1": "name", "List!A2": "a", "List!B2": "Dög"} {
		sheet, at, _ := strings.Cut(cell, "!")
		testkit.OK(t, book.SetCellValue(sheet, at, value))
	}
	content := testkit.Must(book.WriteToBuffer())(t)
	return content.Bytes()
}

// Visible sheets with the same columns, in any order, are one list; a hidden one is left out, though it comes first.
func TestSheets(t *testing.T) {
	book := excelize.NewFile()
	defer book.Close()
	for _, sheet := range []struct {
		name string
		rows [][]any
	}{
		{"Old", [][]any{{"id", "name"}, {9, "Gone"}}},
		{"Leeds", [][]any{{"id", "name"}, {1, "Bell"}}},
		{"York", [][]any{{"Pubs of York"}, {"name", " id"}, {"Bear", 2}, {"Cat", 3, "x"}}},
		{"Notes", [][]any{{"id", "note"}, {1, "good"}}},
	} {
		testkit.Must(book.NewSheet(sheet.name))(t)
		for at, row := range sheet.rows {
			testkit.OK(t, book.SetSheetRow(sheet.name, fmt.Sprint("A", at+1), &row))
		}
	}
	testkit.OK(t, book.DeleteSheet("Sheet1"))
	book.SetActiveSheet(1)
	testkit.OK(t, book.SetSheetVisible("Old", false))
	content := testkit.Must(book.WriteToBuffer())(t).Bytes()
	testkit.Equal(t, "all", table(t, content, Options{Known: known}), `xlsx, as one, sheets "Leeds", "York": id|name|sheet / 2 1|Bell|Leeds / 3 2|Bear|York / 4! has 3 cells, the header has 2: name every column`)
	testkit.Equal(t, "one", table(t, content, Options{Known: known, Sheet: "Old"}), `xlsx, sheet "Old" of "Leeds", "York", "Notes", "Old": id|name / 2 9|Gone`)
}

// Cells are as a sheet shows them where that is more than a number, and a merged range has its value in all cells.
func TestCells(t *testing.T) {
	book := excelize.NewFile()
	defer book.Close()
	for at, row := range [][]any{
		{"id", "name", "town", "zip", "total", "lat", "since", "lng"},
		{1, "Bell", "Ely", 2134, 0.85, 51.507407, 43831, 4.5},
		{2, "Bear", nil, 7102, 0.5, -0.1234, 43832.5, 85},
		{"Norfolk", nil, nil, nil, nil, nil, nil, nil},
		{3, "Cat", nil, 1234567, 1, 1234.5, 1, nil},
	} {
		testkit.OK(t, book.SetSheetRow("Sheet1", fmt.Sprint("A", at+1), &row))
	}
	for column, format := range map[string]string{"D": "00000", "E": "0%", "F": "#,##0.00", "G": "yyyy-mm-dd", "H": `0.0"/5"`} {
		style := testkit.Must(book.NewStyle(&excelize.Style{CustomNumFmt: &format}))(t)
		testkit.OK(t, book.SetCellStyle("Sheet1", column+"2", column+"5", style))
	}
	for _, cells := range [][2]string{{"C2", "C3"}, {"A4", "H4"}, {"G5", "H5"}} {
		testkit.OK(t, book.MergeCell("Sheet1", cells[0], cells[1]))
	}
	content := testkit.Must(book.WriteToBuffer())(t)
	const want = "xlsx: id|name|town|zip|total|lat|since|lng / 2 1|Bell|Ely|02134|85%|51.507407|2020-01-01|4.5/5" +
		" / 3 2|Bear|Ely|07102|50%|-0.1234|2020-01-02|85.0/5 / 4 Norfolk||||||| / 5 3|Cat||1234567|100%|1234.5|1900-01-01|1900-01-01"
	if got := table(t, content.Bytes(), Options{}); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, file := range files {
		name, content, _ := strings.Cut(file, "=")
		f := testkit.Must(w.Create(name))(t)
		f.Write([]byte(content))
	}
	testkit.OK(t, w.Close())
	return packed.Bytes()
}

func gzipped(content []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(content)
	w.Close()
	return packed.Bytes()
}

// A list is read through what is around it.
func TestPackings(t *testing.T) {
	const pubs = "id,name\n1,Bell\n"
	const kml = "<kml><Placemark><name>Bell</name><Point><coordinates>1,2</coordinates></Point></Placemark></kml>"
	book := workbook(t)
	const sheet = `xlsx, sheet "Sheet1" of "Sheet1", "List", header in row 3: id|name|lat / 4 1|Bell|51.507407 / 6 123456789012|Bear| / 7! has 4 cells, the header has 3: name every column`
	four := []byte(pubs)
	for range 4 {
		four = gzipped(four)
	}
	for _, c := range []struct {
		content []byte
		sheet   string
		want    string
	}{
		{gzipped([]byte(pubs)), "", "csv, gzip: id|name / 2 1|Bell"},
		{zipped(t, "a/", "a/pubs.csv="+pubs, "__MACOSX/a/._pubs.csv=x", "a/.DS_Store=x"), "", "csv, zip with a/pubs.csv: id|name / 2 1|Bell"},
		{gzipped(zipped(t, "pubs.csv="+pubs)), "", "csv, gzip, zip with pubs.csv: id|name / 2 1|Bell"},
		{zipped(t, "images/a.png=x", "doc.kml="+kml), "", "kml, zip with doc.kml: name|geometry / 1 Bell|POINT(1 2)"},
		{zipped(t, "a.csv=x", "b.csv=y"), "", `! in: zip: has 2 files: unpack it, and import one of "a.csv", "b.csv"`},
		{zipped(t), "", "! in: zip: zip: not a valid zip file: copy the file again"},
		{zipped(t, "mimetype=application/vnd.oasis.opendocument.spreadsheet", "content.xml=x"), "", "! in: is a document of LibreOffice or OpenOffice: convert it with soffice --headless --convert-to xlsx FILE"},
		{zipped(t, "word/document.xml=x"), "", "! in: is a Word document: copy its table into a spreadsheet, and save that as .xlsx or CSV"},
		{zipped(t, "pubs.shp=x", "pubs.dbf=x"), "", "! in: has a shapefile: unpack it, and convert it with ogr2ogr -f GeoJSON pubs.geojson FILE.shp"},
		{four, "", "! in: is compressed more than three times: expand it"},
		{book, "", sheet},
		{book, "List", `xlsx, sheet "List" of "Sheet1", "List": id|name / 2 a|Dög`},
		{book, "Lost", `! in: has no sheet "Lost": --sheet must be one of "Sheet1", "List"`},
		{gzipped(book), "", strings.Replace(sheet, "xlsx,", "xlsx, gzip,", 1)},
	} {
		got := table(t, c.content, Options{Sheet: c.sheet})
		testkit.FailIf(t, got != c.want && !strings.HasPrefix(c.want, "! in: zip: zip:"),
			"%.20q of %d bytes:\n got %s\nwant %s", c.content, len(c.content), got, c.want)
	}
}

// Damaged workbooks and archives are errors.
func TestDamaged(t *testing.T) {
	for _, whole := range [][]byte{workbook(t), zipped(t, "pubs.csv=id,name\n1,Bell\n")} {
		for cut := 4; cut < len(whole); cut += 1 + len(whole)/50 {
			if got := table(t, whole[:cut], Options{}); !strings.HasPrefix(got, "! in: ") {
				t.Errorf("%d of %d bytes: got %s", cut, len(whole), got)
			}
		}
	}
}

// Objects may be anywhere in JSON, and their members nested.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ text, path, want string }{
		{"[\n{\"a\":{\"b\":{\"c\":1.50}}},\n{\"a\":{\"d\":\"x\"}}]", "", "json: a.b.c|a.d / 2 1.50| / 3 |x"},
		{`{"x":{"y":[{"a":1}]},"z":[1,2]}`, "", "json, the list in x.y: a / 1 1"},
		{`{"x":[{"a":1}],"y":[{"b":1},{"b":2}]}`, "", "! in: has several lists: add --list with one of x (1), y (2)"},
		{`{"x":[],"y":[{"b":1}]}`, "", "json, the list in y: b / 1 1"},
		{`[{"a":["x","y"],"b":[1,2.5],"c":[{"d":1}],"e":[],"f":[[1]]}]`, "", "json: a|b|c.d|e|f / 1 x; y|[1, 2.5]|1||1"},
		{`[{"a":{"type":"LineString","coordinates":[null,[0,51]]}}]`, "", "json: a / 1 POINT(0 51)"},
		{`[{"a":{"type":"LineString","coordinates":[` + strings.Repeat("[0,51],", 40_000) + `[0.002,51]]}}]`, "", "json: a / 1 POINT(0.001 51)"},
		{"{\"a\":1}\r\n\r\nnope\r\n{\"a\":2}", "", "json, an object on each line: a / 1 1 / 3! must be one valid JSON object / 4 2"},
		{"\x1e{\"a\":\n1}\n\x1e{\"a\":2}\n", "", "json, record separators: a / 1 1 / 3 2"},
		{`[3]`, "", `! in: must be a list of objects, such as [{"name": "Red Lion"}], or an object with one inside`},
		{`[{"a":1}] x`, "", "! in:1: must be valid JSON: was it copied completely? invalid character 'x' at start of value"},
		{"[{\"a\":1},\n{\"a\":]", "", "! in:2: must be valid JSON: was it copied completely? invalid character ']' after object value (expecting ',' or '}')"},
		{strings.Repeat(`{"a":`, 30) + `[{"b":1}]` + strings.Repeat("}", 30), "", "json: a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a / 1 "},
		{"[{\"id\":1}]\x00\x00\n", "", "json: id / 1 1"},
		{`[{"a":1,"a":2}]`, "", "json: a / 1 1"},
		{"{\"x1\":{\"name\":\"Bell\"},\n\"x2\":{\"name\":\"Bear\",\"at\":{\"lat\":1,\"lng\":2}},\"x3\":{}}", "", "json: id|name|at.lat|at.lng / 1 x1|Bell|| / 2 x2|Bear|1|2 / 2 x3|||"},
		{`{"pubs":{"a":{"id":7},"b":{"id":8}},"n":2}`, "", "json, the list in pubs: id / 1 a / 1 b"},
		{`{"a":{"name":"Bell","beers":[{"abv":4}]},"b":{"name":"Bear","beers":[{"abv":5},{"abv":6}]}}`, "", "json: id|name|beers.abv / 1 a|Bell|4 / 1 b|Bear|5"},
		{`{"v":1,"pubs":{"a":{"name":"Bell"},"b":{"name":"Bear"}},"news":[]}`, "", "json, the list in pubs: id|name / 1 a|Bell / 1 b|Bear"},
		{`{"meta":{"v":1},"data":{"v":2,"inns":[{"name":"Bell"}]}}`, "", "json, the list in data.inns: name / 1 Bell"},
		{`{"uk":{"york":{"inns":[{"name":"Bell"}]},"ely":{"inns":[{"name":"Bear"}]}}}`, "", "json, the list in uk.*.inns: list|name / 1 uk.york.inns|Bell / 1 uk.ely.inns|Bear"},
		{`{"york":[{"name":"Bell"}],"ely":[{"name":"Bear","lat":1}],"x":[]}`, "", "! in: has several lists: add --list with one of york (1), ely (1), x (0)"},
		{`{"york":[{"name":"Bell"}],"ely":[{"name":"Bear","lat":1}],"x":{"y":[{"a":1}]}}`, "*", "json, the list in *: list|name|lat / 1 york|Bell| / 1 ely|Bear|1"},
		{`{"york":[{"name":"Bell"}],"ely":[{"name":"Bear","lat":1}]}`, "[", `! in: has no list of objects at "[": --list must be one of york (1), ely (1)`},
		{`{"a":{"pubs":{"1":{"name":"Bell"},"2":{"name":"Bear"}}},"b":{"pubs":{"3":{"name":"Cat"},"4":{"name":"Dog"}}}}`, "*.pubs",
			"json, the list in *.pubs: id|list|name / 1 1|a.pubs|Bell / 1 2|a.pubs|Bear / 1 3|b.pubs|Cat / 1 4|b.pubs|Dog"},
		{`[{"name":"Bell","at":[{"town":null,"area":"BB"},{"town":"Calw","area":"BW"}]},{"name":"NaN","at":[{"town":"Eye"}]}]`, "", "json: name|at.town|at.area / 1 Bell|Calw|BB / 1 NaN|Eye|"},
		{`[{"name":"a \"NaN","lat":NaN,"lng":-Infinity,"n":[NaN,1]}]`, "", `json, NaN or Infinity as missing: name|lat|lng|n / 1 a "NaN|||1`},
		{"{\"name\":\"Bell\",\"lat\":NaN}\n{\"name\":\"Bear\",\"lat\":1}\n", "", "json, NaN or Infinity as missing, an object on each line: name|lat / 1 Bell| / 2 Bear|1"},
		{"{\"range\":\"A1:C3\",\"values\":[[\"name\",\"town\",\"at\"],\n[\"Bell\"],[\"Bear\",null,[51,0.5]],[\"Cat\",\"Ely\",1,2]]}", "",
			"json, the list in values: name|town|at / 2 Bell|| / 2 Bear||51, 0.5 / 2! has 4 cells, the header has 3: name every column"},
		{`[["name",true],["Bell",false]]`, "", "json: name|true / 1 Bell|false"},
		{`[[1,2],[3,4]]`, "", "! in: has lists of lists, which do not say what is what: save them as CSV with a line of names, or as objects"},
	} {
		testkit.Equal(t, c.text, table(t, []byte(c.text), Options{Path: c.path}), c.want)
	}
}

// Placemarks and waypoints have their cells by the names of elements.
func TestXML(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`<kml><Document><name>Map</name><Folder><name>Best</name><Placemark><name>A &amp; B</name></Placemark></Folder><Placemark id="p"><name>C</name></Placemark></Document></kml>`,
			"kml: folder|name|id / 1 Best|A & B| / 1 |C|p"},
		{"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<kml>\n<Placemark><name>Caf\xe9</name></Placemark></kml>", "kml, Latin-1: name / 3 Café"},
		{`<kml><Placemark><ExtendedData><Data name="Town"><displayName>T</displayName><value>Diss</value></Data><SchemaData><SimpleData name="zip">IP22</SimpleData></SchemaData></ExtendedData></Placemark></kml>`,
			"kml: Town|zip / 1 Diss|IP22"},
		{`<kml><Placemark><LineString><coordinates>0,51 0.002,51,7 0.002,51.002</coordinates></LineString></Placemark></kml>`, "kml: geometry / 1 POINT(0.001 51.001)"},
		{`<gpx xmlns:x="y"><wpt lat="51.5" lon="-0.1"><x:name>A</x:name><link href="http://b"><text>c</text></link></wpt><rte><rtept lat="1" lon="2"/></rte></gpx>`,
			"gpx: latitude|longitude|name|link|text / 1 51.5|-0.1|A|http://b|c"},
		{`<kml><Placemark><MultiGeometry><coordinates>0,51 0.02,51.02</coordinates><coordinates>0.1,51.1 0.12,51.1</coordinates></MultiGeometry></Placemark></kml>`, "kml: geometry / 1 POINT(0.06 51.05)"},
		{`<kml><Placemark><coordinates>0,51 0.02,51.02</coordinates><coordinates>1.5,51 1.5,51.1</coordinates></Placemark></kml>`, "kml: geometry / 1! must be null, a point, or a line or polygon within one degree"},
		{`<kml><Placemark><coordinates>0.5, 51.5, 0</coordinates></Placemark></kml>`, "kml:  / 1 "},
		{`<kml><Folder><Document><name>Best</name><Placemark><name>A</name></Placemark></Document><name>Worst</name><Placemark><name>B</name></Placemark></Folder></kml>`,
			"kml: folder|name / 1 Best|A / 1 Best|B"},
		{`<markers><marker id="1" name="Bell" lat="51" lng="0"/><marker name="Bear" town=""/></markers>`, "xml, the elements marker: id|name|lat|lng / 1 1|Bell|51|0 / 1 |Bear||"},
		{"<r>\n<h><n>2</n></h><c>\n<e><name>Bell</name><g><lat>51</lat></g><g/></e>\n<e><name>Bear</name>\n<b><c>1</c></b><b><c>2</c></b><b><c>3</c></b></e></c></r>",
			"xml, the elements c.e: name|g.lat|b.c / 3 Bell|51| / 4 Bear||1"},
		{`<r><a><x>1</x></a><a><x>2</x></a><b><name>A</name></b></r>`, "xml, the elements b: name / 1 A"},
		{`<r><a><x>1</x></a><a><x>2</x></a></r>`, "xml, the elements a: x / 1 1 / 1 2"},
		{`<a:r xmlns:a="b"><a:p a:id="7"><a:name>A &amp; <b>B</b></a:name></a:p></a:r>`, "xml, the elements p: id|name.b / 1 7|B"},
		{"<r><a>" + strings.Repeat("<b>", 20) + "<name>B</name>" + strings.Repeat("</b>", 20) + "<name>A</name></a><a><name/></a></r>", "xml, the elements a: name / 1 A / 1 "},
		{`<r><a><name>A</name></a><a>`, "! in:1: must be valid XML: was it copied completely? XML syntax error on line 1: unexpected EOF"},
		{`<kml><NetworkLink/></kml>`, "! in: is only a link to another file: open it in a browser, and save the file that it loads"},
		{`<kml><Placemark><name>A`, "! in:1: must be valid KML: was it copied completely? XML syntax error on line 1: unexpected EOF"},
	} {
		testkit.Equal(t, c.text, table(t, []byte(c.text), Options{}), c.want)
	}
}
