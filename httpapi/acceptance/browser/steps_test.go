package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A step is an action in a tab. Those of this file work in either browser, all others only in Chromium.
type step = chromedp.Action[chromedp.Void]

// either returns a step that does one thing in Chromium and another in Firefox.
func either(inChromium step, inFirefox func(context.Context, *foxTab) error) step {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		if f := foxOf(ctx); f != nil {
			return chromedp.Void{}, inFirefox(ctx, f)
		}
		return inChromium(ctx, target)
	}
}

// commands returns what sends a command to a tab in Firefox.
func commands(method string, params object) func(context.Context, *foxTab) error {
	return func(ctx context.Context, f *foxTab) error {
		_, err := f.command(ctx, method, params)
		return err
	}
}

// perform runs an action in the tab of a context.
func perform[V any](ctx context.Context, action chromedp.Action[V]) (v V, err error) {
	if foxOf(ctx) == nil {
		return chromedp.Run(ctx, action)
	}
	defer func() {
		if recover() != nil { // chromedp needs a target
			err = errors.New("this step works only in Chromium")
		}
	}()
	return action(ctx, nil)
}

// evaluation returns an action: the value of an expression in the page. It waits for a promise.
func evaluation[V any](expression string) chromedp.Action[V] {
	inChromium := chromedp.Evaluate[V](expression, chromedp.EvalAwaitPromise)
	return func(ctx context.Context, target *chromedp.Target) (v V, err error) {
		f := foxOf(ctx)
		if f == nil {
			return inChromium(ctx, target)
		}
		text, err := f.evaluate(ctx, expression)
		if err == nil {
			err = json.Unmarshal(text, &v)
		}
		return v, err
	}
}

// navigate opens a URL.
func navigate(url string) step {
	return either(chromedp.Navigate(url), commands("browsingContext.navigate", object{"url": url, "wait": "complete"}))
}

// Steps through the history of the tab.
var (
	goBack    = either(chromedp.NavigateBack(), commands("browsingContext.traverseHistory", object{"delta": -1}))
	goForward = either(chromedp.NavigateForward(), commands("browsingContext.traverseHistory", object{"delta": 1}))
)

// window sets the size of the window in CSS pixels.
func window(width, height int, options ...chromedp.EmulateViewportOption) step {
	return either(chromedp.EmulateViewport(int64(width), int64(height), options...),
		commands("browsingContext.setViewport", object{"viewport": object{"width": width, "height": height}}))
}

// prefers emulates a preference of the visitor.
func prefers(feature, value string) step {
	inChromium := commanded(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: value}}})
	return either(inChromium, func(ctx context.Context, f *foxTab) error {
		if feature != colourScheme {
			return fmt.Errorf("%s cannot be emulated in Firefox", feature)
		}
		return f.prefersScheme(ctx, value)
	})
}

// press presses keys, each a character of a text or of the package kb.
func press(keys string) step {
	return either(chromedp.KeyEvent(keys), func(ctx context.Context, f *foxTab) error { return f.press(ctx, "", keys) })
}

// selectAll presses Ctrl and A.
var selectAll = either(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
	func(ctx context.Context, f *foxTab) error { return f.press(ctx, kb.Control, "a") })

// clickOn clicks an element once it is visible.
func clickOn(selector string) step {
	click := chromedp.Click(chromedp.CSS(selector))
	return either(func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
		for {
			// The page may replace an element between its query and the click.
			if v, err = click(ctx, target); err == nil || !strings.Contains(err.Error(), "Could not find node") {
				return v, err
			}
		}
	}, clicks(selector, 1))
}

// doubleClickOn clicks an element twice.
func doubleClickOn(selector string) step {
	return either(chromedp.DoubleClick(chromedp.CSS(selector)), clicks(selector, 2))
}

func clicks(selector string, times int) func(context.Context, *foxTab) error {
	return func(ctx context.Context, f *foxTab) error {
		x, y, err := f.centre(ctx, selector)
		if err != nil {
			return err
		}
		actions := []object{mouseTo(x, y)}
		for range times {
			actions = append(actions, mouseDown, mouseUp)
		}
		return f.act(ctx, "pointer", actions...)
	}
}

