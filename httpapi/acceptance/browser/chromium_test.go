package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// scratch is a folder shared by all tests.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "pubd-browser-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if quit != nil {
		quit()
	}
	if shared != nil {
		shared.stop()
	}
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// quit stops Chromium if it was started.
var quit context.CancelFunc

var errNoChromium = errors.New("no Chromium in PATH: apt-get install chromium")

// chromium is the Chromium that all tests share, with a new profile.
var chromium = sync.OnceValues(func() (context.Context, error) {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errNoChromium
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("no-sandbox", os.Geteuid() == 0), // required for root
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.UserDataDir(scratch + "/profile"), chromedp.WindowSize(1280, 800),
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	quit = func() { cancel(); end() }
	return ctx, chromedp.Do(ctx)
})

// needChromium returns Chromium, and skips the test if it is not installed.
func needChromium(t *testing.T) context.Context {
	t.Helper()
	ctx, err := chromium()
	switch {
	case errors.Is(err, errNoChromium):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return ctx
}
