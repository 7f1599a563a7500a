package serve

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pubd/cmd/pubd/cli"
	"pubd/index"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/fetch"
	"pubd/loader/fetch/worker"
	"pubd/loader/manifest"
)

// Build is the command that builds an index file.
type Build struct {
	In    string `arg:"" name:"pubs.csv" predictor:"file" help:"The snapshot: CSV, JSON or NDJSON, plain, .gz or .zst."`
	Out   string `arg:"" name:"pubs.idx" predictor:"file" help:"The index file to write."`
	Force bool   `help:"Replace an existing index file."`
	cli.PlacesFlag
	MaxBadRows int `default:"0" help:"Skip up to this many wrong rows."`
	cli.FacetFlag

	Name string `kong:"-"` // name of the query's rows in complaints, when In is a file made from them
}

// Validate implements kong's check of a command's flags.
func (c *Build) Validate() error {
	if err := c.FacetFlag.Validate(); err != nil {
		return err
	}
	if c.MaxBadRows < 0 {
		return fmt.Errorf("--max-bad-rows %d: must be 0 or more", c.MaxBadRows)
	}
	if c.Out != "" && !strings.EqualFold(filepath.Ext(c.Out), fetch.IndexExtension) {
		return fmt.Errorf("%s: the name must end in %s", loader.Visible(c.Out), fetch.IndexExtension)
	}
	return nil
}

// Run replaces the index file atomically: a server that opens it meanwhile opens the old file or the new one.
func (c *Build) Run(t cli.Terminal) error {
	begun := time.Now()
	if _, err := os.Lstat(c.Out); err == nil && !c.Force {
		return fmt.Errorf("%s: exists: use --force to replace it", loader.Visible(c.Out))
	}
	b, err := c.Index(t)
	if err != nil {
		return err
	}
	info, err := os.Stat(c.Out)
	if err != nil {
		return err
	}
	return cli.Say(t, "%s: %s, %s bytes, built in %v\n", loader.Visible(c.Out), cli.Counted(b.Pubs, "pub"), cli.Grouped(int(info.Size())),
		time.Since(begun).Round(10*time.Millisecond))
}

// Index reads the snapshot and writes its index file, with progress and hints on standard error.
func (c *Build) Index(t cli.Terminal) (b manifest.Build, err error) {
	worker.SaveMemory()
	name := cmp.Or(c.Name, c.In)
	worker.LimitMemory()
	reading := cli.NewProgress(t.Err, "reading "+name, true)
	defer reading.Finish()
	file, err := loader.OpenFile(c.In)
	if err != nil {
		return b, err
	}
	defer file.Close()
	places, err := loader.ReadGazetteer(c.Places, worker.FreeMemory().Bytes)
	if err != nil {
		return b, err
	}
	loaded, err := loader.LoadRows(name, file, file.Size(), loader.Options{MaxBadRows: c.MaxBadRows, Extra: c.Kept(), Places: places, ShowUIDs: c.Name != "",
		Folder: filepath.Dir(c.Out), Memory: worker.FreeMemory().Bytes / 4, Progress: reading.Show})
	reading.Finish()
	if err != nil {
		return b, err
	}
	defer loaded.Directory.Rows.Close()
	sum, err := file.End()
	if err != nil {
		return b, err
	}
	for _, complaint := range slices.Concat(loaded.Hints, loaded.LeftOut) {
		fmt.Fprintln(t.Err, complaint)
	}
	for _, complaint := range loaded.Skipped {
		fmt.Fprintf(t.Err, "%s (skipped)\n", complaint)
	}
	for _, note := range []struct {
		what    string
		columns []string
	}{{"unknown columns, ignored", loaded.Ignored}, {"columns of --extra or --facet not found", loaded.Absent},
		{"types of columns found out, which --facet can declare", loaded.Types}} {
		if len(note.columns) > 0 {
			fmt.Fprintf(t.Err, "%s: %s: %s\n", loader.Visible(name), note.what, strings.Join(note.columns, ", "))
		}
	}
	b = manifest.Build{File: c.Out, Pubs: loaded.Directory.Len(), Identity: places.Identity(sum),
		Snapshot: c.In, Places: places, MaxBadRows: c.MaxBadRows, Extra: c.Kept()}
	return b, c.write(t, loaded, b.Identity)
}

// write builds the index file.
func (c *Build) write(t cli.Terminal, loaded *loader.Result, source [32]byte) error {
	building := cli.NewProgress(t.Err, "building "+c.Out, false)
	defer building.Finish()
	file, err := atomicfile.Create(c.Out)
	if err != nil {
		return err
	}
	err = index.Build(loaded.Directory, file, index.BuildOptions{Source: source, BuilderVersion: cli.BuilderVersion(),
		Progress: func(_ string, done, total int) { building.Show(int64(done), int64(total)) }})
	if err != nil {
		file.Abort()
		return fmt.Errorf("%s: %w", loader.Visible(c.Out), err)
	}
	return file.Commit()
}
