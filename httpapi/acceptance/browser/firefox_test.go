package browser

import (
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/bench/testkit"
)

//go:embed probe/visit.js
var visitProbe string

// TestFirefox visits the explorer with Firefox: it searches, opens a pub and goes back, and draws a map. A relay adds a
// script to the page that does so and reports each step, what is wrong, and at last "done". Firefox has WebGL only where
// there is a display (https://bugzilla.mozilla.org/show_bug.cgi?id=1375585).
func TestFirefox(t *testing.T) {
	needChromium(t)
	s := many
	for _, program := range []string{"firefox-esr", "Xvfb"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s in PATH: apt-get install firefox-esr xvfb", program)
		}
	}
	said := make(chan string, 100)
	mux := http.NewServeMux()
	front := httptest.NewServer(mux)
	t.Cleanup(front.Close)
	mux.Handle("/", s.proxy(t))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		page := testkit.Must(http.Get(s.origin + r.URL.RequestURI()))(t)
		defer page.Body.Close()
		for _, name := range []string{"Content-Type", "Content-Security-Policy"} {
			w.Header().Set(name, page.Header.Get(name))
		}
		text := string(testkit.Must(io.ReadAll(page.Body))(t))
		_, _ = io.WriteString(w, strings.Replace(text, "<head>", "<head><script src=/visit.js></script>", 1))
	})
	mux.HandleFunc("/visit.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, visitProbe)
	})
	mux.HandleFunc("/said", func(_ http.ResponseWriter, r *http.Request) {
		said <- string(testkit.Must(io.ReadAll(r.Body))(t))
	})
	profile := filepath.Join(scratch, "firefox")
	testkit.OK(t, os.Mkdir(profile, 0o700))
	// Frames of moving maps take long without a graphics card.
	testkit.OK(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(`user_pref("ui.prefersReducedMotion", 1);`), 0o600))
	display := fmt.Sprint(100 + os.Getpid()%50_000)
	start := func(program string, arguments ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), program, arguments...)
		command.Env = append(os.Environ(), "DISPLAY=:"+display)
		process := testkit.Must(stage.Start(t.Context(), command, syscall.SIGTERM, func() bool {
			_, err := os.Stat("/tmp/.X11-unix/X" + display)
			return err == nil
		}))(t)
		t.Cleanup(process.Stop)
	}
	start("Xvfb", ":"+display, "-screen", "0", "1400x1000x24", "-nolisten", "tcp")
	start("firefox-esr", "--no-remote", "--profile", profile, front.URL+"/?search=red+lion&map=52,-1,7")
	last := "start"
	for last != "done" {
		select {
		case last = <-said:
			t.Log(last)
			testkit.FailIf(t, strings.HasPrefix(last, "wrong: "), "%s", last)
		case <-time.After(3 * patience): // it draws without a graphics card
			t.Fatalf("after %q: nothing within %v", last, 3*patience)
		}
	}
}
