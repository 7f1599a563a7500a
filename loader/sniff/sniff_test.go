package sniff

import (
	"testing"

	"pubd/bench/testkit"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		head string
		want Kind
	}{
		{"", Text}, {"id,name\n", Text}, {"\xef\xbb\xbf", Text}, {"PK", Text},
		{"\xff\xfei\x00", UTF16}, {"\xfe\xff\x00i", UTF16}, {"\xff\xfe\x00\x00", UTF32}, {"\x00\x00\xfe\xff", UTF32},
		{" [", JSON}, {"\xef\xbb\xbf{", JSON}, {"\x1e{", JSON},
		{"<kml>", KML}, {"<?xml version='1.0'?>\n<!-- a\nkml --><k:KML xmlns='x'>", KML}, {"<gpx version='1.1'>", GPX}, {"<osm/>", OSMXML},
		{"<!DOCTYPE html>\n<html>", html}, {"<HTML>", html}, {"<rss>", otherXML}, {"<", otherXML}, {"<a", otherXML},
		{"\x1f\x8b", Gzip}, {"\x28\xb5\x2f\xfd", Zstd}, {"PK\x03\x04", Zip}, {"\x00\x00\x00\x0d\x0a\x09OSMHeader", PBF},
	} {
		if got := Of([]byte(c.head)); got != c.want {
			t.Errorf("%q: got %v, want %v", c.head, got, c.want)
		}
	}
}

// Every kind says what it is, and one that cannot be read also what to do.
func TestKinds(t *testing.T) {
	for _, s := range signatures {
		head := append(make([]byte, s.at), s.begins...)
		kind := Of(head)
		testkit.FailIf(t,
			kind.String() != s.title || kind.Advice() != s.advice || kind.Readable() != (s.advice == "") || s.title == "",
			"%q: got %v, %q", s.begins, kind, kind.Advice())
	}
}
