package browser

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pubd/data/lane"
)

// Lighthouse gives the explorer and the rendered pages at least 95 of 100 points for accessibility, for best practices
// and for search engines.
func TestLighthouse(t *testing.T) {
	lane.Programs(t, "npm", "node")
	s := serveText(t, someTowns)
	folder, err := installed("lighthouse", "12.8.2")
	if err != nil {
		t.Skip(err)
	}
	for _, path := range []string{"/", "/pubs/y1", "/places/york"} {
		file := filepath.Join(t.TempDir(), "report.json")
		run := exec.CommandContext(t.Context(), "node", filepath.Join(folder, "cli", "index.js"), s.origin+path, "--chrome-flags=--headless --no-sandbox",
			"--only-categories=accessibility,best-practices,seo", "--output=json", "--output-path="+file, "--quiet")
		run.Env = append(os.Environ(), "CHROME_PATH="+chromiumPath)
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", path, err, out)
		}
		var report struct {
			Categories map[string]struct {
				Score     float64
				AuditRefs []struct{ ID string }
			}
			Audits map[string]struct {
				Score   *float64
				Details json.RawMessage
			}
		}
		ok(t, json.Unmarshal(must(os.ReadFile(file))(t), &report))
		failIf(t, len(report.Categories) != 3, "%s: got %d categories, want 3", path, len(report.Categories))
		for name, category := range report.Categories {
			failIf(t, category.Score < 0.95, "%s: %s: got %.0f points, want at least 95", path, name, 100*category.Score)
			for _, of := range category.AuditRefs {
				if audit := report.Audits[of.ID]; category.Score < 0.95 && audit.Score != nil && *audit.Score < 1 {
					t.Logf("%s: %s: %.500s", path, of.ID, audit.Details)
				}
			}
		}
	}
}

// The JSON-LD of a pub's page is what schema.org has: TypeScript accepts it as what the npm package schema-dts, which
// is generated from the vocabulary, has for a BarOrPub, and rejects an unknown member.
func TestLinkedData(t *testing.T) {
	lane.Programs(t, "npm", "node")
	s := serveText(t, "UID,name,location,postcode,latitude,longitude,beer,total,review_count\nr1,The Rated,York,YO1 6LN,53.96,-1.08,9,8,3\ny1,Ackhorne Inn,York,,,,,,\n")
	types, err := installed("schema-dts", "2.1.0")
	if err != nil {
		t.Skip(err)
	}
	compiler, err := installed("typescript", "5.9.3")
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	ok(t, os.Mkdir(filepath.Join(folder, "node_modules"), 0o755))
	for _, name := range []string{"schema-dts", "typescript"} {
		ok(t, os.Symlink(map[string]string{"schema-dts": types, "typescript": compiler}[name], filepath.Join(folder, "node_modules", name)))
	}
	compile := func(data string) (string, error) {
		file := filepath.Join(folder, "data.ts")
		ok(t, os.WriteFile(file, []byte("import type { BarOrPub, WithContext } from 'schema-dts'\nexport const data: WithContext<BarOrPub> = "+data+"\n"), 0o600))
		check := exec.CommandContext(t.Context(), "node", filepath.Join(compiler, "bin", "tsc"), "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", file)
		check.Dir = folder
		out, err := check.CombinedOutput()
		return string(out), err
	}
	for _, uid := range []string{"r1", "y1"} {
		response := must(http.Get(s.origin + "/pubs/" + uid))(t)
		page := string(must(io.ReadAll(response.Body))(t))
		response.Body.Close()
		_, data, _ := strings.Cut(page, `<script type="application/ld+json">`)
		data, _, found := strings.Cut(data, "</script>")
		failIf(t, !found || uid == "r1" && !strings.Contains(data, "AggregateRating"), "%s: got no data in %s", uid, page)
		if out, err := compile(data); err != nil {
			t.Errorf("%s: %s\n%s", uid, data, out)
		}
		_, err := compile(strings.Replace(data, `"name"`, `"nickname"`, 1))
		failIf(t, err == nil, "%s: an unknown member is accepted", uid)
	}
}
