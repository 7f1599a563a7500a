package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// listFolder is the folder of lists in the forms that people have.
var listFolder = filepath.Join("..", "..", "loader", "testdata", "lists")

// contentsOf returns the files of a folder by name.
func contentsOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries := testkit.Must(os.ReadDir(folder))(t)
	contents := map[string]string{}
	for _, entry := range entries {
		contents[entry.Name()] = string(testkit.Read(t, filepath.Join(folder, entry.Name())))
	}
	return contents
}

// The commands of testdata/lists.txt import the lists of each shape in loader/testdata/lists.
func TestLists(t *testing.T) {
	commands := testkit.Cases(t, "lists.txt")
	contents := contentsOf(t, listFolder)
	testdata := files(t, contents)
	var said strings.Builder
	named := map[string]bool{}
	for _, c := range commands {
		for _, word := range argument.FindAllString(c.Given, -1) {
			named[word] = true
		}
		output := answer(t, c.Given)
		said.WriteString("$ " + c.Given + "\n" + output)
		testkit.FailIf(t, strings.Contains(output, "exit code"), "%s: %s", c.Given, output)
		if snapshot, err := os.ReadFile("pubs.csv"); err == nil {
			said.WriteString("$ cat pubs.csv\n" + string(snapshot) + "\n")
			testkit.OK(t, os.Remove("pubs.csv"))
		}
	}
	for name := range contents {
		testkit.FailIf(t, !named[name], "testdata/lists.txt: must say what to type for loader/testdata/lists/%s", name)
	}
	testkit.Golden(t, filepath.Join(testdata, "import", "lists.txt"), said.String())
}

// A list that is not understood gets one message, and who does what it says succeeds.
func TestUnknownLists(t *testing.T) {
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
		{name: "third.xlsx", flags: "--uid auto"},
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
