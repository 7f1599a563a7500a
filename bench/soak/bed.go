package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pubd/bench"
	"pubd/bench/stage"
	"pubd/data"
	"pubd/loader"
)

// pubsInBed is how many pubs a made-up directory has, and fewPubs in short forms and where reloads are counted.
const (
	pubsInBed = 51_566
	fewPubs   = 5_000
)

// A bed is what all rows share: the program, a snapshot and another edition of it, and what is asked about them.
type bed struct {
	dir     string
	program string
	short   bool
	log     io.Writer
	// editions are two snapshots, of which the second lacks the last pub of the first: their answers to searches differ.
	editions [2]string
	// queries are drawn as users ask: 40 % text, 40 % distance, 20 % lookup.
	queries []string
	found   *findings
	// fuzzing is how long each fuzz target runs in the full form, targets which (a regular expression, all where it is empty),
	// out where results are kept.
	fuzzing time.Duration
	targets string
	out     string
}

// findings are what rows found out for those that follow.
type findings struct {
	mutex    sync.Mutex          // of editions
	editions map[string]*edition // by file
	// capacity is what one replica of the first edition serves, in requests a second, once a timed row measured it.
	capacity float64
}

// newBed builds pubd and makes the snapshots. It must be closed.
func newBed(ctx context.Context, file string, short bool, log io.Writer) (b *bed, err error) {
	b = &bed{short: short, log: log, found: &findings{editions: map[string]*edition{}}}
	if b.dir, err = os.MkdirTemp("", "soak-"); err != nil {
		return nil, err
	}
	if b.program, err = stage.BuildPubd(ctx, b.dir); err == nil {
		err = b.makeEditions(file, b.times(pubsInBed, fewPubs))
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bed) close() { _ = os.RemoveAll(b.dir) }

// path is a file of this run.
func (b *bed) path(name string) string { return filepath.Join(b.dir, name) }

// lasting is how long something lasts in the full form, and in the short one.
func (b *bed) lasting(full, short time.Duration) time.Duration {
	if b.short {
		return short
	}
	return full
}

// times is how often something is done in the full form, and in the short one.
func (b *bed) times(full, short int) int {
	if b.short {
		return short
	}
	return full
}

// in is the same bed in a folder of this one's, so that rows may run beside each other.
func (b *bed) in(folder string) (*bed, error) {
	own := *b
	own.dir = b.path(folder)
	return &own, os.MkdirAll(own.dir, 0o755)
}

// sized is a bed in a folder of this one's, with a made-up directory of so many pubs.
func (b *bed) sized(folder string, pubs int) (*bed, error) {
	sized, err := b.in(folder)
	if err != nil {
		return nil, err
	}
	sized.queries, sized.found = nil, &findings{editions: map[string]*edition{}}
	return sized, sized.makeEditions("", pubs)
}

// makeEditions writes the first edition, from a file or made up, and a second that lacks its last pub.
func (b *bed) makeEditions(file string, pubs int) error {
	var text bytes.Buffer
	if file == "" {
		if err := data.Generate(&text, pubs, 1, nil); err != nil {
			return err
		}
		file = "made-up.csv"
	} else {
		content, err := loader.ReadFile(file)
		if err != nil {
			return err
		}
		text.Write(content)
	}
	loaded, err := loader.Load(file, text.Bytes(), loader.Options{})
	if err != nil {
		return err
	}
	first := bytes.TrimRight(text.Bytes(), "\r\n")
	second := first[:max(0, bytes.LastIndexByte(first, '\n'))]
	if shorter, err := loader.Load(file, second, loader.Options{}); err != nil || len(shorter.Directory.Pubs) != len(loaded.Directory.Pubs)-1 {
		return fmt.Errorf("--data %s: must be CSV with a pub in its last line", file)
	}
	for i, content := range [][]byte{first, second} {
		b.editions[i] = b.path(fmt.Sprintf("edition-%d.csv", i+1))
		if err := os.WriteFile(b.editions[i], append(content[:len(content):len(content)], '\n'), 0o644); err != nil {
			return err
		}
	}
	mix := bench.NewMix(loaded.Directory.Pubs, 1)
	for i := range 1000 {
		b.queries = append(b.queries, mix.Draw(usual[i%len(usual)]))
	}
	return nil
}

// usual are the classes of requests that make up the mix, one in five each: two of text, two of distance, and lookup.
var usual = []bench.Class{bench.Classes[1], bench.Classes[6], bench.Classes[4], bench.Classes[7], bench.Classes[0]}

// install puts a snapshot where a server reads its data, as operators do: whole, by a rename.
func install(snapshot, place string) error {
	content, err := os.ReadFile(snapshot)
	if err != nil {
		return err
	}
	if err := os.WriteFile(place+".new", content, 0o644); err != nil {
		return err
	}
	if err := os.Rename(place+".new", place); err != nil {
		return fmt.Errorf("install %s: %w", snapshot, err)
	}
	return nil
}
