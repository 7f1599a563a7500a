package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"pubd/testkit"
)

// listFolder is the folder of lists in the forms that people have.
var listFolder = filepath.Join("..", "..", "loader", "testdata", "lists")

// binaryLists are those of lists that a text editor would spoil. The test writes one that is absent.
var binaryLists = map[string]func(t *testing.T) []byte{
	"windows.csv": func(t *testing.T) []byte {
		return encoded(t, charmap.Windows1252, `"Name";"Straße";"PLZ";"Ort";"Breite";"Länge";"Bewertung"
"Zum Löwen";"Hauptstraße 1";"6020";"Innsbruck";"47,2692";"11,4041";"4,5/5"
"Goldener Bär";"Maria-Theresien-Straße 2";"6020";"Innsbruck";"47,2650";"11,3940";"4,0/5"
"Weißes Kreuz";"Herzog-Friedrich-Straße 31";"6020";"Innsbruck";"47,2685";"11,3930";""
"Gasthof Brücke";"Innrain 7";"6020";"Innsbruck";"47,2660";"11,3880";"3,5/5"
"Café „Central“";"Gilmstraße 5";"6020";"Innsbruck";"47,2670";"11,3960";"4,5/5"
"Stiftskeller – Bräu";"Stiftgasse 1";"6020";"Innsbruck";"47,2680";"11,3950";""
"Schöne Aussicht";"Bergweg 12";"6100";"Seefeld";"47,3290";"11,1890";"5/5"
"Fischerhütte";"Seeufer 3";"6213";"Pertisau";"47,4370";"11,7010";"2,5/5"
"Zur Post";"Dorfplatz 1";"6370";"Kitzbühel";"47,4460";"12,3910";""
"Kröll's Stüberl";"Dorf 8";"6290";"Mayrhofen";"47,1670";"11,8660";"4/5"
`)
	},
	"unicode.txt": func(t *testing.T) []byte {
		return encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "Nr\tNázov\tName\tCity\tCountry\tLat\tLon\r\n"+
			"1\tPod hradom\tPub pod Hradom\tBratislava\tSlovakia\t48.1420\t17.1000\r\n"+
			"2\tŽltý lev\tŽltý lev\tTrnava\tSlovakia\t48.3770\t17.5880\r\n"+
			"3\t\tŐrség söröző\tSopron\tHungary\t47.6850\t16.5900\r\n"+
			"4\t\tŁaciata Krowa\tKraków\tPoland\t50.0614\t19.9383\r\n"+
			"5\t\t\"Bar \"\"Pod Aniołem\"\"\"\tZakopane\tPoland\t49.2990\t19.9490\r\n"+
			"6\t\tČerný kůň\tOlomouc\tCzechia\t49.5940\t17.2510\r\n"+
			"7\t\tŞarap Evi\tİzmir\tTurkey\t38.4230\t27.1430\r\n"+
			"8\t\tΗ Ταβέρνα\tΘεσσαλονίκη\tGreece\t40.6400\t22.9440\r\n"+
			"9\t\tПивная №1\tСофия\tBulgaria\t42.6970\t23.3220\r\n"+
			"10\t\t居酒屋 鳥\t大阪\tJapan\t34.6937\t135.5023\r\n")
	},
	"utf32.csv": func(t *testing.T) []byte {
		return encoded(t, utf32.UTF32(utf32.BigEndian, utf32.UseBOM), `id,name,suburb,state,postcode,latitude,longitude
1,The Emu,Fremantle,WA,6160,-32.0569,115.7439
2,Café Naïve,Perth,WA,6000,-31.9523,115.8613
3,Gum Tree Tavern,Midland,WA,6056,-31.8880,116.0100
4,Quokka Arms,Rottnest Island,WA,6161,-32.0060,115.5120
5,🍺 Corner,Perth,WA,6003,-31.9470,115.8570
6,Swan Inn,Guildford,WA,6055,-31.8990,115.9730
7,Ship & Whale,Albany,WA,6330,-35.0270,117.8840
8,Bell,Bunbury,WA,6230,-33.3270,115.6410
9,Royal Oak,Perth,WA,6000,-31.9500,115.8600
10,Two Feathers,Broome,WA,6725,-17.9610,122.2360
`)
	},
	"mac.csv": func(*testing.T) []byte {
		return []byte(strings.ReplaceAll(`Member No,Pub,Town,County,Post Code,Handpumps
L1,Barley Mow,Bonsall,Derbyshire,DE4 2AS,3
L2,Barrel,Bretton,Derbyshire,S32 5QD,4
L3,Black Swan,Ashbourne,Derbyshire,DE6 1GJ,2
L4,Church Inn,Chelmorton,Derbyshire,SK17 9SL,5
L5,"Devonshire Arms, The",Beeley,Derbyshire,DE4 2NR,3
L6,Flying Childers,Stanton in Peak,Derbyshire,DE4 2LW,4
L7,Gate,Brassington,Derbyshire,DE4 4HJ,3
L8,Lathkil,Over Haddon,Derbyshire,DE45 1JE,4
L9,Miners Arms,Eyam,Derbyshire,S32 5RG,2
L10,Old Bowling Green,Winksley,North Yorkshire,HG4 3PG,
`, "\n", "\r"))
	},
	"guide.xlsx": func(t *testing.T) []byte {
		return workbook(t, "Sheet1", [][]any{
			{"Guide to pubs with a garden"},
			{"as of", 45352},
			{},
			{"Ref", "Pub", "Address", "Town", "Postcode", "Latitude", "Longitude", "Score", "Reviews"},
			{1001, "Barley Mow", "1 The Green", "Tilford", "GU10 2BU", 51.1831, -0.7512, 7.5, 1234},
			{1002, "Bat & Ball", "15 Bat Lane", "Boundstone", "GU10 4SA", 51.1901, -0.8101, 8, 88},
			{1003, "Bel & Dragon", "Jumps Road", "Churt", "GU10 2LD", 51.1402, -0.7701, nil, nil},
			{1004, "Cricketers", "The Street", "Dockenfield", "GU10 4HX", 51.1611, -0.8401, 6.25, 12},
			{1005, "Duke of Cambridge", "Tilford Road", "Tilford", "GU10 2DD", 51.1751, -0.7411, 9, 301},
			{1006, "Hare & Hounds", "The Street", "Rowledge", "GU10 4AA", 51.1801, -0.8201, 7, 45},
			{1007, "Mulberry", "Station Hill", "Farnham", "GU9 8AD", 51.2101, -0.7941, 5.5, 9},
			{1008, "Plume of Feathers", "22 Castle Street", "Farnham", "GU9 7JA", 51.2171, -0.7991, 7.1, 77},
			{1009, "Queen's Head", "9 The Borough", "Farnham", "GU9 7NA", 51.2151, -0.7981, 8.3, 150},
			{1010, "Sandrock", "Sandrock Hill", "Wrecclesham", "GU10 4NS", 51.1971, -0.8081, 8.9, 640},
		})
	},
	"tour.xlsx": func(t *testing.T) []byte {
		return workbook(t, "Read me", [][]any{{"This workbook has the stops of the tour."}, {"Sheet", "What it has"}, {"Stops", "one pub a row"}}, "Stops", [][]any{
			{"Stop", "Name", "Village", "Coordinates", "Arrive"},
			{1, "Star", "Netherbury", "50.7900, -2.7600", 0.5},
			{2, "Hare", "Melplash", "50.7720, -2.7520", 0.54},
			{3, "Marquis", "Nettlecombe", "50.7430, -2.6920", 0.58},
			{4, "Loders Arms", "Loders", "50.7420, -2.7200", 0.63},
			{5, "New Inn", "Eype", "50.7200, -2.7840", 0.67},
			{6, "Anchor", "Seatown", "50.7220, -2.8220", 0.71},
			{7, "Five Bells", "Whitchurch", "50.7560, -2.8560", 0.75},
			{8, "Rose & Crown", "Trent", "50.9680, -2.5930", 0.79},
			{9, "Blue Ball", "Dunsford", "50.6860, -3.6750", 0.83},
			{10, "Bell", "Stoke Abbott", "50.8010, -2.7990", 0.88},
		})
	},
	"mymaps.kmz": func(t *testing.T) []byte {
		return zipped(t, "doc.kml", string(testkit.Read(t, filepath.Join(listFolder, "mymaps.kml"))), "images/icon-1.png", "\x89PNG")
	},
	"download.zip": func(t *testing.T) []byte {
		return zipped(t, "Pubs 2024/", "", "Pubs 2024/pubs of the dale.csv", string(testkit.Read(t, filepath.Join(listFolder, "titles.csv"))), "__MACOSX/Pubs 2024/._pubs of the dale.csv", "\x00\x05")
	},
	"../unknown/third.xlsx": func(t *testing.T) []byte {
		return workbook(t, "Notes", [][]any{{"The pubs are on the last sheet."}}, "Prices", [][]any{{"item", "price"}, {"pint", 5.2}, {"half", 2.7}}, "Pubs", [][]any{
			{"No", "Name", "Town", "Postcode"},
			{1, "Red Lion", "Ely", "CB7 4LS"},
			{2, "Bell", "Soham", "CB7 5HD"},
			{3, "Crown", "Littleport", "CB6 1AA"},
			{4, "Anchor", "Sutton Gault", "CB6 2BD"},
			{5, "Plough", "Little Downham", "CB6 2ST"},
		})
	},
	"backup.csv.gz": func(t *testing.T) []byte {
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		_, err := writer.Write(testkit.Read(t, filepath.Join(listFolder, "commas.csv")))
		testkit.OK(t, err)
		testkit.OK(t, writer.Close())
		return packed.Bytes()
	},
	"backup.ndjson.zst": func(t *testing.T) []byte {
		writer, err := zstd.NewWriter(nil)
		testkit.OK(t, err)
		return writer.EncodeAll(testkit.Read(t, filepath.Join(listFolder, "lines.ndjson")), nil)
	},
}

