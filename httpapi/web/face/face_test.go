package face

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

func TestContrast(t *testing.T) { // https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio: from 1 to 21
	for _, c := range []struct {
		a, b     string
		from, to float64
	}{{"#000", "#fff", 21, 21}, {"#fff", "#000", 21, 21}, {"#abc", "#aabbcc", 1, 1}, {"#777777", "#fff", 4.47, 4.48}, {"#767676", "#fff", 4.54, 4.55}} {
		got := contrast(must(c.a), must(c.b))
		testkit.FailIf(t, got < c.from-1e-9 || got > c.to+1e-9, "%s on %s: got %v, want %v to %v", c.a, c.b, got, c.from, c.to)
	}
}

var properties = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`)

// Whatever the accent, its text can be read on all that it stands on, and so can text on it, as the style sheet rounds
// them. The hue stays: a channel that was no greater than another one is not afterwards.
func TestAccentCanBeRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := colour{}
		for i := range given {
			given[i] = float64(rapid.Byte().Draw(t, "channel")) / 255
		}
		rules := strings.Split(string(sheet(given)), "prefers-color-scheme")
		for i, s := range []scheme{light, dark} {
			found := map[string]colour{}
			for _, match := range properties.FindAllStringSubmatch(rules[i], -1) {
				found[match[1]] = must(match[2])
			}
			accent := found["accent"]
			for name, behind := range map[string]colour{"sheet": s.sheet, "ground": s.ground, "wash": found["wash"], "text on it": found["on-accent"]} {
				ratio := contrast(accent, behind)
				testkit.StopIf(t, ratio < 4.5,
					"%v became %v: contrast with %s %v is %.2f, want 4.5", given, accent, name, behind, ratio)
			}
			for a := range given {
				b := (a + 1) % 3
				testkit.StopIf(t, given[a] <= given[b] && accent[a] > accent[b],
					"%v became %v, of another hue", given, accent)
			}
		}
	})
}

// An accent that can be read stays as it is.
func TestAccentStays(t *testing.T) {
	testkit.FailIf(t, light.shades(must("#8f3f04")).accent.String() != "#8f3f04", "light: got %v", light.shades(must("#8f3f04")))
	testkit.FailIf(t, dark.shades(must("#f4a650")).accent.String() != "#f4a650", "dark: got %v", dark.shades(must("#f4a650")))
}

const svg = `<svg xmlns="http://www.w3.org/2000/svg"/>`

func TestLogo(t *testing.T) {
	for body, want := range map[string]string{
		"\x89PNG\r\n\x1a\n…":       "/explorer/logo.png image/png ",
		"RIFF\x00\x00\x00\x00WEBP": "/explorer/logo.webp image/webp ",
		svg:                        "/explorer/logo.svg image/svg+xml default-src 'none'; style-src 'unsafe-inline'; sandbox",
		"\ufeff<?xml version='1.0'?>\n<!-- a lion --><!DOCTYPE svg>\n" + svg: "/explorer/logo.svg image/svg+xml default-src 'none'; style-src 'unsafe-inline'; sandbox",
	} {
		f, err := New(Options{Logo: testkit.File(t, "logo", body)})
		if err != nil {
			t.Errorf("%q: %v", body, err)
			continue
		}
		file := f.Files()[0]
		got := file.Path + " " + file.MediaType + " " + file.Policy
		testkit.FailIf(t, got != want || f.Logo != file.Path || f.Icon != file.Path || string(file.Body) != body, "%q: got %s with %q, want %s", body, got, file.Body, want)
	}
}

// A UID means nothing in the address that it stands in.
func TestCorrectionOf(t *testing.T) {
	f := testkit.Must(New(Options{Corrections: "https://example.org/{uid}?pub={uid}#x"}))(t)
	testkit.Equal(t, "corrections", f.CorrectionOf("a/b c&é+?#{uid}%"), "https://example.org/a%2Fb%20c%26%C3%A9%2B%3F%23%7Buid%7D%25?pub=a%2Fb%20c%26%C3%A9%2B%3F%23%7Buid%7D%25#x")
	testkit.Equal(t, "none", Default().CorrectionOf("u1"), "")
}

// What is wrong is said with its rule.
func TestWrong(t *testing.T) {
	const corrections = "must be an http, https or mailto address in ASCII with {uid} after the host, such as https://example.org/correct?pub={uid}"
	const colours, image = "must be #rgb or #rrggbb, such as #1a6b3c", "must be an image in SVG, PNG or WebP"
	long := strings.Repeat("é", 60)
	for _, c := range []struct {
		options Options
		want    string // empty for no error
	}{
		{Options{Title: long}, ""},
		{Options{Title: long + "!"}, "must be UTF-8 of at most 60 characters"},
		{Options{Title: "a\x00b"}, "must be plain text, without control characters"},
		{Options{Title: "a\nb"}, "must be plain text, without control characters"},
		{Options{Title: "a\u202eb"}, "must be plain text, without control characters"},
		{Options{Title: "a\xff"}, "must be UTF-8"},
		{Options{Title: "  "}, "must have a character that can be seen"},
		{Options{Title: "\u00a0"}, "must have a character that can be seen"},
		{Options{Title: "Pubs\u00a0: Lyon"}, ""},
		{Options{Title: "a\ue000b"}, "must be plain text, without control characters"},
		{Options{Title: "<b>Pubs</b>"}, ""},
		{Options{Language: "it"}, `language "it": must be one of en, de, fr, es, cs`},
		{Options{Accent: "1a6b3c"}, colours}, {Options{Accent: "#1a6b3"}, colours}, {Options{Accent: "#12g"}, colours}, {Options{Accent: "#+1a6b3"}, colours},
		{Options{Accent: "red"}, colours}, {Options{Accent: "#"}, colours}, {Options{Accent: "#fff;}"}, colours}, {Options{Accent: "#FFF"}, ""},
		{Options{Logo: testkit.File(t, "logo", "")}, image}, {Options{Logo: testkit.File(t, "logo", "GIF89a")}, image}, {Options{Logo: testkit.File(t, "logo", "<html><svg/></html>")}, image},
		{Options{Logo: testkit.File(t, "logo", "<svg/>")}, image}, {Options{Logo: testkit.File(t, "logo", "<!-- "+svg)}, image}, {Options{Logo: testkit.File(t, "logo", svg+strings.Repeat(" ", maxLogo))}, "must be at most 200000 bytes"},
		{Options{Noun: "brewery"}, `noun "brewery": must be singular and plural`}, {Options{Noun: "brewery,breweries"}, ""},
		{Options{Corrections: "https://example.org/{uid}"}, ""}, {Options{Corrections: "mailto:a@example.org?subject={uid}"}, ""},
		{Options{Corrections: "https://example.org/"}, corrections}, {Options{Corrections: "https://{uid}.example.org/"}, corrections}, {Options{Corrections: "//example.org/{uid}"}, corrections},
		{Options{Corrections: "javascript:alert({uid})"}, corrections}, {Options{Corrections: "https://a:b@example.org/{uid}"}, corrections}, {Options{Corrections: "mailto:{uid}"}, corrections},
		{Options{Corrections: "{uid}"}, corrections}, {Options{Corrections: "https://example.org/%{uid}"}, corrections}, {Options{Corrections: "https://example.org/\n{uid}"}, corrections}, {Options{Corrections: "https://example.org/\U000e0001{uid}"}, corrections},
		{Options{Logo: "none"}, "logo none: no such file or directory"}, {Options{Logo: t.TempDir()}, ": is a directory: must be a regular file"},
		{Options{Logo: os.DevNull}, "logo " + os.DevNull + ": is a device: must be a regular file"},
	} {
		_, err := New(c.options)
		testkit.FailIf(t, (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want), "%.80q: got error %v, want %q", c.options, err, c.want)
	}
}
