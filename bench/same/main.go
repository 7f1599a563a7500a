// Command same gives two pubd programs the same inputs, and prints what they answer, build or print differently:
//
//	go run ./bench/same [-requests N] [-seed N] [-lists DIR,...] OLD NEW
//
// OLD and NEW are built with -buildvcs=false, as an index file names its builder. Compared are the index files of five
// snapshots; random requests over all paths, methods, parameters, keys and headers, with status, headers but Date and
// X-Request-Id, and body; and what import, check, build and inspect print and write for each list. The exit status
// is 1 if anything differs.
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pubd/bench/stage"
	"pubd/loader"
)

func main() {
	requests := flag.Int("requests", 200_000, "how many `requests`, over all snapshots")
	seed := flag.Uint64("seed", 1, "the `seed` of the requests")
	lists := flag.String("lists", "loader/testdata/lists,loader/testdata/unknown", "`folders` of lists")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	c := comparison{out: os.Stdout, programs: [2]string(flag.Args())}
	err := c.run(context.Background(), *requests, *seed, strings.Split(*lists, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(2)
	}
	if c.differences > 0 {
		os.Exit(1)
	}
}

// A comparison counts what two programs do differently.
type comparison struct {
	out         io.Writer
	programs    [2]string
	differences int
}

// mostShown is how many differences are printed.
const mostShown = 50

// compare counts and prints a difference between two outputs.
func (c *comparison) compare(what string, outputs [2][]byte) {
	if bytes.Equal(outputs[0], outputs[1]) {
		return
	}
	if c.differences++; c.differences > mostShown {
		return
	}
	at := 0
	for at < min(len(outputs[0]), len(outputs[1])) && outputs[0][at] == outputs[1][at] {
		at++
	}
	const before, after = 60, 200
	fmt.Fprintf(c.out, "\n%s: byte %d of %d and %d\n", what, at, len(outputs[0]), len(outputs[1]))
	for i, mark := range "-+" {
		fmt.Fprintf(c.out, "%c %q\n", mark, outputs[i][max(0, at-before):min(len(outputs[i]), at+after)])
	}
}

// run compares everything, and prints a line for each part.
func (c *comparison) run(ctx context.Context, requests int, seed uint64, lists []string) error {
	for i, program := range c.programs {
		path, err := filepath.Abs(program)
		if err != nil {
			return err
		}
		c.programs[i] = path
	}
	dir, err := os.MkdirTemp("", "pubd-same-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, s := range snapshots {
		if err := c.compareSnapshot(ctx, filepath.Join(dir, s.name), s, requests/len(snapshots), seed+uint64(i)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for _, folder := range lists {
		if err := c.compareLists(ctx, dir, folder); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.out, "%d differences\n", c.differences)
	return nil
}

// A snapshot is a directory to compare answers about. Its files are written by the first program.
type snapshot struct {
	name   string
	sample []string // flags of pubd sample
	edit   func(text string) (string, error)
	flags  []string // of build, and of serve for a gazetteer
	places string   // a gazetteer; empty if there is none
}

var snapshots = []snapshot{
	{name: "ten", sample: []string{"--pubs", "10", "--seed", "5"}},
	{name: "small", sample: []string{"--pubs", "3000", "--seed", "2"}},
	{name: "large", sample: []string{"--pubs", "50000", "--seed", "1"}},
	// Many pubs of one name at few points, with a column that is kept.
	{name: "ties", sample: []string{"--pubs", "5000", "--seed", "3"}, flags: []string{"--extra", "phone"}, edit: withTies},
	{name: "places", sample: []string{"--pubs", "5000", "--seed", "4"}, places: "name,latitude,longitude,population\n" +
		"Soho,51.5136,-0.1319,3000\nCastle Quarter,53.48,-2.24,900\nNowhere Green,54,-1,\nSoho,52.49,-1.92,100\n"},
}

// withTies gives four of five pubs the same name, and a few points and phone numbers to all.
func withTies(text string) (string, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return "", err
	}
	at := func(column string) int { return slices.Index(rows[0], column) }
	name, latitude, longitude := at("name"), at("latitude"), at("longitude")
	rows[0] = append(rows[0], "phone")
	for n, row := range rows[1:] {
		if n%5 > 0 {
			row[name] = "The Crown"
		}
		row[latitude], row[longitude] = fmt.Sprint(51+n%3), fmt.Sprint(-n%2)
		rows[1+n] = append(row, fmt.Sprintf("0%d", n%7))
	}
	var out strings.Builder
	err = csv.NewWriter(&out).WriteAll(rows)
	return out.String(), err
}

// compareSnapshot compares the index files of a snapshot and the answers from it.
func (c *comparison) compareSnapshot(ctx context.Context, dir string, s snapshot, requests int, seed uint64) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	file, places := filepath.Join(dir, "pubs.csv"), filepath.Join(dir, "places.csv")
	text, err := stage.Output(stage.Command(ctx, slices.Concat([]string{c.programs[0], "sample"}, s.sample)...))
	if err != nil {
		return err
	}
	if s.edit != nil {
		if text, err = s.edit(text); err != nil {
			return err
		}
	}
	flags := s.flags
	if s.places != "" {
		flags = append(slices.Clone(flags), "--places", places)
	}
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o644), os.WriteFile(places, []byte(s.places), 0o644)); err != nil {
		return err
	}
	var indexes [2][]byte
	var servers [2]*stage.Server
	for i, program := range c.programs {
		path := filepath.Join(dir, fmt.Sprintf("%d.idx", i))
		if _, err := stage.Output(stage.Command(ctx, slices.Concat([]string{program, "build"}, flags, []string{file, path})...)); err != nil {
			return err
		}
		if indexes[i], err = os.ReadFile(path); err != nil {
			return err
		}
		if servers[i], err = stage.NewServer(path); err != nil {
			return err
		}
		if err := servers[i].Start(ctx, nil, program, "--public-pages", "--public-url", "https://pubs.test", "--access-log", "off"); err != nil {
			return err
		}
		defer servers[i].Stop()
	}
	c.compare("index file of "+s.name, indexes)
	loaded, err := loader.Load(file, []byte(text), loader.Options{})
	if err != nil {
		return err
	}
	statuses, err := c.compareAnswers(servers, newAsker(loaded.Directory.Pubs, seed), requests)
	fmt.Fprintf(c.out, "%s: %d bytes of index, %d requests, by status %v, %d differences so far\n", s.name, len(indexes[0]), requests, statuses, c.differences)
	return err
}