func encoded(t *testing.T, to encoding.Encoding, text string) []byte {
	t.Helper()
	bytes, err := to.NewEncoder().Bytes([]byte(text))
	testkit.OK(t, err)
	return bytes
}

// workbook returns an Excel workbook of some sheets, each with its name and rows.
func workbook(t *testing.T, sheets ...any) []byte {
	t.Helper()
	book := excelize.NewFile()
	for sheet := range slices.Chunk(sheets, 2) {
		name := sheet[0].(string)
		_, err := book.NewSheet(name)
		testkit.OK(t, err)
		for i, row := range sheet[1].([][]any) {
			cell, err := excelize.CoordinatesToCellName(1, i+1)
			testkit.OK(t, err)
			testkit.OK(t, book.SetSheetRow(name, cell, &row))
		}
	}
	if sheets[0] != "Sheet1" { // which a new workbook has
		testkit.OK(t, book.DeleteSheet("Sheet1"))
	}
	var packed bytes.Buffer
	testkit.OK(t, book.Write(&packed))
	return packed.Bytes()
}

// zipped returns a zip archive of some names, each followed by its content.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for file := range slices.Chunk(files, 2) {
		writer, err := archive.Create(file[0])
		testkit.OK(t, err)
		_, err = writer.Write([]byte(file[1]))
		testkit.OK(t, err)
	}
	testkit.OK(t, archive.Close())
	return packed.Bytes()
}