// focusOn gives an element the focus.
func focusOn(selector string) step {
	return either(chromedp.Focus(chromedp.CSS(selector)), func(ctx context.Context, f *foxTab) error {
		if _, _, err := f.centre(ctx, selector); err != nil {
			return err
		}
		_, err := f.evaluate(ctx, fmt.Sprintf(`document.querySelector(%q).focus()`, selector))
		return err
	})
}

// denyLocation lets the pages of an origin know that the visitor does not want to tell the location.
func denyLocation(origin string) step {
	return either(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: "geolocation"}, Setting: browser.PermissionSettingDenied,
			Origin: origin, BrowserContextID: chromedp.FromContext(ctx).BrowserContextID,
		})
		return chromedp.Void{}, err
	}, func(ctx context.Context, f *foxTab) error {
		_, err := f.send(ctx, "permissions.setPermission", object{"descriptor": object{"name": "geolocation"}, "state": "denied", "origin": origin, "userContext": f.user})
		return err
	})
}

// drag presses the mouse at a point of the window, moves it by dx and dy within a second, and releases it.
func drag(x, y, dx, dy float64) step {
	const moves = 60
	at := func(move int) (float64, float64) { return x + dx*float64(move)/moves, y + dy*float64(move)/moves }
	return either(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		steps := []step{chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseEvent(chromedp.MousePressed, x, y, pressed, chromedp.ClickCount(1))}
		for move := 1; move <= moves; move++ {
			toX, toY := at(move)
			steps = append(steps, chromedp.MouseEvent(chromedp.MouseMoved, toX, toY, pressed), chromedp.Sleep(time.Second/moves))
		}
		steps = append(steps, chromedp.MouseEvent(chromedp.MouseReleased, x+dx, y+dy, chromedp.ButtonLeft, chromedp.ClickCount(1)))
		return chromedp.Steps(steps...)(ctx, target)
	}, func(ctx context.Context, f *foxTab) error {
		actions := []object{mouseTo(x, y), mouseDown}
		for move := 1; move <= moves; move++ {
			actions = append(actions, mouseTo(at(move)), object{"type": "pause", "duration": 1000 / moves})
		}
		return f.act(ctx, "pointer", append(actions, mouseUp)...)
	})
}

// pressed is a mouse event with the left button held.
func pressed(event *input.DispatchMouseEventParams) {
	event.Button, event.Buttons = input.MouseButtonLeft, 1
}

// wheel scrolls by some pixels over a point of the window. Negative values zoom in.
func wheel(x, y, by float64) step {
	const notch = 40
	return either(commanded(input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{X: x, Y: y, YDistance: -by, GestureSourceType: input.GestureSourceTypeMouse}),
		func(ctx context.Context, f *foxTab) error {
			var turns []object
			for turned := 0.0; turned < math.Abs(by); turned += notch {
				turns = append(turns, object{"type": "scroll", "x": math.Round(x), "y": math.Round(y), "deltaX": 0, "deltaY": math.Copysign(notch, by)},
					object{"type": "pause", "duration": 20})
			}
			return f.act(ctx, "wheel", turns...)
		})
}

// clickAt clicks a point of the window.
func clickAt(x, y float64) step {
	return either(chromedp.Steps(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseClickXY(x, y)),
		func(ctx context.Context, f *foxTab) error {
			return f.act(ctx, "pointer", mouseTo(x, y), mouseDown, mouseUp)
		})
}

// beforeScripts runs a script in each document before its own.
func beforeScripts(script string) step {
	return either(commanded(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}),
		func(ctx context.Context, f *foxTab) error {
			_, err := f.send(ctx, "script.addPreloadScript", object{"functionDeclaration": "() => {" + script + "}", "contexts": []string{f.context}})
			return err
		})
}

// undrawn lets WebGL draw nothing. Without a GPU, drawing takes the processor from everything else; but for the picture,
// the map does the same. A test that looks at the picture adds the step drawn.
var undrawn, drawn = beforeScripts(`const { prototype } = WebGL2RenderingContext, names = ['drawElements', 'drawArrays', 'clear']
	const kept = Object.fromEntries(names.map(name => [name, prototype[name]]))
	for (const name of names) prototype[name] = () => {}
	window.drawAgain = () => Object.assign(prototype, kept)`), beforeScripts("drawAgain()")
