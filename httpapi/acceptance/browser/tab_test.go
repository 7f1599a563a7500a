package browser

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"pubd/bench/testkit"
)

// A tab is a tab of Chromium in a window that shares no storage with others. When a test that uses it ends, the test
// fails if there was a request to another origin, an error on the console, an exception or a dialog.
type tab struct {
	t      *testing.T // which uses it now
	ctx    context.Context
	close  func()
	server *server

	mu       sync.Mutex
	visited  []string // URLs that were requested or in the address bar
	requests int
	received float64 // bytes over the wire, headers included
	faults   []string
	forgiven []*regexp.Regexp
}

// newTab returns a tab of 1280 by 800 pixels, which is closed when its owner does so.
func newTab(t *testing.T, s *server) *tab {
	t.Helper()
	b := &tab{server: s}
	b.ctx, b.close = chromedp.NewContext(chromium, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.watch))
	testkit.OK(t, chromedp.Do(b.ctx)) // without a timeout, which would apply to the tab
	b.use(t)
	send(b, network.Enable, network.EnableParams{})
	send(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	b.run(desktop)
	return b
}

// use lets a test have the tab, with none of what was recorded before.
func (b *tab) use(t *testing.T) {
	b.t = t
	b.mu.Lock()
	defer b.mu.Unlock()
	b.visited, b.faults, b.forgiven = nil, nil, nil
	b.requests, b.received = 0, 0
	t.Cleanup(b.check)
}

// open opens a path of a server in a tab of its own.
func open(t *testing.T, s *server, path string, before ...step) *tab {
	t.Helper()
	b := newTab(t, s)
	t.Cleanup(b.close)
	b.run(slices.Concat([]step{undrawn}, before, []step{chromedp.Navigate(s.origin + path)})...)
	return b
}

// explore shows a search of the explorer, such as "?search=lion", in the tab that the tests of a server share. The tab
// has its map and all points since the first of them.
func explore(t *testing.T, s *server, query string) *tab {
	t.Helper()
	if s.shared == nil {
		s.shared = newTab(t, s)
		s.shared.run(undrawn, chromedp.Navigate(s.origin+"/"))
		s.shared.do("points")
	} else {
		s.shared.use(t)
	}
	b := s.shared
	t.Cleanup(func() {
		if t.Failed() { // and may have left the tab in any state
			b.close()
			s.shared = nil
		}
	})
	b.run(desktop)
	b.do("go /?search=zzxxqq&relax=false", "see #nothing", "lose #pub h2", "go /"+query, "lose #nothing", "focus #search")
	return b
}

// requested records a request. The caller holds b.mu.
func (b *tab) requested(address string) {
	isIconAgain := strings.HasSuffix(address, "/icon.svg") && slices.Contains(b.visited, address) // Chromium does so when the address changes
	b.visited = append(b.visited, address)
	if !strings.HasPrefix(address, "data:") && !isIconAgain {
		b.requests++
	}
	if u, err := url.Parse(address); err != nil || u.Scheme != "data" && u.Scheme != "blob" && u.Scheme+"://"+u.Host != b.server.origin {
		b.faults = append(b.faults, "request to another origin: "+address)
	}
}

// watch records the events of a tab in Chromium.
func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requested(e.Request.URL)
	case *page.EventNavigatedWithinDocument:
		b.visited = append(b.visited, e.URL)
	case *network.EventWebSocketCreated:
		b.faults = append(b.faults, "web socket: "+e.URL)
	case *network.EventLoadingFinished:
		b.received += e.EncodedDataLength
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, fmt.Sprintf("exception: %s %s", e.ExceptionDetails.Text, described(e.ExceptionDetails.Exception)))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			b.faults = append(b.faults, "console: "+described(e.Args...))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			b.faults = append(b.faults, "console: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.faults = append(b.faults, "dialog: "+e.Message)
		go func() { _, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}) }()
	}
}

// forgive allows errors that a test provokes.
func (b *tab) forgive(pattern string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgiven = append(b.forgiven, regexp.MustCompile(pattern))
}

func (b *tab) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		testkit.FailIf(b.t, !slices.ContainsFunc(b.forgiven, func(p *regexp.Regexp) bool { return p.MatchString(fault) }), "%s in the tab: %s", b.t.Name(), fault)
	}
}

// urls returns the addresses that were requested or in the address bar.
func (b *tab) urls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.visited)
}

// run runs steps in order. An error ends the test.
func (b *tab) run(steps ...step) {
	b.t.Helper()
	for _, s := range steps {
		value(b, s)
	}
}

// send sends a command of the DevTools protocol to the tab.
func send[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	b.run(commanded(command, params))
}

// commanded returns a step that sends a command of the DevTools protocol.
func commanded[P, R any](command cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// evaluate returns the value of an expression in the page. It waits for a promise.
func evaluate[V any](b *tab, expression string) V {
	b.t.Helper()
	return value(b, chromedp.Evaluate[V](expression, chromedp.EvalAwaitPromise))
}

// value returns the value of an action in a tab.
func value[V any](b *tab, action chromedp.Action[V]) V {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.state())
	}
	return v
}

// until waits until an expression in the page is true. A missing element makes it false, and so does another page that
// is being opened.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	const guarded = `(() => { try { return Boolean(%s) } catch (e) { if (e instanceof TypeError) return false; throw e } })()`
	b.eventually(what, func() bool {
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		defer cancel()
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(guarded, expression)))
		if err != nil && !strings.Contains(err.Error(), "navigated") {
			b.t.Fatalf("%v\n%s", err, b.state())
		}
		return err == nil && holds
	})
}

// eventually waits until a condition holds.
func (b *tab) eventually(what string, holds func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("%s: not within %v\n%s", what, patience, b.state())
		}
	}
}

// state describes the page for a failure.
func (b *tab) state() string {
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`[location.href, 'focus: ' + document.activeElement?.outerHTML.slice(0, 200),
		'map: ' + JSON.stringify({...document.querySelector('#map')?.dataset}), document.querySelector('#count')?.textContent, document.querySelector('main, body').innerText.slice(0, 300)].join('\n')`))
	if err != nil {
		text = err.Error()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return text + "\n" + strings.Join(b.faults, "\n")
}

// described returns objects as the console would print them.
func described(objects ...*runtime.RemoteObject) string {
	var words []string
	for _, object := range objects {
		if object != nil {
			words = append(words, string(object.Value)+object.Description)
		}
	}
	return strings.Join(words, " ")
}
