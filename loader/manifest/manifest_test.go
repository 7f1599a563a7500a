package manifest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index/schema"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func snapshot(n int, publishedAt, activateAt time.Time) Snapshot {
	source := fmt.Sprintf("%064x", n+1)
	source = source[48:] + source[:48]
	return Snapshot{ID: source[:16], Source: source, Pubs: n + 1, PublishedAt: publishedAt, ActivateAt: activateAt,
		Index: Index{Key: source[:16] + "-1.idx.zst", Size: 10, SHA256: source, Format: 1, ExpandedSize: 100, ExpandedSHA256: source}}
}

func example() *Manifest {
	newest := snapshot(2, noon, noon.Add(time.Minute))
	file := Index{Key: "pubs.src.zst", Size: 11, SHA256: newest.Source, ExpandedSize: 101, ExpandedSHA256: newest.Source}
	newest.Origin = &Origin{Files: []OriginFile{{"pubs.csv.gz", file}, {"places.csv", file}}, MaxBadRows: 3, Extra: []schema.ExtraColumn{"beds", "facet:colour"}}
	return &Manifest{Sequence: 7, Directory: strings.Repeat("0f", 16), Snapshots: []Snapshot{newest, snapshot(1, noon.Add(-time.Hour), noon.Add(-time.Hour))}}
}

func TestRoundTrip(t *testing.T) {
	m := example()
	got, err := Parse(m.Render())
	testkit.FailIf(t, err != nil || !reflect.DeepEqual(got, m), "got %+v, %v, want %+v", got, err, m)
	testkit.FailIf(t,
		!IsManifest("x", m.Render()) || !IsManifest(Name, nil) || IsManifest("pubs.json", []byte(`[{"format":"pubd-manifest-2"}]`)),
		"IsManifest is wrong")
}

// Each wrong value is rejected with the name of its field.
func TestWrongValues(t *testing.T) {
	good := string(example().Render())
	digest := `"` + example().Snapshots[0].Source + `"`
	for _, c := range []struct{ old, new, want string }{
		{`"pubd-manifest-2"`, `"pubd-manifest-3"`, `format "pubd-manifest-3": must be "pubd-manifest-2"`},
		{`"format": "pubd-manifest-2",`, ``, "format: is missing"},
		{`"directory": "0f0f`, `"directory": "0F0F`, `directory "0F0F0f0f0f0f0f0f0f0f0f0f0f0f0f0f": must be 32 hexadecimal digits`},
		{`"directory": "0f0f`, `"directory": "0f`, "must be 32 hexadecimal digits"},
		{`"sequence": 7`, `"sequence": 0`, "sequence 0: must be an integer from 1 to 9007199254740992"},
		{`"sequence": 7`, `"sequence": 99999999999999999999`, "sequence 99999999999999999999: must be"},
		{`"sequence": 7`, `"sequence": 7, "sequence": 8`, "sequence: must be there once"},
		{`"sequence": 7`, `"sequence": 7, "more": 8`, "more: is not known"},
		{`"pubs": 2`, `"pubs": 2, "pubs": 3`, "kept[0].pubs: must be there once"},
		{`"source_sha256": ` + digest, `"source_sha256": "abc"`, `source_sha256 "abc": must be 64 hexadecimal digits`},
		{`"snapshot": "` + example().Snapshots[0].ID, `"snapshot": "0000000000000000`, "snapshot \"0000000000000000\": must be the first 16 digits of source_sha256"},
		{`"pubs": 3`, `"pubs": 99999999999`, "pubs 99999999999: must be"},
		{`"published_at": "2026-11-24T12:00:00Z"`, `"published_at": "noon"`, `published_at: must be a time`},
		{`"published_at": "2026-11-24T12:00:00Z"`, `"published_at": "0001-01-01T00:00:00Z"`, `published_at "0001-01-01T00:00:00Z": must be a time`},
		{`"published_at": "2026-11-24T12:00:00Z"`, `"published_at": "9999-12-31T23:00:00-05:00"`, `published_at "9999-12-31T23:00:00-05:00": must be a time`},
		{`"published_at": "2026-11-24T12:00:00Z"`, `"published_at": "2000-01-01T00:00:00+05:00"`, `published_at "2000-01-01T00:00:00+05:00": must be a time`},
		{`"activate_at": "2026-11-24T12:01:00Z"`, `"activate_at": "2026-11-24T11:59:59Z"`, `activate_at "2026-11-24T11:59:59Z": must be from published_at`},
		{`"activate_at": "2026-11-24T12:01:00Z"`, `"activate_at": "2027-11-24T12:01:00Z"`, `activate_at "2027-11-24T12:01:00Z": must be from published_at`},
		{`"accept_shrink": false`, `"accept_shrink": 0`, "accept_shrink: must be true or false"},
		{`"size": 10,`, `"size": 2000000000000,`, "index.size 2000000000000: must be"},
		{`"format": 1,`, `"format": 1, "other": 1,`, "index.other: is not known"},
		{`"index": {`, `"index": [], "x": {`, "index: must be one JSON object"},
		{`"key": "`, `"key": "../`, `index.key "../`},
		{`"key": "`, `"key": "/etc/`, `index.key "/etc/`},
		{`"key": "`, `"key": "https://elsewhere/`, `index.key "https://elsewhere/`},
		{`"key": "`, `"key": "a/`, `index.key "a/`},
		{`"key": "`, `"key": ".`, `index.key ".`},
		{`"key": "`, `"key": "\u0000`, `index.key "\x00`},
		{`-1.idx.zst"`, `-1.idx"`, `must be the name of a file beside the manifest, ending in .idx.zst`},
		{`"kept": [`, `"kept": {}, "x": [`, "kept: must be a list"},
		{`"kept": [`, `"kept": [1,`, "kept[0]: must be one JSON object"},
		{`"kept": [`, `"kept": [{},`, "kept[0].source_sha256: is missing"},
		{"]\n}", "]\n}{}", "the manifest: must be valid JSON: invalid character '{' after top-level value"},
		{"]\n}", "]\n", "must be valid JSON"},
		{good, "", "the manifest: must be valid JSON: unexpected EOF"},
		{good, "[]", "the manifest: must be one JSON object"},
		{good, "null", "format: is missing"},
		{good, strings.Repeat(" ", MaxSize+1), "is larger than 1048576 bytes"},
		{`"kept": [`, `"kept": [` + strings.Repeat("{},", MaxKept), "must be a list of at most 64"},
	} {
		content := strings.Replace(good, c.old, c.new, 1)
		testkit.FailIf(t, content == good, "%s: changes nothing", c.old)
		m, err := Parse([]byte(content))
		testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), c.want),
			"%s for %.40s: got %+v, %v, want %q", c.new, c.old, m, err, c.want)
	}
	for at := range len(good) - 1 {
		_, err := Parse([]byte(good[:at]))
		testkit.FailIf(t, err == nil, "cut after %d bytes: got no error", at)
	}
}

