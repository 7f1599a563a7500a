package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"pubd/bench"
	"pubd/bench/stage"
	"pubd/data"
	"pubd/index"
	"pubd/loader"
)

type compareCommand struct {
	Data         string   `placeholder:"FILE" help:"The snapshot; a made-up directory without it."`
	Pubs         int      `default:"51566" help:"How many pubs the made-up directory has (${default})."`
	Requests     int      `default:"2000" help:"How many requests of each class are drawn (${default})."`
	Rounds       int      `default:"5" help:"How often everything is measured (${default}); the median counts."`
	Seconds      int      `default:"2" help:"How long each server has load, by round and class (${default})."`
	Classes      []int    `placeholder:"N,..." help:"Which classes, in the order of the report, from 1; all without it."`
	Alternatives []string `default:"postgresql,redis,plain" enum:"postgresql,redis,plain,none" help:"What else is measured: postgresql, redis, plain or none (${default})."`
	Other        string   `placeholder:"PROGRAM" help:"Another pubd, such as one of an earlier commit, that is measured in turn with this one; the ratios of their rates are printed last."`
	Extensions   bool     `help:"Measure what goes beyond the contract, beside nginx only; written to extensions.md and extensions.svg."`
	Out          string   `default:"bench/results" placeholder:"DIR" help:"Where versus.md and versus.svg are written (${default})."`
}

// Validate implements kong's check of a command's flags.
func (c *compareCommand) Validate() error {
	for _, flag := range []struct {
		name  string
		value int
	}{{"--pubs", c.Pubs}, {"--requests", c.Requests}, {"--rounds", c.Rounds}, {"--seconds", c.Seconds}} {
		if flag.value < 1 {
			return fmt.Errorf("%s %d: must be 1 or more", flag.name, flag.value)
		}
	}
	for _, class := range c.Classes {
		if most := len(c.suite().classes); class < 1 || class > most {
			return fmt.Errorf("--classes %d: must be from 1 to %d", class, most)
		}
	}
	return nil
}

// suite is what is measured.
func (c *compareCommand) suite() *suite {
	if c.Extensions {
		return extensions
	}
	return contract
}

// seed is that of the made-up directory and of the requests.
const seed = 1

// busyMachine is the load average from which a warning is due.
const busyMachine = 1.0

// A comparison is a run: its servers, which are all up, and what they are asked.
type comparison struct {
	*compareCommand
	log          io.Writer
	dir          string
	server, load int // cores
	data         string
	directory    index.Directory
	wrk          *wrk
	pubd         *pubdServer
	classes      []int
	workloads    map[int]*workload
	contenders   []*contender
}

// Run measures and reports. All servers are gone when it returns.
func (c *compareCommand) Run(ctx context.Context, t terminal) (err error) {
	m := &comparison{compareCommand: c, log: t.err, workloads: map[int]*workload{}}
	if m.server, m.load, err = cores(); err != nil {
		return err
	}
	r := &report{Suite: c.suite(), Machine: stage.ReadMachine(ctx), Rounds: c.Rounds, Seconds: c.Seconds, Requests: c.Requests}
	if r.Machine.Load > busyMachine {
		fmt.Fprintf(t.err, "warning: the load average is %.2f: others use the cores, and the figures will be rough\n", r.Machine.Load)
	}
	if m.dir, err = os.MkdirTemp("", "versus-"); err != nil {
		return err
	}
	defer os.RemoveAll(m.dir)
	defer func() {
		for _, contender := range slices.Backward(m.contenders) {
			contender.process.Stop()
		}
	}()
	if err := m.prepare(ctx); err != nil {
		return err
	}
	if err := m.startOthers(ctx); err != nil {
		return err
	}
	pubs := count(float64(len(m.directory.Pubs))) + " pubs"
	r.Data = "a made-up directory of " + pubs
	if c.Data != "" {
		r.Data = filepath.Base(c.Data) + ", " + pubs
	}
	kept := stage.KeptByHost()
	if err := m.measure(ctx, r); err != nil {
		return err
	}
	r.Kept = kept()
	if err := r.save(c.Out); err != nil {
		return err
	}
	r.print(t.out)
	r.printOther(t.out)
	file := filepath.Join(c.Out, r.Suite.file)
	fmt.Fprintf(t.out, "written to %s.md and %s.svg\n", file, file)
	return nil
}

