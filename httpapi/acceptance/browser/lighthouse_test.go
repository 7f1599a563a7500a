package browser

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
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
