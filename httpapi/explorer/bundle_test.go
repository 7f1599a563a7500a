package explorer

import (
	"errors"
	"strings"
	"testing"
)

func TestBundle(t *testing.T) {
	for _, c := range []struct {
		name    string
		modules map[string]string
		want    string // part of the script or of the error
	}{
		{"one", map[string]string{"main.js": "go()"}, "const $main = (() => {\ngo()\nreturn {  }\n})()\n"},
		{"an import of all", map[string]string{"main.js": "import * as a from './a.js'\na.b()", "a.js": "export function b() {}"},
			"const $a = (() => {\nfunction b() {}\nreturn { get b() { return b } }\n})()\nconst $main = (() => {\nconst a = $a\na.b()\nreturn {  }\n})()\n"},
		{"an import of some", map[string]string{"main.js": "import { b, c } from './a.js'", "a.js": "export let b = 1\nexport const c = 2"},
			"const { b, c } = $a\n"},
		{"a module twice", map[string]string{"main.js": "import { a } from './a.js'\nimport { b } from './b.js'", "b.js": "import { a } from './a.js'\nexport class b {}", "a.js": "export async function a() {}"},
			"const $b = (() => {\nconst { a } = $a\nclass b {}\n"},
		{"an import cycle", map[string]string{"main.js": "import { a } from './a.js'", "a.js": "import { b } from './main.js'\nexport let a"}, "main.js: imports itself through others"},
		{"a package", map[string]string{"main.js": "\nimport 'c'"}, `main.js:2: "import 'c'" is not an import`},
		{"a default", map[string]string{"main.js": "export default 1"}, `main.js:1: "export default 1" is not an export`},
		{"nothing", nil, "main.js: not there"},
	} {
		script, err := bundle(func(name string) ([]byte, error) {
			if text, ok := c.modules[name]; ok {
				return []byte(text), nil
			}
			return nil, errors.New(name + ": not there")
		}, "main")
		got := string(script)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