// prepare starts pubd and gets the bodies that nginx is to send.
func (m *comparison) prepare(ctx context.Context) (err error) {
	if m.wrk, err = newWrk(m.dir, m.load); err != nil {
		return err
	}
	if m.data = m.Data; m.data == "" {
		m.data = filepath.Join(m.dir, "made-up.csv")
		if err := writeDirectory(m.data, m.Pubs); err != nil {
			return err
		}
	}
	fmt.Fprintln(m.log, "reading the directory, building and starting pubd")
	loaded, err := loader.LoadFile(m.data, loader.Options{})
	if err != nil {
		return err
	}
	m.directory = loaded.Directory
	program, keyFile, secret, err := buildPubd(ctx, m.dir)
	if err != nil {
		return err
	}
	if m.pubd, err = startPubd(ctx, program, m.data, keyFile, secret, m.server); err != nil {
		return err
	}
	m.wrk.secret = m.pubd.secret
	m.contenders = append(m.contenders, m.contender("pubd", m.pubd))
	if m.Other != "" {
		other, err := startPubd(ctx, m.Other, m.data, keyFile, secret, m.server)
		if err != nil {
			return err
		}
		m.contenders = append(m.contenders, m.contender(otherName, other))
	}

	fmt.Fprintln(m.log, "drawing requests and saving the answers")
	mix := bench.NewMix(m.directory.Pubs, seed)
	for class := range m.suite().classes {
		if len(m.Classes) > 0 && !slices.Contains(m.Classes, class+1) {
			continue
		}
		if m.workloads[class], err = prepare(ctx, m.dir, m.suite(), class, mix, m.Requests, m.pubd); err != nil {
			return err
		}
		m.classes = append(m.classes, class)
	}
	return nil
}

// contender is a pubd among the contenders.
func (m *comparison) contender(name string, p *pubdServer) *contender {
	c := &contender{name: name, process: p.Process, rate: served(m.wrk, p.Process, p.address, connections, toAPI), pubs: counted(p.address, p.secret)}
	if m.Extensions { // not all answers are JSON
		c.pubs = uncounted
	}
	return c
}

func writeDirectory(path string, pubs int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(data.Generate(file, pubs, seed, nil), file.Close())
}

// startOthers starts what is installed of the other servers. What is missing is named and left out.
func (m *comparison) startOthers(ctx context.Context) error {
	for _, other := range []struct {
		name  string
		start func() (*contender, error)
	}{
		{"nginx", func() (*contender, error) { return m.startNginx(ctx) }},
		{"postgresql", func() (*contender, error) {
			return startPostgres(ctx, m.dir, &m.directory, m.workloads, m.server, m.load)
		}},
		{"redis", func() (*contender, error) {
			return startRedis(ctx, m.dir, m.directory.Pubs, m.server, m.load)
		}},
		{"plain", func() (*contender, error) { return startPlain(ctx, m.dir, m.data, m.wrk, m.server) }},
	} {
		if other.name != "nginx" && (m.Extensions || !slices.Contains(m.Alternatives, other.name)) {
			continue
		}
		fmt.Fprintf(m.log, "starting %s\n", other.name)
		started, err := other.start()
		var missing stage.MissingError
		switch {
		case errors.As(err, &missing):
			fmt.Fprintf(m.log, "left out: %v\n", err)
		case err != nil:
			return fmt.Errorf("%s: %w", other.name, err)
		default:
			m.contenders = append(m.contenders, started)
		}
	}
	return nil
}

func (m *comparison) startNginx(ctx context.Context) (*contender, error) {
	program, err := stage.Tool("nginx", "nginx")
	if err != nil {
		return nil, err
	}
	files := 0
	for _, w := range m.workloads {
		files += w.distinct
	}
	n, err := startNginx(ctx, program, m.dir, files, m.server)
	if err != nil {
		return nil, err
	}
	for class, w := range m.workloads {
		if err := w.verify(ctx, m.dir, n.address, m.pubd.secret, class); err != nil {
			n.Stop()
			return nil, err
		}
	}
	return &contender{name: nginxName, version: stage.VersionOf(program, "-v"), process: n.Process, rate: served(m.wrk, n.Process, n.address, connections, toFiles),
		pubs: uncounted}, nil
}
