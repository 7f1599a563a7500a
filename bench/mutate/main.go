// Command mutate flips random conditions, one at a time, and prints which of them no test catches:
//
//	go run ./bench/mutate [-n N] [-seed N] PACKAGE...
//
// A flip negates a condition or one side of it, or moves the edge of a comparison. The tests of its package run on it
// and, if they pass, those of the given packages that import it directly. The files stay as they are: the tests are
// compiled with an overlay. A flip that does not compile, or that runs out of time, counts as caught.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 300, "how many conditions to `flip`")
	seed := flag.Uint64("seed", 1, "the `seed` that chooses them")
	limit := flag.Duration("timeout", 3*time.Minute, "how `long` the tests of a flip may take")
	flag.Parse()
	if err := run(context.Background(), *n, *seed, *limit, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// A goPackage is what go list says of a package.
type goPackage struct {
	Dir, ImportPath string
	GoFiles         []string
	TestGoFiles     []string
	XTestGoFiles    []string
	Imports         []string
}

// A flip replaces a part of a file.
type flip struct {
	of       goPackage
	path     string
	at       token.Position
	from, to int // offsets of what is replaced
	with     string
}

func run(ctx context.Context, n int, seed uint64, limit time.Duration, patterns []string) error {
	packages, err := list(ctx, patterns)
	if err != nil {
		return err
	}
	var flips []flip
	for _, p := range packages {
		for _, name := range p.GoFiles {
			found, err := flipsOf(p, filepath.Join(p.Dir, name))
			if err != nil {
				return err
			}
			flips = append(flips, found...)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(flips), func(i, j int) { flips[i], flips[j] = flips[j], flips[i] })
	chosen, missed := flips[:min(n, len(flips))], 0
	for i, f := range chosen {
		caught, err := f.isCaught(ctx, packages, limit)
		if err != nil {
			return err
		}
		if !caught {
			missed++
			source, _ := os.ReadFile(f.path) // it was read before
			fmt.Printf("%d: not caught: %s: %s -> %s\n", i, f.at, source[f.from:f.to], f.with)
		}
	}
	fmt.Printf("%d of %d conditions flipped, %d caught, %d not\n", len(chosen), len(flips), len(chosen)-missed, missed)
	return nil
}

// list returns the packages of some patterns.
func list(ctx context.Context, patterns []string) (packages []goPackage, err error) {
	said, err := exec.CommandContext(ctx, "go", append([]string{"list", "-json"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(said))); d.More(); {
		var p goPackage
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// swaps are the operators that move the edge of a comparison, or turn it round.
var swaps = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.LAND: "||", token.LOR: "&&",
}

// flipsOf returns the flips of a file.
func flipsOf(p goPackage, path string) (flips []flip, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	replace := func(from, to token.Pos, with string) {
		at := files.Position(from)
		flips = append(flips, flip{p, path, at, at.Offset, files.Position(to).Offset, with})
	}
	negate := func(e ast.Expr) {
		if e == nil {
			return
		}
		if _, isBinary := e.(*ast.BinaryExpr); !isBinary { // whose operator is swapped
			from, to := files.Position(e.Pos()).Offset, files.Position(e.End()).Offset
			replace(e.Pos(), e.End(), "!("+string(source[from:to])+")")
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BinaryExpr:
			if with, ok := swaps[node.Op]; ok {
				replace(node.OpPos, node.OpPos+token.Pos(len(node.Op.String())), with)
			}
		case *ast.IfStmt:
			negate(node.Cond)
		case *ast.ForStmt:
			negate(node.Cond)
		}
		return true
	})
	return flips, nil
}

// isCaught reports whether a test fails on a flip.
func (f flip) isCaught(ctx context.Context, packages []goPackage, limit time.Duration) (bool, error) {
	dir, err := os.MkdirTemp("", "pubd-mutate-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	source, err := os.ReadFile(f.path)
	if err != nil {
		return false, err
	}
	flipped, overlay := filepath.Join(dir, "flipped.go"), filepath.Join(dir, "overlay.json")
	content := slices.Concat(source[:f.from], []byte(f.with), source[f.to:])
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{f.path: flipped}})
	if err := errors.Join(err, os.WriteFile(flipped, content, 0o644), os.WriteFile(overlay, replaced, 0o644)); err != nil {
		return false, err
	}
	tested := []string{f.of.ImportPath}
	var importers []string
	for _, p := range packages {
		if slices.Contains(p.Imports, f.of.ImportPath) && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			importers = append(importers, p.ImportPath)
		}
	}
	for _, group := range [][]string{tested, importers} {
		if len(group) == 0 {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-vet=off", "-failfast", "-overlay", overlay, "-timeout", limit.String()}, group)...)
		err := cmd.Run()
		cancel()
		if err != nil {
			return true, nil
		}
	}
	return false, nil
}
