package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var updateReadme = flag.Bool("update-readme", false, "write the answers of the README's commands into it")

const readme = "../../README.md"

// The README's console blocks are commands, each with its answer below it. They are run as a newcomer would run them.
func TestReadme(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the README's commands need %s: %v", tool, err)
		}
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(folder, "pubd"), ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	address := serveSample(t, filepath.Join(folder, "pubd"))
	commands := 0
	block := regexp.MustCompile("(?s)```console\n(.*?)```")
	updated := block.ReplaceAllFunc(text, func(found []byte) []byte {
		var out bytes.Buffer
		out.WriteString("```console\n")
		for _, part := range strings.Split("\n"+string(block.FindSubmatch(found)[1]), "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			want = strings.TrimSuffix(want, "\n")
			commands++
			run := exec.Command("sh", "-c", strings.ReplaceAll(command, "127.0.0.1:8080", address))
			run.Dir = folder
			run.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
			answer, _ := run.CombinedOutput() // a refusal is an answer too
			got := strings.TrimSuffix(string(answer), "\n")
			if got != want && !*updateReadme {
				t.Errorf("%s\ngot  %s\nwant %s", command, got, want)
			}
			out.WriteString("$ " + command + "\n")
			if got != "" {
				out.WriteString(got + "\n")
			}
		}
		out.WriteString("```")
		return out.Bytes()
	})
	if commands == 0 {
		t.Error("no command was run")
	}
	if *updateReadme {
		if err := os.WriteFile(readme, updated, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// serveSample starts the program on the embedded sample and gives its address.
func serveSample(t *testing.T, program string) string {
	t.Helper()
	serve := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--admin", "", "--drain-delay", "0s")
	hint, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt)
		if err := serve.Wait(); err != nil {
			t.Errorf("the program ended with %v", err)
		}
	})
	buffer := make([]byte, 1024)
	n, err := hint.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://([^/\s]+)/`).FindSubmatch(buffer[:n])
	if address == nil {
		t.Fatalf("no address in %q", buffer[:n])
	}
	return string(address[1])
}
