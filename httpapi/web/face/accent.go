package face

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A colour is in sRGB, each component from 0 to 1.
type colour [3]float64

var black, white = colour{}, colour{1, 1, 1}

// A scheme is the background of the accent: light or dark.
type scheme struct {
	// sheet and ground are those of the style sheets of explorer and pages.
	sheet, ground colour
	// wash is the share of the accent in what is behind the line under the pointer.
	wash float64
	// away is the colour that is mixed into the accent until it can be read.
	away colour
}

var (
	light = scheme{must("#ffffff"), must("#f6f3ee"), 0.08, black}
	dark  = scheme{must("#1b1a18"), must("#131210"), 0.12, white}
)

// minContrast is that of text by WCAG 2.2, success criterion 1.4.3, and a little more, as colours are rounded.
const minContrast = 4.55

// parseColour returns a colour that is written #rgb or #rrggbb.
func parseColour(text string) (c colour, err error) {
	digits, ok := strings.CutPrefix(text, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	number, err := strconv.ParseUint(digits, 16, 24)
	if !ok || len(digits) != 6 || err != nil {
		return c, fmt.Errorf("accent %q: must be #rgb or #rrggbb, such as #1a6b3c", text)
	}
	return colour{float64(number >> 16), float64(number >> 8 & 255), float64(number & 255)}.scaled(1. / 255), nil
}

// must returns one of our own colours.
func must(text string) colour {
	c, err := parseColour(text)
	if err != nil {
		panic(err)
	}
	return c
}

func (c colour) scaled(by float64) colour { return colour{c[0] * by, c[1] * by, c[2] * by} }

// String returns the colour as #rrggbb, rounded.
func (c colour) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(255*c[0])), int(math.Round(255*c[1])), int(math.Round(255*c[2])))
}

// mixed returns the colour with a share of another one.
func (c colour) mixed(other colour, share float64) (mix colour) {
	for i := range c {
		mix[i] = c[i]*(1-share) + other[i]*share
	}
	return mix
}

// luminance returns the relative luminance (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance).
func (c colour) luminance() float64 {
	linear := func(x float64) float64 {
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// contrast returns the contrast ratio of two colours, from 1 to 21 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
func contrast(a, b colour) float64 {
	low, high := a.luminance(), b.luminance()
	if low > high {
		low, high = high, low
	}
	return (high + 0.05) / (low + 0.05)
}

// shades are the colours of a scheme that depend on the accent.
type shades struct{ accent, wash, on colour }

// shades returns the accent, as near to a colour as can be read on sheet, ground and wash, in steps of a hundredth, the
// wash, and the colour of text on the accent.
func (s scheme) shades(given colour) (found shades) {
	for step := range 101 {
		accent := given.mixed(s.away, float64(step)/100)
		found = shades{accent, s.sheet.mixed(accent, s.wash), white}
		if contrast(black, accent) > contrast(white, accent) {
			found.on = black
		}
		if min(contrast(accent, s.sheet), contrast(accent, s.ground), contrast(accent, found.wash)) >= minContrast {
			break
		}
	}
	return found
}

func (s shades) String() string {
	return fmt.Sprintf(":root { --accent: %v; --wash: %v; --on-accent: %v; }", s.accent, s.wash, s.on)
}

// sheet returns the style sheet of an accent, for after those that set the same properties. Paper is light.
func sheet(accent colour) []byte {
	const form = "%v\n@media screen and (prefers-color-scheme: dark) {\n  %v\n}\n"
	return fmt.Appendf(nil, form, light.shades(accent), dark.shades(accent))
}
