package sniff

import (
	"fmt"
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
		{"<!DOCTYPE html>\n<html>", html}, {"<HTML>", html}, {"<rss>", XML}, {"<", XML}, {"<a", XML},
		{"\x1f\x8b", Gzip}, {"\x28\xb5\x2f\xfd", Zstd}, {"PK\x03\x04", Zip}, {"\x00\x00\x00\x0d\x0a\x09OSMHeader", PBF},
		{"var pubs = [\n", JavaScript}, {"// a\nexport const pubs = {", JavaScript}, {"export default [", JavaScript}, {"window.pubs=[", JavaScript},
		{"callback({", JavaScript}, {"/* a */ jQuery1_2([{", JavaScript}, {"module.exports = [", JavaScript}, {"pubs[\"a\"] = [", JavaScript},
		{"const a = 7, b = [", OtherJavaScript}, {"import x from 'y'", OtherJavaScript}, {"(function() {", OtherJavaScript}, {"export const f = () => {", OtherJavaScript},
		{"CREATE TABLE pubs (id int);", sql}, {"-- MySQL dump\n/*!40101 SET a */;\ninsert into pubs VALUES", sql}, {"PRAGMA foreign_keys=OFF;", sql},
		{"--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;", sql},
		{"{\"type\": \"Topology\"", topoJSON}, {"{\"type\": \"FeatureCollection\"", JSON},
		{"// pubs\n[{", JSON}, {"/* a */ {", JSON}, {"// a,b\n1,2", Text}, {"- name: Bell\n  id: 1\n", yaml}, {"---\n# a\npubs:\n  - name: Bell\n", yaml}, {"bell:\n  name: Bell\n", yaml},
		{"- name, id\n", Text}, {"Pubs:\n\nname,id\n", Text}, {"name: id\n", Text},
		{"var,name\n1,Bell", Text}, {"import,export\n1,=", Text}, {"created,name\n", Text}, {"set,name\n", Text}, {"name (old),id", Text}, {"Bell (the)", Text}, {"-- list of pubs\nid", Text},
	} {
		testkit.Equal(t, fmt.Sprintf("%q", c.head), Of([]byte(c.head)), c.want)
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
