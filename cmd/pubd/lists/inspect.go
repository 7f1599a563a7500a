package lists

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pubd/cmd/pubd/cli"
	"pubd/index"
	"pubd/loader"
	"pubd/loader/disk"
)

// Inspect is the command that shows what is in an index file.
type Inspect struct {
	File string `arg:"" name:"pubs.idx" predictor:"file" help:"The index file."`
	All  bool   `help:"Also list each section of the file."`
}

// Run shows the content of the file; it is an error if the file is damaged.
func (c *Inspect) Run(t cli.Terminal) error {
	file, _, err := disk.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	s, err := index.Open(file, 0)
	if err == nil {
		err = s.Verify()
	}
	if err != nil {
		return err
	}
	var text strings.Builder
	writeInspection(&text, c.File, s, c.All)
	return cli.Say(t, "%s", text.String())
}

// writeInspection writes what is in a file: a page or, with all, also a line for each section.
func writeInspection(w io.Writer, name string, s *index.Snapshot, all bool) {
	aPub := func(size int64) float64 { return float64(size) / float64(max(s.Len(), 1)) }
	fmt.Fprintf(w, "%s: ok: %s, %d rated\n", loader.Visible(name), cli.Counted(s.Len(), "pub"), s.Rated())
	fmt.Fprintf(w, "snapshot  %s (SHA-256 of its source: %x)\n", s.ID(), s.Source())
	fmt.Fprintf(w, "builder   %s\n", loader.Visible(s.BuilderVersion()))
	fmt.Fprintf(w, "format    %d\n", index.FormatVersion())
	var names []string
	for _, column := range s.Extra() {
		names = append(names, string(column))
	}
	if len(names) > 0 {
		fmt.Fprintf(w, "extra     %s\n", loader.Visible(strings.Join(names, ", ")))
	}
	fmt.Fprintf(w, "size      %s bytes, %.1f a pub\n", cli.Grouped(int(s.Size())), aPub(s.Size()))

	fmt.Fprintf(w, "\n%-22s %8s %15s %8s %8s\n", "group", "sections", "bytes", "a pub", "share")
	for _, g := range groupSections(s) {
		fmt.Fprintf(w, "%-22s %8d %15s %8.1f %8s\n", g.name, g.sections, cli.Grouped(int(g.size)), aPub(g.size), percent(int(g.size), int(s.Size())))
	}
	if !all {
		fmt.Fprintf(w, "\n--all lists the %d sections\n", len(s.Sections()))
		return
	}
	fmt.Fprintf(w, "\n%-40s %15s %8s\n", "section", "bytes", "a pub")
	for _, section := range s.Sections() {
		fmt.Fprintf(w, "%-40s %15s %8.1f\n", section.Name, cli.Grouped(int(section.Size)), aPub(section.Size))
	}
}

// A sectionGroup is the sections with a common prefix.
type sectionGroup struct {
	name     string
	sections int
	size     int64
}

// groupSections groups the sections by the part of their names before the first dot, largest group first, followed by
// what belongs to no section.
func groupSections(s *index.Snapshot) []sectionGroup {
	var groups []sectionGroup
	rest := s.Size()
	for _, section := range s.Sections() {
		name, _, _ := strings.Cut(section.Name, ".")
		at := slices.IndexFunc(groups, func(g sectionGroup) bool { return g.name == name })
		if at < 0 {
			at = len(groups)
			groups = append(groups, sectionGroup{name: name})
		}
		groups[at].sections++
		groups[at].size += section.Size
		rest -= section.Size
	}
	slices.SortStableFunc(groups, func(a, b sectionGroup) int { return cmp.Compare(b.size, a.size) })
	return append(groups, sectionGroup{name: "(table and gaps)", size: rest})
}
