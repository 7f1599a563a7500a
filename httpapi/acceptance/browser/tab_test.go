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
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A tab is a tab of its own window, which shares no storage with another. When its test ends, the test fails for each
// request to another origin than the server's, for each error of the console, each exception and each dialog.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string // of the server

	mu       sync.Mutex
	visited  []string // URLs that were asked for or stood in the address bar
	requests int
	received float64 // bytes over the wire, headers included
	loaded   float64 // received when the load event came; 0 before
	faults   []string
	origins  []string // of others that may be asked
	forgiven []*regexp.Regexp
}

// openTab opens a path of a server in a new tab of 1280 by 800 pixels.
func openTab(t *testing.T, s *server, path string, before ...step) *tab {
	t.Helper()
	b := &tab{t: t, origin: s.origin}
	ctx, closeTab := chromedp.NewContext(needChromium(t), chromedp.WithNewBrowserContext(), chromedp.WithListener(b.watch))
	b.ctx = ctx
	t.Cleanup(closeTab)
	t.Cleanup(b.check)
	if err := chromedp.Do(ctx); err != nil { // without a limit, which would be that of the tab
		t.Fatal(err)
	}
	send(b, network.Enable, network.EnableParams{})
	b.run(chromedp.EmulateViewport(1280, 800))
	b.run(before...)
	b.run(chromedp.Navigate(s.origin + path))
	return b
}

// watch keeps what happens in the tab.
func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.visited = append(b.visited, e.Request.URL)
		b.requests++
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" && u.Scheme != "blob" && u.Scheme+"://"+u.Host != b.origin {
			b.faults = append(b.faults, "request to another origin: "+e.Request.URL)
		}
	case *page.EventNavigatedWithinDocument:
		b.visited = append(b.visited, e.URL)
	case *network.EventWebSocketCreated:
		b.faults = append(b.faults, "web socket: "+e.URL)
	case *network.EventLoadingFinished:
		b.received += e.EncodedDataLength
	case *page.EventLoadEventFired:
		b.loaded = b.received
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

// forgive names errors that a test provokes.
func (b *tab) forgive(pattern string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgiven = append(b.forgiven, regexp.MustCompile(pattern))
}

func (b *tab) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		if slices.ContainsFunc(b.origins, func(origin string) bool { return strings.HasPrefix(fault, "request to another origin: "+origin) }) {
			continue
		}
		if !slices.ContainsFunc(b.forgiven, func(p *regexp.Regexp) bool { return p.MatchString(fault) }) {
			b.t.Errorf("%s in the tab: %s", b.t.Name(), fault)
		}
	}
}

// urls returns the addresses that were asked for or stood in the address bar.
func (b *tab) urls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.visited)
}

// A step is what is done in a tab.
type step = chromedp.Action[chromedp.Void]

// run does steps one after the other; an error ends the test.
func (b *tab) run(steps ...step) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%v\n%s", err, b.state())
	}
}

// send sends a command of the DevTools protocol to the tab.
func send[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	b.run(commanded(command, params))
}

// commanded returns a command of the DevTools protocol as a step.
func commanded[P, R any](command cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// evaluate returns the value of an expression in the page; a promise is waited for.
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

// until waits until an expression in the page is true. An element that is not there yet makes it false.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	const guarded = `(() => { try { return Boolean(%s) } catch (e) { if (e instanceof TypeError) return false; throw e } })()`
	b.eventually(what, func() bool { return evaluate[bool](b, fmt.Sprintf(guarded, expression)) })
}

// eventually waits until a condition holds.
func (b *tab) eventually(what string, holds func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("%s: not within %v\n%s", what, patience, b.state())
		}
	}
}

// state returns what a failure tells about the page.
func (b *tab) state() string {
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Second)
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

// described returns what the console would print of some objects.
func described(objects ...*runtime.RemoteObject) string {
	var words []string
	for _, object := range objects {
		if object != nil {
			words = append(words, string(object.Value)+object.Description)
		}
	}
	return strings.Join(words, " ")
}
