// Command table updates the table of a Markdown file with the results of bench/reliability. It reads the output of go
// test -json from its standard input, where the tests leave what was done, what passes, how much was
// tried and the figure, as attributes; its only argument is the file.
//
// A test that passed or failed replaces the row of its name, or becomes the last row. Rows that were not run, or were
// skipped, stay as they are: some take hours, and are repeated alone. So each row names the commit and the day at
// which it was measured; +dirty says that the sources differed from the commit.
//
// Messages of tests that did not pass, and those of the compiler, go to standard error. If a test failed, the row says
// so, and the exit code is 1.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"pubd/bench/stage"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ./bench/reliability | table FILE")
		os.Exit(2)
	}
	failed, err := run(os.Stdin, os.Stderr, os.Args[1], stage.Commit(context.Background()))
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// run updates a file with the events of go test, and reports whether a test failed.
func run(events io.Reader, log io.Writer, file, made string) (failed bool, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	type key struct{ test, key string }
	attributes := map[key]string{} // did, passes, n, figure
	said := map[string]string{}    // by test
	scanner := bufio.NewScanner(events)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var event struct{ Action, Test, Output, Key, Value string }
		if err := json.Unmarshal(scanner.Bytes(), &event); err != nil {
			fmt.Fprintln(log, scanner.Text()) // from the compiler
			continue
		}
		switch event.Action {
		case "attr":
			attributes[key{event.Test, event.Key}] = event.Value
		case "output":
			said[event.Test] += event.Output
		case "pass", "fail", "skip":
			name, isRow := strings.CutPrefix(event.Test, "Test")
			attributeOf := func(attribute string) string { return attributes[key{event.Test, attribute}] }
			failed = failed || event.Action == "fail"
			if event.Action != "pass" {
				fmt.Fprint(log, said[event.Test])
			}
			if !isRow || attributeOf("did")+attributeOf("figure") == "" || event.Action == "skip" {
				continue
			}
			verdict := "passed"
			if event.Action == "fail" {
				verdict = "**failed**"
			}
			fmt.Fprintf(log, "%s %s: %s: %s\n", name, verdict, attributeOf("n"), attributeOf("figure"))
			lines = replaceRow(lines, name, attributeOf("did"), attributeOf("passes"), attributeOf("n"), attributeOf("figure"), verdict, made)
		}
	}
	return failed, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// replaceRow replaces the table row that begins with the same cell, or adds it after the last row.
func replaceRow(lines []string, cells ...string) []string {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	row := "| " + strings.Join(cells, " | ") + " |"
	place := len(lines)
	for i, line := range lines {
		if strings.HasPrefix(line, "| "+cells[0]+" |") {
			lines[i] = row
			return lines
		}
		if strings.HasPrefix(line, "|") {
			place = i + 1
		}
	}
	return slices.Insert(lines, place, row)
}
