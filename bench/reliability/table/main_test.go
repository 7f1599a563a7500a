package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	const before = "# Title\n\n| | done | passes | n | figure | | commit |\n|---|---|---|---|---|---|---|\n| R1 | old | old | 1 | old | passed | abc, then |\n| R2 | kept | kept | 1 | kept | passed | abc, then |\n\nMore.\n"
	const events = `{"Action":"attr","Test":"TestR1","Key":"did","Value":"what|did"}
{"Action":"attr","Test":"TestR1","Key":"passes","Value":"when"}
{"Action":"attr","Test":"TestR1","Key":"n","Value":"12 answers"}
{"Action":"attr","Test":"TestR1","Key":"figure","Value":"all right"}
{"Action":"pass","Test":"TestR1"}
{"Action":"attr","Test":"TestR2","Key":"did","Value":"no"}
{"Action":"output","Test":"TestR2","Output":"needs nginx\n"}
{"Action":"skip","Test":"TestR2"}
{"Action":"attr","Test":"TestX9","Key":"figure","Value":"late"}
{"Action":"fail","Test":"TestX9"}
{"Action":"fail","Test":"TestHelper"}
{"Action":"fail"}
`
	const want = "# Title\n\n| | done | passes | n | figure | | commit |\n|---|---|---|---|---|---|---|\n| R1 | what\\|did | when | 12 answers | all right | passed | def, now |\n| R2 | kept | kept | 1 | kept | passed | abc, then |\n" +
		"| X9 |  |  |  | late | **failed** | def, now |\n\nMore.\n"
	file := filepath.Join(t.TempDir(), "table.md")
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	failed, err := run(strings.NewReader(events), &log, file, "def, now")
	got, _ := os.ReadFile(file)
	if !failed || err != nil || string(got) != want || !strings.Contains(log.String(), "needs nginx") {
		t.Errorf("failed %v, %v, said %q, got\n%s\nwant\n%s", failed, err, log.String(), got, want)
	}
}