// makeLists writes the binary lists that are absent.
func makeLists(t *testing.T) {
	t.Helper()
	for name, made := range binaryLists {
		path := filepath.Join(listFolder, name)
		if _, err := os.Stat(path); os.IsNotExist(err) {
			testkit.OK(t, os.WriteFile(path, made(t), 0o644))
		}
	}
}

// contentsOf returns the files of a folder by name.
func contentsOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	testkit.OK(t, err)
	contents := map[string]string{}
	for _, entry := range entries {
		contents[entry.Name()] = string(testkit.Read(t, filepath.Join(folder, entry.Name())))
	}
	return contents
}

// listRow matches a row of the table of lists in docs/data.md.
var listRow = regexp.MustCompile("(?m)^\\| .* \\| `(pubd import .*) pubs\\.csv` \\|$")

// The commands in docs/data.md for lists of each shape import those of loader/testdata/lists.
func TestLists(t *testing.T) {
	makeLists(t)
	_, table, _ := strings.Cut(string(testkit.Read(t, "../../docs/data.md")), "<!-- lists -->")
	table, _, _ = strings.Cut(table, "<!-- lists: end -->")
	contents := contentsOf(t, listFolder)
	testdata := files(t, contents)
	var said strings.Builder
	named := map[string]bool{}
	for _, found := range listRow.FindAllStringSubmatch(table, -1) {
		command := found[1] + " pubs.csv"
		for _, word := range argument.FindAllString(command, -1) {
			named[word] = true
		}
		output := answer(t, command)
		said.WriteString("$ " + command + "\n" + output)
		testkit.FailIf(t, strings.Contains(output, "exit code"), "%s: %s", command, output)
		if snapshot, err := os.ReadFile("pubs.csv"); err == nil {
			said.WriteString("$ cat pubs.csv\n" + string(snapshot) + "\n")
			testkit.OK(t, os.Remove("pubs.csv"))
		}
	}
	for name := range contents {
		testkit.FailIf(t, !named[name], "docs/data.md: must say what to type for loader/testdata/lists/%s", name)
	}
	rows := strings.Count(table, "\n| ") - 1 // without the header
	testkit.FailIf(t, rows != strings.Count(said.String(), "$ pubd"), "docs/data.md: %d rows of listFolder, %d commands", rows, strings.Count(said.String(), "$ pubd"))
	testkit.Golden(t, filepath.Join(testdata, "import", "lists.txt"), said.String())
}

