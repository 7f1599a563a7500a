package browser

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/coder/websocket"
)

// A bidi is a connection to Firefox in WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/).
type bidi struct {
	connection *websocket.Conn

	mu      sync.Mutex
	sent    int
	answers map[int]chan<- reply
	tabs    map[string]*tab // by the identifiers of their contexts
}

// A reply is what Firefox sends: the answer to the command with an identifier, or an event.
type reply struct {
	ID             int
	Result, Params json.RawMessage
	Method         string
	Error, Message string
}

// object is a JSON object.
type object = map[string]any

// send sends a command and returns its result.
func (f *bidi) send(ctx context.Context, method string, params object) (json.RawMessage, error) {
	answer := make(chan reply, 1)
	f.mu.Lock()
	f.sent++
	id := f.sent
	f.answers[id] = answer
	f.mu.Unlock()
	command, err := json.Marshal(object{"id": id, "method": method, "params": params})
	if err == nil {
		err = f.connection.Write(ctx, websocket.MessageText, command)
	}
	if err != nil {
		return nil, err
	}
	select {
	case r := <-answer:
		if r.Error != "" {
			return nil, fmt.Errorf("%s: %s: %s", method, r.Error, r.Message)
		}
		return r.Result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// read passes answers to those who wait for them, and events to their tabs, until the connection is closed.
func (f *bidi) read() {
	for {
		_, text, err := f.connection.Read(context.Background())
		var r reply
		if err != nil || json.Unmarshal(text, &r) != nil {
			return
		}
		f.mu.Lock()
		if answer := f.answers[r.ID]; answer != nil {
			delete(f.answers, r.ID)
			answer <- r
		} else if r.Method != "" {
			var e foxEvent
			_ = json.Unmarshal(r.Params, &e)
			if b := f.tabs[e.Context+e.Source.Context]; b != nil {
				b.hear(r.Method, e)
			}
		}
		f.mu.Unlock()
	}
}

// A foxEvent has the members of events that tabs use.
type foxEvent struct {
	Context, URL, Message, Level, Text string
	Source                             struct{ Context string }
	Request                            struct{ URL string }
}

// hear records an event of the tab.
func (b *tab) hear(method string, e foxEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch method {
	case "network.beforeRequestSent":
		b.requested(e.Request.URL)
	case "browsingContext.historyUpdated":
		b.visited = append(b.visited, e.URL)
	case "log.entryAdded":
		if e.Level == "error" {
			b.faults = append(b.faults, "console: "+e.Text)
		}
	case "browsingContext.userPromptOpened":
		b.faults = append(b.faults, "dialog: "+e.Message)
	}
}

// firefox starts Firefox at its first call, on a display without a screen: Firefox has WebGL only where there is a
// display (https://bugzilla.mozilla.org/show_bug.cgi?id=1375585).
var firefox = sync.OnceValues(func() (*bidi, error) {
	number, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	display := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1400x1000x24", "-nolisten", "tcp")
	display.ExtraFiles = []*os.File{writer}
	if err := display.Start(); err != nil {
		return nil, err
	}
	stopped = append(stopped, func() { _, _ = display.Process.Kill(), display.Wait() })
	_ = writer.Close()
	at, err := bufio.NewReader(number).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("Xvfb: %w", err)
	}
	profile := filepath.Join(scratch, "firefox")
	if err := os.Mkdir(profile, 0o700); err != nil {
		return nil, err
	}
	// Frames of moving maps take long without a graphics card.
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(`user_pref("ui.prefersReducedMotion", 1);`), 0o600); err != nil {
		return nil, err
	}
	program := exec.Command("firefox-esr", "--no-remote", "--remote-allow-system-access", "--remote-debugging-port=0", "--profile", profile)
	program.Env = append(os.Environ(), "DISPLAY=:"+strings.TrimSpace(at))
	said, err := program.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := program.Start(); err != nil {
		return nil, err
	}
	stopped = append(stopped, func() { _, _ = program.Process.Kill(), program.Wait() })
	address := ""
	for lines := bufio.NewScanner(said); address == "" && lines.Scan(); {
		address = regexp.MustCompile(`ws://\S+`).FindString(lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	connection, _, err := websocket.Dial(ctx, address+"/session", nil)
	if err != nil {
		return nil, err
	}
	connection.SetReadLimit(1 << 26) // a screenshot has megabytes
	f := &bidi{connection: connection, answers: map[int]chan<- reply{}, tabs: map[string]*tab{}}
	go f.read()
	_, err = f.send(ctx, "session.new", object{"capabilities": object{"alwaysMatch": object{"unhandledPromptBehavior": object{"default": "accept"}}}})
	if err == nil {
		_, err = f.send(ctx, "session.subscribe", object{"events": []string{"log.entryAdded", "network.beforeRequestSent",
			"browsingContext.historyUpdated", "browsingContext.userPromptOpened"}})
	}
	return f, err
})

// A foxTab is a tab of Firefox, which shares no storage with others.
type foxTab struct {
	*bidi
	context, user string
}

// foxKey is the key of the *foxTab in the context of a tab in Firefox.
type foxKey struct{}

// foxOf returns the tab of Firefox that a context is for, or nil.
func foxOf(ctx context.Context) *foxTab {
	f, _ := ctx.Value(foxKey{}).(*foxTab)
	return f
}

// openFox opens a tab, which has the focus.
func openFox(b *tab) {
	b.t.Helper()
	f := &foxTab{bidi: must(firefox())(b.t)}
	// When the page is left before a response has arrived, or a script.
	b.forgive("^console: (AbortError: The operation was aborted|TypeError: error loading dynamically imported module)")
	b.ctx = context.WithValue(context.Background(), foxKey{}, f)
	ask := func(method string, params object) (a struct{ Context, UserContext string }) {
		b.t.Helper()
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		defer cancel()
		ok(b.t, json.Unmarshal(must(f.send(ctx, method, params))(b.t), &a))
		return a
	}
	f.user = ask("browser.createUserContext", object{}).UserContext
	f.context = ask("browsingContext.create", object{"type": "tab", "userContext": f.user}).Context
	f.mu.Lock()
	f.tabs[f.context] = b
	f.mu.Unlock()
	b.t.Cleanup(func() { ask("browser.removeUserContext", object{"userContext": f.user}) })
}

// command sends a command to the tab.
func (f *foxTab) command(ctx context.Context, method string, params object) (json.RawMessage, error) {
	params = maps.Clone(params)
	params["context"] = f.context
	return f.send(ctx, method, params)
}

// evaluate returns the JSON of the value of an expression in the page. It waits for a promise.
func (f *foxTab) evaluate(ctx context.Context, expression string) ([]byte, error) {
	result, err := f.send(ctx, "script.evaluate", object{"target": object{"context": f.context}, "awaitPromise": true,
		"expression": "Promise.resolve(" + strings.TrimRight(expression, ";\n") + ").then(value => JSON.stringify(value) ?? 'null')"})
	if err != nil {
		return nil, err
	}
	var is struct {
		Result           struct{ Value string }
		ExceptionDetails *struct{ Text string }
	}
	if err := json.Unmarshal(result, &is); err != nil {
		return nil, err
	}
	if is.ExceptionDetails != nil {
		return nil, fmt.Errorf("%s in %.200s", is.ExceptionDetails.Text, expression)
	}
	return []byte(is.Result.Value), nil
}

// act does actions with an input device, each after the one before.
func (f *foxTab) act(ctx context.Context, device string, actions ...object) error {
	_, err := f.command(ctx, "input.performActions", object{"actions": []object{{"type": device, "id": device, "actions": actions}}})
	return err
}

// Actions of a mouse. Coordinates are in CSS pixels of the window.
var mouseDown, mouseUp = object{"type": "pointerDown", "button": 0}, object{"type": "pointerUp", "button": 0}

func mouseTo(x, y float64) object {
	return object{"type": "pointerMove", "x": math.Round(x), "y": math.Round(y)}
}

// foxKeys are the key values of WebDriver for keys that are no characters.
var foxKeys = map[string]string{kb.Enter: "\uE007", kb.Escape: "\uE00C", kb.Tab: "\uE004", kb.ArrowLeft: "\uE012", kb.ArrowRight: "\uE014",
	kb.ArrowDown: "\uE015", kb.Delete: "\uE017"}

// press holds some keys, presses and releases others in order, and releases those that it held.
func (f *foxTab) press(ctx context.Context, held, keys string) error {
	var actions []object
	strike := func(action string, key rune) {
		actions = append(actions, object{"type": action, "value": cmp.Or(foxKeys[string(key)], string(key))})
	}
	for _, key := range held {
		strike("keyDown", key)
	}
	for _, key := range keys {
		strike("keyDown", key)
		strike("keyUp", key)
	}
	for _, key := range held {
		strike("keyUp", key)
	}
	return f.act(ctx, "key", actions...)
}

// centre waits until an element is visible, scrolls it into view, and returns its centre.
func (f *foxTab) centre(ctx context.Context, selector string) (x, y float64, err error) {
	const script = `(async element => {
		while (!element()?.checkVisibility()) await new Promise(requestAnimationFrame)
		element().scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
		const { x, y, width, height } = element().getClientRects()[0]
		return [x + width / 2, y + height / 2]
	})(() => document.querySelector(%q))`
	var at [2]float64
	text, err := f.evaluate(ctx, fmt.Sprintf(script, selector))
	return at[0], at[1], errors.Join(err, json.Unmarshal(text, &at))
}

// prefersScheme emulates the preference for a colour scheme. WebDriver BiDi has no command for it.
func (f *foxTab) prefersScheme(ctx context.Context, scheme string) error {
	tree, err := f.send(ctx, "browsingContext.getTree", object{"moz:scope": "chrome"})
	if err != nil {
		return err
	}
	var windows struct{ Contexts []struct{ Context string } }
	if err := json.Unmarshal(tree, &windows); err != nil {
		return err
	}
	browser := &foxTab{bidi: f.bidi, context: windows.Contexts[0].Context}
	_, err = browser.evaluate(ctx, fmt.Sprintf(`ChromeUtils.importESModule('chrome://remote/content/shared/NavigableManager.sys.mjs')
		.NavigableManager.getBrowsingContextById(%q).prefersColorSchemeOverride = %q`, f.context, scheme))
	return err
}

// TestFirefox runs tests in Firefox, too, of what a browser does itself: input, history, colours, permissions and
// drawing. They run one after another: only one tab has the focus.
func TestFirefox(t *testing.T) {
	needChromium(t)
	t.Parallel()
	for _, program := range []string{"firefox-esr", "Xvfb"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s in PATH: apt-get install firefox-esr xvfb", program)
		}
	}
	for name, test := range map[string]func(*testing.T){
		"search and paging": TestSearchAsYouType,
		"back and forward":  TestHistory,
		"keyboard":          TestKeyboard,
		"completions":       TestSuggestions,
		"dark and light":    TestContrast,
		"panel":             TestPanelLinks,
		"denied location":   TestDeniedLocation,
		"list on a site":    TestEmbed,
		"point":             TestPointOpens,
		"map":               TestMap,
		"streets":           TestStreets,
		"date line":         TestDateLine,
	} {
		t.Run(name, test)
	}
}

// inFirefox reports whether a test is one of TestFirefox.
func inFirefox(t *testing.T) bool { return strings.HasPrefix(t.Name(), "TestFirefox/") }

// parallel lets a test run in parallel with others, unless it is one of TestFirefox.
func parallel(t *testing.T) {
	if !inFirefox(t) {
		t.Parallel()
	}
}
