// Command versus measures pubd beside nginx, which sends the same bytes from files. It prints samples that benchstat compares, and writes
// them, a table and a chart. It needs two cores, one for the servers and one for the load, and nginx, and leaves nothing running.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"pubd/bench"
	"pubd/bench/compare"
	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/loader"
)

type command struct {
	Data       string        `placeholder:"FILE" help:"The snapshot; a made-up directory without it."`
	Pubs       int           `default:"51566" help:"How many pubs the made-up directory has (${default})."`
	Requests   int           `default:"2000" help:"How many requests of each class are drawn (${default})."`
	Rounds     int           `default:"5" help:"How often everything is measured (${default}); the median counts."`
	Window     time.Duration `default:"2s" help:"How long each server has load, by round and class (${default})."`
	Classes    []int         `placeholder:"N,..." help:"Which classes, in the order of the table, from 1; all without it."`
	Other      string        `placeholder:"PROGRAM" help:"Another pubd, such as one of an earlier commit, that is measured in turn with this one."`
	Extensions bool          `help:"Measure what goes beyond the contract; written to extensions.md, .svg and .txt."`
	Out        string        `default:"bench/results" placeholder:"DIR" help:"Where versus.md, versus.svg and versus.txt are written (${default})."`
}

func main() {
	var c command
	kong.Parse(&c, kong.Description("pubd beside nginx."))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	err := c.run(ctx, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
}

// Validate implements kong's check of a command's flags.
func (c *command) Validate() error {
	for name, value := range map[string]int{"--pubs": c.Pubs, "--requests": c.Requests, "--rounds": c.Rounds} {
		if value < 1 {
			return fmt.Errorf("%s %d: must be 1 or more", name, value)
		}
	}
	for _, class := range c.Classes {
		if most := len(c.suite()); class < 1 || class > most {
			return fmt.Errorf("--classes %d: must be from 1 to %d", class, most)
		}
	}
	return nil
}

func (c *command) suite() []bench.Class {
	if c.Extensions {
		return bench.Extensions
	}
	return bench.Classes
}

// chosen returns the classes to measure.
func (c *command) chosen() (classes []bench.Class) {
	for _, number := range c.Classes {
		classes = append(classes, c.suite()[number-1])
	}
	if classes == nil {
		return c.suite()
	}
	return classes
}

// reach is the ratio to nginx that a class must reach, and overall that of the geometric mean.
var reach = map[string]float64{
	"lookup": 1, "search by a pub's name": 0.75, "search by name and town": 0.85, "prefixes of 1–4 letters": 0.65,
	"a word, with sort, order, rated, deeper pages": 0.65, "search=*, any page up to 2,000, by name or total": 0.75,
	"within 2 km": 0.7, "within 20 km, amount 20": 0.6, "a word within 20 km, unpaged": 0.3,
	"facets": 0.2, "suggest": 0.8, // of the others beyond the contract 0.4
}

func reachOf(class string) float64 {
	if least, known := reach[class]; known {
		return least
	}
	return 0.4
}

func (c *command) run(ctx context.Context, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "versus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := c.Data
	if file == "" {
		file = filepath.Join(dir, "made-up.csv")
		if err := bench.WriteDirectory(file, c.Pubs); err != nil {
			return err
		}
	}
	fmt.Fprintln(stderr, "building and starting pubd, drawing requests and saving the answers")
	loaded, err := loader.LoadFile(file, loader.Options{})
	if err != nil {
		return err
	}
	program, err := stage.BuildPubd(ctx, dir)
	if err != nil {
		return err
	}
	keyFile := filepath.Join(dir, "keys")
	secret, err := stage.Output(exec.CommandContext(ctx, program, "keys", "add", "--file", keyFile, "--name", "versus"))
	if err != nil {
		return err
	}
	classes, names := c.chosen(), []string{}
	mix, queries := bench.NewMix(loaded.Directory.Pubs, 1), make([][]string, len(classes))
	for i, class := range classes {
		names = append(names, class.Name)
		for range c.Requests {
			queries[i] = append(queries[i], mix.Draw(class))
		}
	}
	var contenders []*compare.Contender
	// pubd is as an operator runs it: a key file, and the defaults of every flag that costs time.
	bodies := filepath.Join(dir, "bodies")
	if err := os.Mkdir(bodies, 0o755); err != nil {
		return err
	}
	var toFiles []*load.Load
	for name, program := range map[string]string{"pubd": program, "other pubd": c.Other} {
		if program == "" {
			continue
		}
		server, err := stage.NewServer(file)
		if err != nil {
			return err
		}
		if err := server.Start(ctx, compare.OnServerCore, program, "--keys", keyFile); err != nil {
			return err
		}
		defer server.Stop()
		api, files, err := compare.Prepare(server.API, strings.TrimSpace(secret), bodies, classes, queries)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		contender := &compare.Contender{Name: name, Process: server.Process, Rate: compare.HTTP(api)}
		if name == "pubd" {
			contenders, toFiles = append([]*compare.Contender{contender}, contenders...), files
		} else {
			contenders = append(contenders, contender)
		}
	}
	nginx, address, err := stage.StartNginx(ctx, dir, compare.OnServerCore, 1, c.Requests*len(classes), func(address string) string {
		return fmt.Sprintf("sendfile on; keepalive_timeout 1h; open_file_cache max=%d inactive=1d; open_file_cache_valid 1d; server { listen %s; root %s; }",
			c.Requests*len(classes), address, bodies)
	})
	if err != nil {
		return err
	}
	defer nginx.Stop()
	for _, l := range toFiles {
		l.Address = address
	}
	contenders = append(contenders, &compare.Contender{Name: "nginx", Process: nginx, Rate: compare.HTTP(toFiles)})
	name := "Versus"
	if c.Extensions {
		name = "Extensions"
	}
	if err := compare.TakeLoadCore(); err != nil {
		return err
	}
	r, err := compare.Measure(ctx, stderr, name, names, contenders, c.Rounds, c.Window)
	if err != nil {
		return err
	}
	m := stage.ReadMachine(ctx)
	text := c.markdown(r, m)
	fmt.Fprint(stderr, text)
	r.WriteBenchmarks(stdout, m)
	return r.Save(c.Out, text, m)
}

// markdown returns the report for people.
func (c *command) markdown(r *compare.Results, m stage.Machine) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# pubd beside nginx

Answers a second, each server on one core and the load on another, over 32 kept connections; every body is checked. pubd runs with its defaults: keys are
checked, requests are counted, answers have an ETag. nginx has one worker and all files open, and sends the very bodies that pubd sends. In each of %d
rounds each server has the requests of each class for %v; the median counts. The %d requests of a class are drawn as people ask: common ones come more
often. A ratio is of the answers of pubd to those of the other in the same round: least – median – greatest.

%s

![Answers a second](%s.svg)

%s`, c.Rounds, c.Window, c.Requests, m, strings.ToLower(r.Name), r.Markdown())
	b.WriteString("\nPubd must reach a share of nginx's rate:\n\n| class | reach | ratio | by CPU time | |\n|---|--:|--:|--:|---|\n")
	for i, name := range r.Contenders {
		if name != "nginx" {
			continue
		}
		line := func(class string, least, got float64, byCPU string) {
			verdict := "met"
			if got < least {
				verdict = "**missed**"
			}
			fmt.Fprintf(&b, "| %s | %.2f | %.2f | %s | %s |\n", class, least, got, byCPU, verdict)
		}
		for class, name := range r.Classes {
			line(name, reachOf(name), bench.Median(r.Ratios(class, i)), fmt.Sprintf("%.2f", float64(r.CPU(class, i))/float64(r.CPU(class, 0))))
		}
		overall := 0.7
		if c.Extensions {
			overall = 0.4
		}
		line("geometric mean", overall, r.GeometricMean(i), "")
	}
	return b.String()
}
