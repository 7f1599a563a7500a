package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
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
func (c *Build) Run(ctx context.Context, t cli.Terminal) error {
	begun := time.Now()
	if _, err := os.Lstat(c.Out); err == nil && !c.Force {
		return fmt.Errorf("%s: exists: use --force to replace it", loader.Visible(c.Out))
	}
	b, err := c.Index(ctx, t)
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
func (c *Build) Index(ctx context.Context, t cli.Terminal) (b manifest.Build, err error) {
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
	places, err := loader.ReadPlaces(c.Places, worker.FreeMemory().Bytes)
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
	for _, hint := range loaded.Hints {
		fmt.Fprintln(t.Err, hint)
	}
	for _, complaint := range loaded.LeftOut {
		fmt.Fprintln(t.Err, complaint)
	}
	for _, complaint := range loaded.Skipped {
		fmt.Fprintf(t.Err, "%s (skipped)\n", complaint)
	}
	if len(loaded.Ignored) > 0 {
		fmt.Fprintf(t.Err, "%s: unknown columns, ignored: %s\n", loader.Visible(name), strings.Join(loaded.Ignored, ", "))
	}
	if len(loaded.Absent) > 0 {
		fmt.Fprintf(t.Err, "%s: columns of --extra or --facet not found: %s\n", loader.Visible(name), strings.Join(loaded.Absent, ", "))
	}
	if len(loaded.Types) > 0 {
		fmt.Fprintf(t.Err, "%s: types of columns found out, which --facet can declare: %s\n", loader.Visible(name), strings.Join(loaded.Types, ", "))
	}
	b = manifest.Build{File: c.Out, Pubs: loaded.Directory.Len(), Identity: places.Identity(sum),
		Snapshot: c.In, Places: places, MaxBadRows: c.MaxBadRows, Extra: c.Kept()}
	return b, c.write(ctx, t, loaded, b.Identity)
}

// write builds the index file.
func (c *Build) write(ctx context.Context, t cli.Terminal, loaded *loader.Result, source [32]byte) error {
	building := cli.NewProgress(t.Err, "building "+c.Out, false)
	defer building.Finish()
	untilSignal, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	file, err := atomicfile.Create(c.Out)
	if err != nil {
		return err
	}
	err = index.Build(loaded.Directory, stoppingAt{untilSignal, file.File}, index.BuildOptions{Source: source, BuilderVersion: cli.BuilderVersion(),
		Progress: func(_ string, done, total int) { building.Show(int64(done), int64(total)) }})
	if err == nil {
		err = untilSignal.Err()
	}
	if err != nil {
		file.Abort()
		if errors.Is(err, context.Canceled) {
			err = errors.New("not written: interrupted")
		}
		return fmt.Errorf("%s: %w", loader.Visible(c.Out), err)
	}
	return file.Commit()
}

// stoppingAt is a file whose writes fail once its context has ended.
type stoppingAt struct {
	ctx context.Context
	*os.File
}

func (s stoppingAt) WriteAt(p []byte, offset int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.File.WriteAt(p, offset)
}
