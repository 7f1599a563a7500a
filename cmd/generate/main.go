// Command generate writes what follows from the tables of parameters, members, columns, tags, metrics, sort keys and
// errors: parameters and lists of the OpenAPI document, and tables of the documentation. It also bundles the scripts of the
// explorer, with a module of such names. Its argument is the root folder of the repository.
//
// A generated part of a file stands between two lines that contain "generated: name" and "generated: end"; what is
// around it is written by hand. The parts are the templates of parts.tmpl.
package main

//go:generate go run . ../..

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	files, err := generated(os.Args[1])
	for name, content := range files {
		err = errors.Join(err, os.WriteFile(name, content, 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generated returns all files, by path, or none.
func generated(root string) (map[string][]byte, error) {
	files, err := tables(root)
	if err != nil {
		return nil, err
	}
	bundled, err := scripts(root)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, bundled)
	return files, nil
}

// tables returns the files that follow from the tables, by path.
func tables(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{"docs/api.md", "docs/data.md", "httpapi/openapi.json"} {
		path := filepath.Join(root, name)
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if filepath.Ext(name) == ".json" {
			files[path] = describe(content)
		} else if files[path], err = splice(content); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}

// splice replaces the generated parts of a file.
func splice(content []byte) ([]byte, error) {
	var out bytes.Buffer
	inside := false
	for line := range bytes.Lines(content) {
		_, mark, found := strings.Cut(strings.TrimSpace(string(line)), "generated: ")
		name := strings.TrimSuffix(mark, " -->")
		if found || !inside {
			out.Write(line)
		}
		if !found {
			continue
		}
		if inside = name != "end"; inside {
			if err := parts.ExecuteTemplate(&out, name, facts{}); err != nil {
				return nil, err
			}
		}
	}
	if inside {
		return nil, errors.New("a generated part has no end")
	}
	return out.Bytes(), nil
}
