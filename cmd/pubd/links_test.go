package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

var (
	fencedBlock  = regexp.MustCompile("(?s)```.*?```")
	markdownLink = regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// Every link in the documents leads to an existing file and heading, and every document can be reached from README.md.
func TestLinks(t *testing.T) {
	root := filepath.Join("..", "..")
	reached := []string{"README.md"}
	for i := 0; i < len(reached); i++ {
		for _, link := range markdownLink.FindAllStringSubmatch(textOf(t, root, reached[i]), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			target := reached[i]
			if link[1] != "" {
				target = filepath.Join(filepath.Dir(reached[i]), link[1])
			}
			_, err := os.Stat(filepath.Join(root, target))
			testkit.FailIf(t, err != nil, "%s: link to %s: %v", reached[i], link[1], err)
			if err != nil || filepath.Ext(target) != ".md" {
				continue
			}
			isThere := link[2] == "" || slices.Contains(anchors(textOf(t, root, target)), link[2])
			testkit.FailIf(t, !isThere, "%s: link %s: has no such heading", reached[i], link)
			if !slices.Contains(reached, target) {
				reached = append(reached, target)
			}
		}
	}
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	testkit.StopIf(t, err != nil || len(documents) < 10, "got %d documents (%v)", len(documents), err)
	for _, document := range documents {
		name := filepath.Join("docs", filepath.Base(document))
		testkit.FailIf(t, !slices.Contains(reached, name), "%s: no link from README.md leads there", name)
	}
}

// textOf returns a document without code blocks.
func textOf(t *testing.T, root, name string) string {
	t.Helper()
	return fencedBlock.ReplaceAllString(string(testkit.Read(t, filepath.Join(root, name))), "")
}

// anchors returns the link targets of a document's headings.
func anchors(text string) []string {
	var names []string
	for _, found := range heading.FindAllStringSubmatch(text, -1) {
		name := notInAnchors.ReplaceAllString(strings.ToLower(found[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
