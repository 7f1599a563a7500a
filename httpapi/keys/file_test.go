package keys

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestEditKeepsTheFile(t *testing.T) {
	folder := t.TempDir()
	path, link, empty := filepath.Join(folder, "keys"), filepath.Join(folder, "link"), filepath.Join(folder, "empty")
	mustAdd(t, path, "first", never, 0)
	mode := func(path string) os.FileMode {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	if got := mode(path); got != 0o600 {
		t.Errorf("a new file has mode %v", got)
	}
	byHand := strings.TrimSuffix("\r\n"+line("hand", ` , "rate": 5`)+"\n"+line("last", ""), "\n")
	if err := os.WriteFile(path, []byte(byHand), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("keys", link); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, link, "added", never, 0)
	if err := Revoke(link, "last"); err != nil {
		t.Fatal(err)
	}
	if got := mode(path); got != 0o640 {
		t.Errorf("mode 0640 became %v", got)
	}
	if got := mode(link); got&os.ModeSymlink == 0 {
		t.Errorf("the link became %v", got)
	}
	content, _ := os.ReadFile(path)
	if lines := strings.Split(string(content), "\n"); !strings.HasPrefix(string(content), byHand[:len(byHand)-80]) || len(lines) != 6 {
		t.Errorf("got\n%s\nwant two more lines than\n%s", content, byHand)
	}
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if entries, err := List(empty); err != nil || len(entries) != 0 {
		t.Errorf("List of an empty file: %v, %v", entries, err)
	}
	mustAdd(t, empty, "first", never, 0)
	if entries, err := List(empty); err != nil || len(entries) != 1 {
		t.Errorf("List of a file with one key: %v, %v", entries, err)
	}
}

// Load checks the mode of a link's target, because links themselves have all bits.
func TestLoadChecksMode(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "keys"), filepath.Join(folder, "link")
	mustAdd(t, path, "first", never, 0)
	if err := os.Symlink("keys", link); err != nil {
		t.Fatal(err)
	}
	for mode := range os.FileMode(0o1000) {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, link} {
			s, warning, err := Load(t.Context(), name)
			if os.IsPermission(err) && mode&0o400 == 0 { // root can read it
				continue
			}
			writable, readable := mode&0o022 != 0, mode&0o004 != 0
			if (err != nil) != writable || (s == nil) != writable || (warning != nil) != (readable && !writable) {
				t.Errorf("mode %04o: got %v, warning %v, error %v", mode, s, warning, err)
			}
			if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("%s: mode %04o: must not be writable by group or others, who could add keys: chmod go-w %[1]s", name, mode)) ||
				warning != nil && !strings.Contains(warning.Error(), "chmod o-r "+name) {
				t.Errorf("mode %04o: got warning %v, error %v", mode, warning, err)
			}
		}
	}
}

func TestConcurrentAdds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	const writers, each = 8, 6
	secrets := make([][]string, writers)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				secret, err := add(path, fmt.Sprintf("key-%d-%d", w, i), never, 0)
				if err != nil {
					t.Error(err)
				}
				secrets[w] = append(secrets[w], secret)
				if i == 0 {
					err = Revoke(path, fmt.Sprintf("key-%d-0", w))
				} else {
					_, _, err = Load(t.Context(), path)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	s, _, err := Load(t.Context(), path)
	if err != nil || s.Len() != writers*each {
		t.Fatalf("Load: %v, want %d keys", err, writers*each)
	}
	for w, list := range secrets {
		for i, secret := range list {
			if _, ok := s.Check([]byte(secret), noon); ok != (i > 0) {
				t.Errorf("key-%d-%d: Check is %v", w, i, ok)
			}
		}
	}
}
