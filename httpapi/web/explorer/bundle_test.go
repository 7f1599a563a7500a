package explorer

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func TestBundle(t *testing.T) {
	for _, c := range []struct{ label, main, a, want string }{
		{"one module", "go()", "", "go();\n"},
		{"an import of all", "import * as a from './a.js'\na.b()", "export function b() { go() }", "function b(){go()}b();\n"},
		{"an import of some", "import { b } from './a.js'\ngo(b)", "export const b = top.x\nexport const c = 2", "var b=top.x;go(b);\n"},
		{"a cycle", "import { b } from './a.js'\nexport const c = 1\nb()", "import { c } from './main.js'\nexport const b = () => go(c)", "var b=()=>go(c);"},
		{"a text", "import * as texts from './texts.js'\ngo(texts.d)", "", "go(1);\n"},
		{"a missing text", "import * as texts from './texts.js'\ngo(texts.c)", "", `main.js:2: Import "c" will always be undefined`},
		{"a classic script", "import { b } from './a.js'\nb()", "export function b() { go() }", "(()=>{function b(){go()}b();})();\n"},
		{"a dynamic import", "go(await import('./a.js'))", "export const b = 1", `go(await import("./a.js"));` + "\n"},
		{"a missing file", "import './b.js'", "", "main.js:1: open b.js: file does not exist"},
		{"a missing name", "import { c } from './a.js'\nc()", "export const b = 1", `main.js:1: No matching export in "folder:a.js" for import "c"`},
		{"a syntax error", "\nlet = 1 1", "", "main.js:2: "},
	} {
		script, err := bundle(fstest.MapFS{"main.js": {Data: []byte(c.main)}, "a.js": {Data: []byte(c.a)}}, "main.js", map[string]string{"texts.js": "export const d = 1\nexport const e = 2\n"}, c.label == "a classic script")
		if got := fmt.Sprint(string(script), err); !strings.Contains(got, c.want) || (err != nil) != (len(script) == 0) {
			t.Errorf("%s: got %q, want %q", c.label, got, c.want)
		}
	}
}
