// Command versus compares pubd with nginx, which sends the same bytes from files. It prints samples for benchstat, and writes them to a file
// together with a table and a chart. It needs nginx and two cores, one for the servers and one for the load.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/aclements/go-moremath/stats"
	"github.com/alecthomas/kong"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/loader"
)

type command struct {
	Data     string        `placeholder:"FILE" help:"The snapshot to serve (default: a generated directory)."`
	Pubs     int           `default:"51566" help:"Number of pubs in the generated directory (${default})."`
	Requests int           `default:"2000" help:"Number of requests to draw for each class (${default})."`
	Rounds   int           `default:"5" help:"Number of rounds (${default}); the median counts."`
	Window   time.Duration `default:"2s" help:"How long to load each server, per round and class (${default})."`
	Suite    string        `default:"versus" enum:"versus,more,extensions" help:"The classes of requests: versus, more or extensions (${default}). The files get this name."`
	Other    string        `placeholder:"PROGRAM" help:"Another pubd binary, such as one from an earlier commit, to measure alternately with this one."`
	Out      string        `default:"bench/results" placeholder:"DIR" help:"Directory for the table, the chart and the samples (${default})."`
}

func main() {
	var c command
	kong.Parse(&c, kong.Description("Compare pubd with nginx."))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	err := c.run(ctx, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
}

// Validate is called by kong after parsing.
func (c *command) Validate() error {
	for name, value := range map[string]int{"--pubs": c.Pubs, "--requests": c.Requests, "--rounds": c.Rounds} {
		if value < 1 {
			return fmt.Errorf("%s %d: must be 1 or more", name, value)
		}
	}
	return nil
}

// suites are the classes of requests that are measured together.
var suites = map[string][]bench.Class{"versus": bench.Classes, "more": bench.MoreClasses, "extensions": bench.Extensions}

// The servers take turns on one core; the load runs on another.
const loadCore = "1"

var onServerCore = []string{"taskset", "-c", "0", "env", "GOMAXPROCS=1"}

// A contender is a server that is measured.
type contender struct {
	name    string
	process *stage.Process
	loads   []*load.Load // by class
	start   string       // what starting it cost, in the benchmark format; "" for nginx
}

func (c *command) run(ctx context.Context, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "versus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := c.Data
	if file == "" {
		file = filepath.Join(dir, "generated.csv")
		if err := bench.WriteDirectory(file, c.Pubs); err != nil {
			return err
		}
	}
	fmt.Fprintln(stderr, "building and starting pubd, drawing requests, saving the answers")
	loaded, err := loader.LoadFile(file, loader.Options{})
	if err != nil {
		return err
	}
	program, err := stage.BuildPubd(ctx, dir)
	if err != nil {
		return err
	}
	classes, mix := suites[c.Suite], bench.NewMix(loaded.Directory.Pubs, 1)
	targets := make([][]string, len(classes))
	for i, class := range classes {
		for range c.Requests {
			targets[i] = append(targets[i], class.Path()+"?"+mix.Draw(class))
		}
	}
	bodies := filepath.Join(dir, "bodies")
	if err := os.Mkdir(bodies, 0o755); err != nil {
		return err
	}
	var contenders []*contender
	for _, pubd := range []struct{ name, program, bodies string }{{"pubd", program, bodies}, {"other pubd", c.Other, ""}} {
		if pubd.program == "" {
			continue
		}
		started, err := startPubd(ctx, pubd.name, pubd.program, file, dir)
		if err != nil {
			return err
		}
		defer started.process.Stop()
		if err := started.prepare(targets, pubd.bodies); err != nil {
			return err
		}
		contenders = append(contenders, started)
	}
	nginx, err := startNginx(ctx, dir, bodies, contenders[0].loads)
	if err != nil {
		return err
	}
	defer nginx.process.Stop()
	if said, err := exec.CommandContext(ctx, "taskset", "-acp", loadCore, strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
		return fmt.Errorf("taskset: %w: %s: two cores are needed, one for the servers and one for the load", err, said)
	}
	r, err := measure(ctx, stderr, classes, append(contenders, nginx), c.Rounds, c.Window)
	if err != nil {
		return err
	}
	machine := stage.ReadMachine(ctx)
	samples, text := r.benchmarks(c.Suite, machine), c.markdown(r, machine)
	fmt.Fprint(stderr, text)
	fmt.Fprint(stdout, samples)
	return r.save(filepath.Join(c.Out, c.Suite), samples, text)
}

// startPubd starts a pubd as operators run it: with a key file and without flags that save time.
func startPubd(ctx context.Context, name, program, file, dir string) (*contender, error) {
	keys := filepath.Join(dir, name+" keys")
	secret, err := stage.Output(exec.CommandContext(ctx, program, "keys", "add", "--file", keys, "--name", "versus"))
	if err != nil {
		return nil, err
	}
	server, err := stage.NewServer(file)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := server.Start(ctx, onServerCore, program, "--keys", keys); err != nil {
		return nil, err
	}
	ready := time.Since(begun)
	resident, peak, _ := stage.Memory(server.ID())
	return &contender{name, server.Process, []*load.Load{{Address: server.API, Key: strings.TrimSpace(secret)}},
		fmt.Sprintf("%.3f ready-s %d resident-bytes %d peak-bytes", ready.Seconds(), resident, peak)}, nil
}

// prepare requests each target once to get the right answers. It saves the bodies in dir, named by their digests, unless dir is "".
func (c *contender) prepare(targets [][]string, dir string) error {
	api := c.loads[0]
	conn := load.Conn{Address: api.Address}
	defer conn.Close()
	c.loads = nil
	for _, class := range targets {
		right := &load.Snapshot{}
		for _, target := range class {
			answer, err := conn.Ask(fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\n\r\n", target, api.Key))
			if err != nil || answer.Status != 200 {
				return fmt.Errorf("%s: %s: status %d, %v, want 200", c.name, target, answer.Status, err)
			}
			right.ID = conn.Snapshot()
			right.Answers = append(right.Answers, answer)
			if dir != "" {
				if err := os.WriteFile(filepath.Join(dir, fileOf(answer)), conn.Body(), 0o644); err != nil {
					return err
				}
			}
		}
		c.loads = append(c.loads, &load.Load{Address: api.Address, Key: api.Key, Targets: class, Snapshots: []*load.Snapshot{right}})
	}
	return nil
}

func fileOf(answer load.Answer) string { return fmt.Sprintf("%016x", answer.Digest) }

// startNginx starts nginx with one worker and all files open. Its loads request the bodies of the answers to the same loads on pubd.
func startNginx(ctx context.Context, dir, bodies string, same []*load.Load) (*contender, error) {
	files, _ := os.ReadDir(bodies)
	config := stage.NginxConfig(1, len(files), fmt.Sprintf("sendfile on; keepalive_timeout 1h; open_file_cache max=%d inactive=1d; "+
		"open_file_cache_valid 1d; server { listen {address}; root %s; }", len(files), bodies))
	process, address, err := stage.StartProxy(ctx, "nginx", dir, config, onServerCore...)
	if err != nil {
		return nil, err
	}
	nginx := &contender{name: "nginx", process: process}
	for _, l := range same {
		answers := l.Snapshots[0].Answers
		file := &load.Load{Address: address, Key: l.Key, Snapshots: []*load.Snapshot{{Answers: answers}}}
		for _, answer := range answers {
			file.Targets = append(file.Targets, "/"+fileOf(answer))
		}
		nginx.loads = append(nginx.loads, file)
	}
	return nginx, nil
}

// mustReach is the ratio to nginx that a class without [bench.Class].Reach must reach, and the geometric mean of a suite that is not in overall.
const mustReach = 0.4

var overall = map[string]float64{"versus": 0.7}

// markdown returns the report: the first contender compared with the last.
func (c *command) markdown(r *results, m stage.Machine) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# pubd and nginx

Responses per second, with each server on one core and the load on another, over 32 keep-alive connections; every body is checked. pubd runs with its
defaults: it checks keys, counts requests and sends ETags. nginx has one worker and all files open, and sends the same bodies as pubd. In each of %d
rounds, each server gets the requests of each class for %v; the median counts. The %d requests of a class are drawn as people would send them: common ones
are more frequent. A ratio compares pubd with nginx in the same round: minimum – median – maximum. The ratio by CPU time is nginx's CPU time per response
divided by pubd's. Each class must reach a ratio.

%s

![Responses per second](%s.svg)

| class | pubd /s | nginx /s | ratio | by CPU time | must reach | |
|---|--:|--:|--:|--:|--:|---|
`, c.Rounds, c.Window, c.Requests, m, c.Suite)
	line := func(ratio, least float64, format string, values ...any) {
		fmt.Fprintf(&b, format, values...)
		fmt.Fprintf(&b, " %.2f | %s |\n", least, map[bool]string{true: "met", false: "**missed**"}[ratio >= least])
	}
	nginx := len(r.contenders) - 1
	var all []float64
	for i, class := range r.classes {
		var ratios []float64
		for round, rate := range r.rates[i][0] {
			ratios = append(ratios, rate/r.rates[i][nginx][round])
		}
		ratio := bench.Median(ratios)
		all = append(all, ratio)
		line(ratio, cmp.Or(class.Reach, mustReach), "| %s | %.0f | %.0f | %.2f – **%.2f** – %.2f | %.2f |", class.Name, bench.Median(r.rates[i][0]),
			bench.Median(r.rates[i][nginx]), slices.Min(ratios), ratio, slices.Max(ratios), bench.Median(r.cpus[i][nginx])/bench.Median(r.cpus[i][0]))
	}
	mean := stats.GeoMean(all)
	line(mean, cmp.Or(overall[c.Suite], mustReach), "| geometric mean | | | %.2f | |", mean)
	return b.String()
}
