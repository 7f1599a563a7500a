package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/golangci/misspell"
)

// glossary lists expressions to avoid, and what to write instead.
var glossary = []struct{ not, but string }{
	{`tells? (whether|if)`, "reports whether"},
	{`parted by`, "separated by"},
	{`refus(e|es|ed|al|als|ing) (of )?(an? |the |its |that |every |any |one )?(file|snapshot|row|value|parameter|key|reload|header|column)s?`, "reject, rejected, rejection"},
	{`(file|snapshot|row|value|parameter|key|reload)s? (is|are|was|were|be) refused`, "rejected"},
	{`heeds?|heeded|heeding`, "use"},
	{`where there (is|are) none`, "otherwise"},
	{`dear`, "expensive"},
	{`anybody`, "anyone"},
	{`whoever`, "anyone who, or the noun"},
	{`anew`, "again"},
	{`mend|mends|mended|mending`, "fix, repair"},
	{`lest`, "so that … not, in case"},
	{`beforehand`, "first, before"},
	{`of (its|their|his) own accord|by itself alone`, "on its own"},
	{`broken off`, "interrupted"},
	{`promises? is held`, "guarantee"},
	{`in good order`, "cleanly"},
	{`put back in order`, "restore"},
	{`what (people|a reader|strangers) reads? of`, "the text of"},
	{`is asked (for|about|again|of|what|which|whether)`, "name who requests what"},
	{`time-outs?`, "timeout"},
	{`file handles?`, "file descriptor"},
	{`for want of`, "out of, without"},
}

// coined matches invented names for things that have a standard name.
var coined = regexp.MustCompile(`\b(Separation|[Ss]ieve|[Ss]ift|asTypo|beginningWith|takeTurns|leavings|LetGo|settleAround|lowly|stepAside|hopeless|alwaysRight|untold|Attended|[Hh]eeded)\b`)

// prose returns the comments and string literals of a Go file, and the whole content of other files.
func prose(name string, content []byte) (parts []string) {
	if filepath.Ext(name) != ".go" {
		return []string{string(content)}
	}
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(name, -1, len(content)), content, nil, scanner.ScanComments)
	for {
		switch _, kind, text := s.Scan(); kind {
		case token.EOF:
			return parts
		case token.COMMENT, token.STRING:
			parts = append(parts, text)
		}
	}
}

// Comments, messages, documents and pages follow the glossary and have no common misspellings.
func TestEnglish(t *testing.T) {
	var alternatives []string
	for _, row := range glossary {
		alternatives = append(alternatives, row.not)
	}
	avoided := regexp.MustCompile(`(?i)\b(` + strings.Join(alternatives, "|") + `)\b`)
	spelling := misspell.New()
	spelling.Compile()
	read := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel("../..", path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata" || entry.Name() == "node_modules" || name == "bench/results"):
			return filepath.SkipDir
		case entry.IsDir() || name == "cmd/pubd/english_test.go" || !slices.Contains([]string{".go", ".md", ".html", ".js", ".ts", ".css", ".json", ".yaml", ".yml", ".cfg", ".conf", ".sh", ".service"}, filepath.Ext(name)):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		report := func(format string, args ...any) {
			t.Errorf("%s: "+format, append([]any{name}, args...)...)
		}
		for _, part := range prose(name, content) {
			for _, at := range avoided.FindAllStringIndex(part, -1) {
				report("%q: avoid it, see the glossary: %s", part[at[0]:at[1]], strings.Join(strings.Fields(part[max(0, at[0]-60):min(len(part), at[1]+40)]), " "))
			}
			_, wrong := spelling.Replace(strings.NewReplacer("Frome", "", "Partick", "", "lattitude", "", "nmae", "").Replace(part)) // except places and deliberate mistakes
			for _, word := range wrong {
				report("%q: must be spelt %q", word.Original, word.Corrected)
			}
		}
		if filepath.Ext(name) == ".go" {
			for _, word := range coined.FindAllString(string(content), -1) {
				report("%q: is a coined name", word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 300 {
		t.Errorf("%d files were read", read)
	}
}
