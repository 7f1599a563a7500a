package keys

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pubd/bench/testkit"
)

func TestEditKeepsTheFile(t *testing.T) {
	folder := t.TempDir()
	path, link, empty := filepath.Join(folder, "keys"), filepath.Join(folder, "link"), filepath.Join(folder, "empty")
	testkit.Must(add(path, Entry{Name: "first"}))(t)
	mode := func(path string) os.FileMode { return testkit.Must(os.Lstat(path))(t).Mode() }
	testkit.Equal(t, "mode of a new file", mode(path), 0o600)
	byHand := strings.TrimSuffix("\r\n"+line("hand", ` , "rate": 5`)+"\n"+line("last", ""), "\n")
	testkit.OK(t, os.WriteFile(path, []byte(byHand), 0o600))
	testkit.OK(t, os.Chmod(path, 0o640))
	testkit.OK(t, os.Symlink("keys", link))
	testkit.Must(add(link, Entry{Name: "added"}))(t)
	testkit.OK(t, Revoke(link, "last"))
	testkit.Equal(t, "mode 0640", mode(path), 0o640)
	testkit.Equal(t, "the link is one", mode(link)&os.ModeSymlink != 0, true)
	content, _ := os.ReadFile(path)
	lines := strings.Split(string(content), "\n")
	testkit.FailIf(t, !strings.HasPrefix(string(content), byHand[:len(byHand)-80]) || len(lines) != 6,
		"got\n%s\nwant two more lines than\n%s", content, byHand)
	testkit.OK(t, os.WriteFile(empty, nil, 0o600))
	for keys := range 2 {
		testkit.Equal(t, "keys in a file that was empty", len(testkit.Must(List(empty))(t)), keys)
		testkit.Must(add(empty, Entry{Name: fmt.Sprint(keys)}))(t)
	}
}

// Load checks the mode of a link's target, because links themselves have all bits.
func TestLoadChecksMode(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "keys"), filepath.Join(folder, "link")
	testkit.Must(add(path, Entry{Name: "first"}))(t)
	testkit.OK(t, os.Symlink("keys", link))
	for mode := range os.FileMode(0o1000) {
		testkit.OK(t, os.Chmod(path, mode))
		for _, name := range []string{path, link} {
			s, warning, err := Load(t.Context(), name)
			if os.IsPermission(err) && mode&0o400 == 0 { // root can read it
				continue
			}
			writable, readable := mode&0o022 != 0, mode&0o004 != 0
			rule := fmt.Sprintf("%s: mode %04o: must not be writable by group or others, who could add keys: chmod go-w %[1]s", name, mode)
			testkit.Equal(t, rule, err != nil && strings.Contains(err.Error(), rule), writable)
			testkit.Equal(t, rule+": loaded", s != nil && err == nil, !writable)
			testkit.Equal(t, rule+": warned", warning != nil && strings.Contains(warning.Error(), "chmod o-r "+name), readable && !writable)
			testkit.Equal(t, rule+": another warning", warning != nil, readable && !writable)
		}
	}
}

func TestConcurrentAdds(t *testing.T) {
	path := keyFile(t)
	const writers, each = 8, 6
	var secrets [writers][each]string
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				name := fmt.Sprintf("key-%d-%d", w, i)
				secret, err := add(path, Entry{Name: name})
				secrets[w][i] = secret
				_, _, err2 := Load(t.Context(), path)
				if i == 0 {
					err2 = errors.Join(err2, Revoke(path, name))
				}
				err = errors.Join(err, err2)
				testkit.FailIf(t, err != nil, "%v", err)
			}
		})
	}
	group.Wait()
	s := mustLoad(t, path)
	testkit.Equal(t, "keys", s.Len(), writers*each)
	for w, list := range secrets {
		wantKey(t, s, list[0], noon, "") // revoked
		for i, secret := range list[1:] {
			wantKey(t, s, secret, noon, fmt.Sprintf("key-%d-%d", w, i+1))
		}
	}
}
