// Command relevance measures how often pubd finds the pub that a person means. It starts pubd, asks questions whose
// right answer is known, and prints tables as Markdown; the same snapshot, names and program give the same report.
//
// A question is the name of a pub, corrupted as people do it (spoil.go), by random numbers that depend only on the
// pub, its name and the kind of mistake. It is asked within 500 m and 5 km, together with the place, and near a point;
// the pub should be among the first ten results, or first. Names of pubs that do not exist nearby should find nothing.
// Names are also typed letter by letter, until the pub is suggested. With --pairs, the names are those that people
// use; with --people, the questions are those that people type, each with the answers that they would accept.
//
// PostgreSQL with trigrams, if it is installed, gets the same questions, but fewer: it shows what people would have
// otherwise. A share is rounded down, so that 1.00 means all.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"pubd/bench"
	"pubd/bench/stage"
	"pubd/data"
	"pubd/loader"
)

type command struct {
	Data     string `placeholder:"FILE" help:"The snapshot to search (default: the embedded sample)."`
	Pairs    string `placeholder:"FILE" help:"A CSV file of what people call pubs: asked, uid, lat, lng, place (default: the names of the snapshot)."`
	Places   string `placeholder:"FILE" help:"A gazetteer to serve the snapshot with."`
	People   string `placeholder:"FILE" help:"A JSON file of questions as people type them, and what they would accept."`
	Out      string `placeholder:"NAME" help:"Write NAME.md and NAME.svg as well."`
	Count    int    `default:"500" help:"Number of questions of each class (${default})."`
	Postgres int    `default:"100" help:"Number of questions of each class for PostgreSQL (${default}); 0 leaves it out."`
}

func main() {
	var c command
	kong.Parse(&c, kong.Description("Measure how often pubd finds the pub that is meant."))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := c.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		os.Exit(1)
	}
}

// run measures and writes the report.
func (c *command) run(ctx context.Context, out io.Writer) error {
	r, err := c.measure(ctx)
	if err != nil {
		return err
	}
	text := r.markdown()
	if _, err := io.WriteString(out, text); err != nil || c.Out == "" {
		return err
	}
	if err := os.WriteFile(c.Out+".md", []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(c.Out+".svg", []byte(r.chart()), 0o644)
}

// measure asks all questions. The same snapshot, pairs and program give the same report.
func (c *command) measure(ctx context.Context) (*report, error) {
	dir, err := os.MkdirTemp("", "relevance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &report{snapshot: filepath.Base(c.Data), source: "the snapshot's own, asked 0.2 km from the pubs", answers: map[string][]shares{}}
	file := c.Data
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
	targets := targetsOf(pubs)
	if c.Pairs != "" {
		r.source = filepath.Base(c.Pairs)
		if targets, err = readTargets(c.Pairs, pubs); err != nil {
			return nil, err
		}
	}
	r.pubs, r.targets = len(pubs), len(targets)
	questions, strangers := questionsAbout(targets, c.Count), strangersTo(targets, pubs, c.Count)

	program, err := stage.CompilePubd(ctx, dir)
	if err != nil {
		return nil, err
	}
	s, err := startPubd(ctx, program, file, c.Places)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	if err := r.measure(ctx, s, "", ways, questions, strangers, c.Count); err != nil {
		return nil, err
	}
	if c.People != "" {
		if r.people, err = s.measurePeople(ctx, c.People); err != nil {
			return nil, err
		}
	}
	if r.keys, err = s.typeNames(ctx, questions[classes[0].name]); err != nil || c.Postgres == 0 {
		return r, err
	}
	database, err := bench.StartPostgres(ctx, loaded.Directory)
	if err != nil {
		r.without = err.Error()
		return r, nil
	}
	defer database.Close()
	version, err := database.Run(ctx, "SHOW server_version;")
	if err != nil {
		return nil, err
	}
	r.rows, r.postgres = c.Postgres, strings.Fields(version)[0]
	return r, r.measure(ctx, postgres{database}, "PostgreSQL ", []way{within500m, nameAndPlace}, questions, strangers, c.Postgres)
}

// measure adds how a searcher answers at most limit questions of each class, one column for each way. It searches for
// pubs that do not exist within 5 km and by name and place.
func (r *report) measure(ctx context.Context, s searcher, prefix string, chosen []way, questions, strangers map[string][]question, limit int) error {
	add := func(class string, w way, questions []question) error {
		found, err := s.find(ctx, w, questions[:min(limit, len(questions))])
		r.answers[class] = append(r.answers[class], found)
		return err
	}
	for _, w := range chosen {
		r.columns = append(r.columns, prefix+w.name)
		for _, class := range classes {
			if err := add(class.name, w, questions[class.name]); err != nil {
				return err
			}
		}
	}
	for _, w := range []way{within5km, nameAndPlace} {
		for _, kind := range strangerKinds {
			if err := add(kind, w, strangers[kind]); err != nil {
				return err
			}
		}
	}
	return nil
}