// Every member has its name and rejects values of other types; null is none, which only some may be.
func TestEveryMember(t *testing.T) {
	good := string(example().Render())
	tried := 0
	for line := range strings.Lines(good) {
		name, value, isMember := strings.Cut(strings.TrimRight(line, ",\n"), ": ")
		if !isMember || value == "{" || value == "[" {
			continue
		}
		field := strings.Trim(name, `" `)
		wrongs := []string{strings.Replace(line, field, "another", 1)}
		for _, wrong := range []string{"null", "[]", "{}", `""`, "-1", "1e999", "0.5", `"\ufffd"`} {
			wrongs = append(wrongs, strings.Replace(line, ": "+value, ": "+wrong, 1))
		}
		for _, wrong := range wrongs {
			tried++
			mayBeNone := strings.Contains(wrong, "null") && (field == "accept_shrink" || field == "max_bad_rows")
			_, err := Parse([]byte(strings.Replace(good, line, wrong, 1)))
			if (err == nil) != mayBeNone || err != nil && !strings.Contains(err.Error(), field) && !strings.Contains(err.Error(), "another: is not known") {
				t.Errorf("%s: got %v, want an error that names %s", strings.TrimSpace(wrong), err, field)
			}
		}
	}
	testkit.FailIf(t, tried < 200, "tried %d values, want those of all members", tried)
}

