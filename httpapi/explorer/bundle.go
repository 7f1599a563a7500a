package explorer

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// The only forms of imports and exports in modules of the page: one per line, of files in the same folder.
var (
	importLine = regexp.MustCompile(`^import (?:\* as (\w+)|(\{ \w+(?:, \w+)* \})) from '\./(\w+)\.js'$`)
	exportLine = regexp.MustCompile(`^export ((?:async )?function|class|const|let) (\w+)`)
)

// bundle combines the module main.js and its imports into one script, to save requests: each module becomes a function that is called once
// and returns its exports. A module that is only imported dynamically, by import(), stays a file of its own, and must not import any.
func bundle(read func(name string) ([]byte, error), main string) ([]byte, error) {
	var out bytes.Buffer
	const under, done = 1, 2
	states := map[string]int{}
	var add func(name string) error
	add = func(name string) error {
		if states[name] == under {
			return fmt.Errorf("%s.js: imports itself through others", name)
		}
		if states[name] == done {
			return nil
		}
		states[name] = under
		text, err := read(name + ".js")
		if err != nil {
			return err
		}
		var body strings.Builder
		var exports []string
		for number, line := range strings.Split(string(text), "\n") {
			switch {
			case strings.HasPrefix(line, "import "):
				found := importLine.FindStringSubmatch(line)
				if found == nil {
					return fmt.Errorf("%s.js:%d: %q is not an import of a module in the same folder", name, number+1, line)
				}
				if err := add(found[3]); err != nil {
					return err
				}
				line = "const " + found[1] + found[2] + " = $" + found[3]
			case strings.HasPrefix(line, "export "):
				found := exportLine.FindStringSubmatch(line)
				if found == nil {
					return fmt.Errorf("%s.js:%d: %q is not an export of one name", name, number+1, line)
				}
				exports = append(exports, "get "+found[2]+"() { return "+found[2]+" }")
				line = strings.TrimPrefix(line, "export ")
			}
			body.WriteString(line + "\n")
		}
		fmt.Fprintf(&out, "const $%s = (() => {\n%sreturn { %s }\n})()\n", name, body.String(), strings.Join(exports, ", "))
		states[name] = done
		return nil
	}
	if err := add(main); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
