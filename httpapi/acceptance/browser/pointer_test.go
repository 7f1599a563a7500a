package browser

import (
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// pressed is a mouse event with the left button held.
func pressed(event *input.DispatchMouseEventParams) {
	event.Button, event.Buttons = input.MouseButtonLeft, 1
}

// drag presses the mouse at a point of the window, moves it by dx and dy within a second, and releases it.
func (e explorer) drag(x, y, dx, dy float64) {
	e.t.Helper()
	const moves = 60
	e.run(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseEvent(chromedp.MousePressed, x, y, pressed, chromedp.ClickCount(1)))
	for move := 1.0; move <= moves; move++ {
		e.run(chromedp.MouseEvent(chromedp.MouseMoved, x+dx*move/moves, y+dy*move/moves, pressed))
		time.Sleep(time.Second / moves)
	}
	e.run(chromedp.MouseEvent(chromedp.MouseReleased, x+dx, y+dy, chromedp.ButtonLeft, chromedp.ClickCount(1)))
}

// wheel scrolls by some pixels over a point. Negative values zoom in.
func (e explorer) wheel(x, y, by float64) {
	e.t.Helper()
	send(e.tab, input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{X: x, Y: y, YDistance: -by, GestureSourceType: input.GestureSourceTypeMouse})
}

// click clicks a point of the window.
func (e explorer) click(x, y float64) {
	e.t.Helper()
	e.run(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseClickXY(x, y))
}

// pinch puts two fingers around a point and changes their distance from it, in pixels.
func (e explorer) pinch(x, y, from, to float64) {
	e.t.Helper()
	const moves = 20
	touch := func(kind input.DispatchTouchEventType, apart float64) {
		e.t.Helper()
		send(e.tab, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{
			{X: x - apart/2, Y: y, ID: new(1.0)}, {X: x + apart/2, Y: y, ID: new(2.0)},
		}})
	}
	touch(input.DispatchTouchEventTypeTouchStart, from)
	for move := 1.0; move <= moves; move++ {
		touch(input.DispatchTouchEventTypeTouchMove, from+(to-from)*move/moves)
	}
	send(e.tab, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}})
}