// An accepted manifest is unchanged after writing and reading, and its keys do not leave the folder.
func FuzzParse(f *testing.F) {
	f.Add(example().Render())
	f.Add([]byte(`{"format":"pubd-manifest-2","sequence":1}`))
	f.Add([]byte(`{"format":"pubd-manifest-2","kept":[{}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := Parse(content)
		if err != nil {
			return
		}
		again, err := Parse(m.Render())
		testkit.StopIf(t, err != nil || !reflect.DeepEqual(again, m),
			"%q: got %+v, %v, want %+v", content, again, err, m)
		for _, s := range m.Snapshots {
			testkit.FailIf(t, strings.ContainsAny(s.Index.Key, `/\:?%`) || strings.HasPrefix(s.Index.Key, "."),
				"key %q", s.Index.Key)
		}
		m.Plan(noon, time.Hour, 3)
	})
}

// At any time, the newest active snapshot is served, newer ones are upcoming, and those served within keepFor are
// kept.
func TestPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Manifest
		for i := range rapid.IntRange(1, 8).Draw(t, "snapshots") {
			at := noon.Add(time.Duration(rapid.IntRange(-20, 20).Draw(t, "at")) * time.Second)
			m.Snapshots = append(m.Snapshots, snapshot(rapid.IntRange(0, 3).Draw(t, "n")+i%2, at, at))
		}
		keepFor, keep := time.Duration(rapid.IntRange(0, 20).Draw(t, "for"))*time.Second, rapid.IntRange(0, 4).Draw(t, "keep")
		served := func(at time.Time) int {
			for i, s := range m.Snapshots {
				if !s.ActivateAt.After(at) {
					return i
				}
			}
			return -1
		}
		plan := m.Plan(noon, keepFor, keep)
		now := served(noon)
		switch {
		case now < 0 && plan.Serve != nil, now >= 0 && plan.Serve != &m.Snapshots[now]:
			t.Fatalf("serves %+v, want number %d", plan.Serve, now)
		case now >= 0 && len(plan.Upcoming) != now:
			t.Fatalf("%d upcoming, want %d", len(plan.Upcoming), now)
		}
		kept := 0
		for i, s := range m.Snapshots {
			recently := false // served in the last keepFor, by the definition
			for back := time.Second / 2; back < keepFor; back += time.Second {
				recently = recently || served(noon.Add(-back)) == i
			}
			is := false
			for _, k := range plan.Kept {
				is = is || reflect.DeepEqual(k, s)
			}
			if recently && now >= 0 && i > now && s.Source != plan.Serve.Source {
				if kept++; !is && len(plan.Kept) < keep {
					t.Fatalf("number %d was served within %v and is not kept: %+v", i, keepFor, plan)
				}
			}
		}
		testkit.StopIf(t, len(plan.Kept) > kept, "%d kept, want %d: %+v", len(plan.Kept), kept, plan)
		for step := time.Duration(0); step <= 40*time.Second; step += time.Second {
			at := noon.Add(step)
			if !plan.Change.IsZero() && !at.Before(plan.Change) {
				break
			}
			later := m.Plan(at, keepFor, keep)
			testkit.StopIf(t, !reflect.DeepEqual(later, plan), "changes at %v, before %v", at, plan.Change)
		}
	})
}

func TestSignature(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		testkit.OK(t, os.WriteFile(path, content, 0o600))
		return path
	}
	passwords := testkit.Pick([]string{""}, []string{"", "correct horse"}) // scrypt takes a gigabyte and several seconds
	for _, password := range passwords {
		public, private, err := GenerateKey(password)
		testkit.OK(t, err)
		publicFile, privateFile := file("key.pub", public), file("key", private)
		trusted := testkit.Must(ParsePublicKey(publicFile))(t)
		again, err := ParsePublicKey(trusted.String())
		testkit.FailIf(t, err != nil || again.String() != trusted.String(),
			"the line of the key: got %v, %v", again, err)
		key, err := ReadPrivateKey(privateFile, password)
		testkit.OK(t, err)
		content := example().Render()
		signature := Sign(content, 7, key)
		otherPublic, _, _ := GenerateKey("")
		other, _ := ParsePublicKey(string(otherPublic))
		for _, keys := range [][]PublicKey{{trusted}, {other, trusted}, {trusted, other}} {
			testkit.OK(t, Verify(content, signature, keys))
		}
		for _, c := range []struct {
			content, signature []byte
			key                PublicKey
			want               string
		}{
			{content, signature, other, "is by the key"},
			{append(bytes.Clone(content), ' '), signature, trusted, "does not match this manifest"},
			{content, bytes.Replace(signature, []byte("sequence:7"), []byte("sequence:8"), 1), trusted, "does not match this manifest"},
			{content, nil, trusted, "must be in minisign's format"},
			{content, []byte("untrusted comment: x\nAAAA\ntrusted comment: y\nAAAA\n"), trusted, "must be in minisign's format"},
		} {
			err := Verify(c.content, c.signature, []PublicKey{c.key})
			testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), c.want), "got %v, want %q", err, c.want)
		}
		if password != "" {
			_, err := ReadPrivateKey(privateFile, "")
			testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), "PUBD_SIGN_PASSWORD"),
				"no password: got %v", err)
		}
		minisign, err := exec.LookPath("minisign")
		if err != nil {
			t.Skip("minisign is not installed")
		}
		manifest := file(Name, content)
		output, err := exec.Command(minisign, "-V", "-m", manifest, "-x", file(SignatureName(content), signature), "-p", publicFile).CombinedOutput()
		testkit.FailIf(t, err != nil || !strings.Contains(string(output), "sequence:7"),
			"minisign -V: %v\n%s", err, output)
		if password != "" {
			continue
		}
		// Keys from minisign are read, too.
		make := exec.Command(minisign, "-G", "-f", "-W", "-p", filepath.Join(folder, "m.pub"), "-s", filepath.Join(folder, "m.key"))
		if output, err := make.CombinedOutput(); err != nil {
			t.Fatalf("minisign -G: %v\n%s", err, output)
		}
		key, err = ReadPrivateKey(filepath.Join(folder, "m.key"), "")
		testkit.OK(t, err)
		trusted, err = ParsePublicKey(filepath.Join(folder, "m.pub"))
		testkit.FailIf(t, err != nil || Verify(content, Sign(content, 1, key), []PublicKey{trusted}) != nil,
			"keys of minisign: %v", err)
	}
	os.Chmod(filepath.Join(folder, "key"), 0o644)
	if _, err := ReadPrivateKey(filepath.Join(folder, "key"), ""); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("mode 0644: got %v", err)
	}
	for _, text := range []string{"", "RWQ", folder} {
		_, err := ParsePublicKey(text)
		testkit.FailIf(t, err == nil, "public key %q: got no error", text)
	}
}
