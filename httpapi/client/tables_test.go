package client_test

import (
	"os"
	"pubd/bench/testkit"
	"strings"
	"testing"

	"pubd/httpapi/params"
)

// Both clients have each value that a parameter may have, and the client for TypeScript each parameter but those of the
// export.
func TestTables(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		testkit.FailIf(t, err != nil, "%v", err)
		return string(text)
	}
	inGo, inTS := read("query.go")+read("pub.go"), read("pubd.ts")
	for _, p := range params.Table {
		if strings.Contains(" format after order ", " "+p.Name+" ") {
			continue
		}
		testkit.FailIf(t, !strings.Contains(inTS, "\n  "+p.Name+"?: "), "pubd.ts has no parameter %s", p.Name)
		for _, value := range p.Choices {
			testkit.FailIf(t, !strings.Contains(inGo, `"`+value+`"`), "the Go client has no value %s of %s", value, p.Name)
			testkit.FailIf(t, !strings.Contains(inTS, "'"+value+"'"), "pubd.ts has no value %s of %s", value, p.Name)
		}
	}
}
