package main

import (
	"path/filepath"
	"strings"
	"testing"

	"pubd/data/lane"
	"pubd/testkit"
)

// The commands of docs/fleet.md work as pasted, in their order. Only the server's ports differ.
func TestFleetDocument(t *testing.T) {
	t.Parallel()
	lane.Programs(t, "sh", "curl", "minisign", "sha256sum")
	document := testkit.Read(t, "../../docs/fleet.md")
	s := newSession(t, nil, "PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DRAIN_DELAY=0s")
	blocks := codeBlock.FindAllStringSubmatch(string(document), -1)
	testkit.StopIf(t, len(blocks) != 1, "got %d blocks of commands, want 1", len(blocks))
	for line := range strings.Lines(blocks[0][2]) {
		if s.server != nil {
			line = strings.ReplaceAll(line, sampleAddress, s.server.api)
		}
		s.paste(line)
	}
	testkit.FailIf(t, s.commands != 9 || s.started != 1, "got %d commands and %d servers, want 9 and 1", s.commands, s.started)
	site := &site{t, filepath.Join(s.folder, "site"), nil}
	m := site.read()
	testkit.FailIf(t, m.Sequence != 3 || !m.Snapshots[0].AcceptShrink, "got sequence %d, want that of the rollback, 3", m.Sequence)
	want := site.read().Snapshots[0].ID
	testkit.Eventually(t, "rollback", func() bool { return s.server.readiness(200).Snapshot == want })
	s.stop()
}
