package testkit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A recorder records what is reported instead of ending a test.
type recorder struct{ said []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, values ...any) {
	r.said = append(r.said, fmt.Sprintf(format, values...))
}
func (r *recorder) Fatalf(format string, values ...any) {
	panic("stopped: " + fmt.Sprintf(format, values...))
}
func (r *recorder) Skip(values ...any) { panic("skipped: " + fmt.Sprint(values...)) }

// Each function reports what is wrong, and nothing else.
func TestReports(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"testdata/cases.txt": "# a comment\n\na -> b\n{3*x} ->\nwrong\n", "golden.txt": "all\nas\nas it was"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, report := range map[string]func(t TB){
		"":                func(t TB) { OK(t, nil); FailIf(t, false, "x"); StopIf(t, false, "x"); Contains(t, "x", "abc", "b") },
		"stopped: broken": func(t TB) { OK(t, errors.New("broken")) },
		"skipped: sh: " + exec.ErrNotFound.Error(): func(t TB) { OK(t, fmt.Errorf("sh: %w", exec.ErrNotFound)) },
		"7 is odd":                          func(t TB) { FailIf(t, true, "%d is odd", Must(7, nil)(t)) },
		"stopped: odd":                      func(t TB) { StopIf(t, true, "odd") },
		"sum:\n got [1]\nwant [2]":          func(t TB) { Equal(t, "same", []int{1}, []int{1}); Equal(t, "sum", []int{1}, []int{2}) },
		"text:\n got abc\nwant \"d\" in it": func(t TB) { Contains(t, "text", "abc", "a", "d") },
		"cases.txt: wrong: has no arrow": func(t TB) {
			got := Cases(t, "cases.txt")
			StopIf(t, fmt.Sprint(got) != "[{a b} {xxx } {wrong }]", "got %q", got)
		},
		"golden.txt, without the lines that both have:\ngot\nas\nit is\nas\n\nwant (go test -update takes it over)\nas it was": func(t TB) {
			Golden(t, "golden.txt", "all\nas\nas it was")
			Golden(t, "golden.txt", "as\nall\nas\nit is\nas\n")
		},
		"stopped: open absent.txt: no such file or directory (go test -update writes it)": func(t TB) { Golden(t, "absent.txt", "") },
	} {
		r := new(recorder)
		func() {
			defer func() {
				if stopped := recover(); stopped != nil {
					r.said = append(r.said, fmt.Sprint(stopped))
				}
			}()
			report(r)
		}()
		if got := strings.Join(r.said, "; "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	*Update = true
	defer func() { *Update = false }()
	Golden(t, filepath.Join("new", "golden.txt"), "fresh")
	*Update = false
	Golden(t, filepath.Join("new", "golden.txt"), "fresh")
	times := 0
	Eventually(t, "three times", func() bool { times++; return times == 3 })
}
