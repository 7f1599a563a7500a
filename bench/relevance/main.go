// Command relevance measures how often pubd finds the pub that a person means: it asks for pubs by names that are spoiled as people spoil
// them, near where they are and by name and place, and looks at which place of the answer each is; then it asks for pubs that do not exist,
// and types names key by key. Beside it PostgreSQL with trigrams is asked the same, where it is installed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"pubd/bench/stage"
	"pubd/data"
	"pubd/loader"
)

// options are what is measured and where the report goes.
type options struct {
	data, pairs string // files; empty for the embedded sample and for its own names
	program     string // pubd; empty to build it
	out         string // where the report and its chart are written, without extension; empty for the terminal alone
	count       int    // questions of each class
	rows        int    // questions of each class that PostgreSQL is asked; 0 leaves it out
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", "", "the `FILE` of the snapshot; the embedded sample when absent")
	flag.StringVar(&o.pairs, "pairs", "", "a CSV `FILE` of names as others write them: asked, uid, lat, lng, place; names of the snapshot when absent")
	flag.StringVar(&o.program, "pubd", "", "the `PROGRAM` to measure; built from the working directory when absent")
	flag.StringVar(&o.out, "out", "", "write `NAME`.md and NAME.svg besides")
	flag.IntVar(&o.count, "count", 500, "questions of each class")
	flag.IntVar(&o.rows, "postgres", 100, "questions of each class that PostgreSQL is asked; 0 leaves it out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		os.Exit(1)
	}
}

// run measures and writes the report.
func run(ctx context.Context, o options, out io.Writer) error {
	r, err := measure(ctx, o)
	if err != nil {
		return err
	}
	if err := r.writeMarkdown(out); err != nil || o.out == "" {
		return err
	}
	for extension, write := range map[string]func(io.Writer) error{".md": r.writeMarkdown, ".svg": r.writeChart} {
		file, err := os.Create(o.out + extension)
		if err != nil {
			return err
		}
		if err := write(file); err != nil {
			file.Close()
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}

// measure asks everything. With the same snapshot, pairs and program the report is the same.
func measure(ctx context.Context, o options) (*report, error) {
	dir, err := os.MkdirTemp("", "relevance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &report{snapshot: filepath.Base(o.data), source: "names of the snapshot itself", answers: map[string][]shares{}}
	file := o.data
	if file == "" {
		r.snapshot, file = "the embedded sample", filepath.Join(dir, "sample.csv")
		if err := os.WriteFile(file, data.Sample(), 0o644); err != nil {
			return nil, err
		}
	}
	loaded, err := loader.LoadFile(file, loader.Options{})
	if err != nil {
		return nil, err
	}
	pubs := loaded.Directory.Pubs
	r.pubs = len(pubs)
	all := ownPairs(pubs)
	if o.pairs != "" {
		r.source = filepath.Base(o.pairs)
		if all, err = readPairs(o.pairs, pubs); err != nil {
			return nil, err
		}
	}
	r.pairs = len(all)
	questions, strangers := askedOf(all, o.count), strangersOf(all, pubs, o.count)
	ask := func(f searcher, name string, chosen []int, limit int) error {
		r.columns = append(r.columns, columnsOf(name, chosen)...)
		for _, class := range classes {
			for _, way := range chosen {
				if err := r.ask(ctx, f, class.name, ways[way], questions[class.name], limit); err != nil {
					return err
				}
			}
		}
		for _, kind := range strangerKinds {
			for _, way := range []int{within5km, byPlace} {
				if err := r.ask(ctx, f, kind, ways[way], strangers[kind], limit); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if o.program == "" {
		if o.program, err = stage.BuildPubd(ctx, dir); err != nil {
			return nil, err
		}
	}
	s, err := startPubd(ctx, o.program, file)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	if err := ask(s, "", []int{0, 1, 2, 3}, o.count); err != nil {
		return nil, err
	}
	if r.keys, err = s.typeNames(ctx, questions[classes[0].name]); err != nil || o.rows == 0 {
		return r, err
	}
	postgres, err := startPostgres(ctx, pubs)
	if err != nil {
		r.without = err.Error()
		return r, nil
	}
	defer postgres.Close()
	r.rows, r.postgres = o.rows, stage.VersionOf(filepath.Join(postgres.Programs, "postgres"), "--version")
	return r, ask(postgres, "PostgreSQL ", []int{near500m, byPlace}, o.rows)
}

// columnsOf returns the names of ways in which something is asked.
func columnsOf(name string, chosen []int) (columns []string) {
	for _, way := range chosen {
		columns = append(columns, name+ways[way].name)
	}
	return columns
}

// ask adds how at most limit questions of a class are answered one way.
func (r *report) ask(ctx context.Context, f searcher, class string, w way, questions []question, limit int) error {
	sum, err := f.find(ctx, w, questions[:min(limit, len(questions))])
	r.answers[class] = append(r.answers[class], sum)
	return err
}