// A list that is not understood gets one message, and who does what it says succeeds.
func TestUnknownLists(t *testing.T) {
	makeLists(t)
	contents := contentsOf(t, filepath.Join(listFolder, "..", "unknown"))
	testdata := files(t, contents)
	var said strings.Builder
	for _, c := range []struct {
		name  string
		flags string            // to add, as the message says them
		above string            // a line to put above the list, as the message says it
		saved map[string]string // what to save instead
	}{
		{name: "abbreviated.csv", flags: "--uid auto --map name=c2 --map latitude=c4 --map longitude=c5"},
		{name: "finnish.csv", flags: "--uid auto --map name=Nimi"},
		{name: "greek.csv", flags: "--uid auto --map name=Όνομα --map latitude=Πλάτος --map longitude=Μήκος"},
		{name: "headerless.csv", above: "UID,name,column3,column4,column5,latitude,longitude"},
		{name: "japanese.csv", flags: "--uid auto --map name=店名 --map latitude=緯度 --map longitude=経度"},
		{name: "nameless.kml", flags: "--uid auto --map name=description"},
		{name: "odd.json", flags: "--uid auto --map name=t0 --map latitude=p.a --map longitude=p.b"},
		{name: "page.csv", saved: map[string]string{"the table on it as CSV": "UID,name\n7,Red Lion\n"}},
		{name: "polish.csv", flags: "--uid auto --map 'name=Nazwa lokalu' --map 'latitude=Szer. geogr.' --map 'longitude=Dł. geogr.'"},
		{name: "several.json", flags: "--list inns"},
		{name: "third.xlsx", flags: "--uid auto --sheet Pubs"},
	} {
		command := "pubd import " + c.name + " pubs.csv"
		message := answer(t, command)
		said.WriteString("$ " + command + "\n" + message)
		isOne := strings.HasPrefix(message, "pubd: "+c.name) && strings.Count(message, "\n") == 2
		testkit.FailIf(t, !isOne, "%s: got %s, want one message", command, message)
		delete(contents, c.name)
		for _, word := range argument.FindAllString(c.flags+" "+c.above, -1) {
			testkit.FailIf(t, !strings.Contains(message, word), "%s: %q is not in %s", c.name, word, message)
		}
		for what, text := range c.saved {
			testkit.FailIf(t, !strings.Contains(message, what), "%s: %q is not in %s", c.name, what, message)
			replace(t, c.name, text)
		}
		if c.above != "" {
			replace(t, c.name, c.above+"\n"+string(testkit.Read(t, c.name)))
		}
		flags := strings.ReplaceAll(c.flags, "'", `"`)
		command = strings.Join(strings.Fields("pubd import "+flags+" "+c.name+" pubs.csv"), " ")
		said.WriteString("$ " + command + "\n" + answer(t, command))
		snapshot, err := os.ReadFile("pubs.csv")
		testkit.StopIf(t, err != nil, "%s: not written: %s", command, said.String())
		said.WriteString("$ cat pubs.csv\n" + string(snapshot) + "\n")
		testkit.OK(t, os.Remove("pubs.csv"))
	}
	testkit.FailIf(t, len(contents) > 0, "not in the table: %v", contents)
	testkit.Golden(t, filepath.Join(testdata, "import", "unknown.txt"), said.String())
}