// compareLists compares what commands do with each list of a folder.
func (c *comparison) compareLists(ctx context.Context, dir, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		list, err := filepath.Abs(filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		for _, command := range []string{"import LIST new.csv", "import --uid auto --town nearest LIST auto.ndjson", "import --dry-run LIST", "check LIST",
			"check new.csv", "check --json auto.ndjson", "build new.csv new.idx", "inspect new.idx"} {
			var said [2][]byte
			for i, program := range c.programs {
				work := filepath.Join(dir, fmt.Sprint("work", i), entry.Name())
				if err := os.MkdirAll(work, 0o755); err != nil {
					return err
				}
				said[i] = run(ctx, work, program, strings.Fields(strings.ReplaceAll(command, "LIST", list)))
			}
			c.compare(entry.Name()+": pubd "+command, said)
		}
		for _, written := range []string{"new.csv", "auto.ndjson", "new.idx"} {
			var content [2][]byte
			for i := range content { // a file that is missing is empty
				content[i], _ = os.ReadFile(filepath.Join(dir, fmt.Sprint("work", i), entry.Name(), written))
			}
			c.compare(entry.Name()+": "+written, content)
		}
	}
	fmt.Fprintf(c.out, "%s: %d lists, %d differences so far\n", folder, len(entries), c.differences)
	return nil
}

// took matches times and rates, which differ from run to run.
var took = regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|µs|s)\b`)

// run returns what a command prints, and its exit status.
func run(ctx context.Context, dir, program string, args []string) []byte {
	cmd := stage.Command(ctx, append([]string{program}, args...)...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	return took.ReplaceAll(fmt.Appendf(said, "%v\n", err), []byte("T"))
}
