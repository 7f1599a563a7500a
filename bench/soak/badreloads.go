package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// badReloads has a replica for each format, since the name of a file tells its format, and puts every file that is wrong in
// the place of a good one.
func badReloads(ctx context.Context, b *bed) (outcome, error) {
	good, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	text, err := os.ReadFile(good.file)
	if err != nil {
		return outcome{}, err
	}
	files := map[string][]badFile{} // by ending
	for _, f := range corpus(b.short) {
		if _, ending, _ := strings.Cut(f.name, "."); !f.isRight() {
			files["."+ending] = append(files["."+ending], f)
		}
	}
	var sum tally
	tried, problems := 0, []string{}
	for _, ending := range endings {
		wrong := files[ending]
		content, err := convert(text, ending)
		if err != nil {
			return outcome{}, err
		}
		t, more, err := b.refuseAll(ctx, good, content, ending, wrong)
		if err != nil {
			return outcome{}, err
		}
		sum.join(t)
		tried += len(wrong)
		problems = append(problems, more...)
	}
	figure := fmt.Sprintf("%d of %d refused with their reason; %v", tried-len(problems), tried, &sum)
	if len(problems) > 0 {
		figure += ": " + problems[0]
	}
	return outcome{
		n:      fmt.Sprintf("%d reloads in %d formats", tried, len(files)),
		figure: figure,
		passed: sum.failed() == 0 && len(problems) == 0,
	}, nil
}

// refuseAll reloads one wrong file after the other under load, and a good one last. It gives what was not refused as it
// should be.
func (b *bed) refuseAll(ctx context.Context, good *edition, content []byte, ending string, wrong []badFile) (t *tally, problems []string, err error) {
	whole := b.path("whole" + ending)
	place := b.path("r4" + ending)
	for _, path := range []string{whole, place} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, nil, err
		}
	}
	r, err := b.serve(ctx, "r4-unused", good.file, "--data", place)
	if err != nil {
		return nil, nil, err
	}
	defer r.Stop()
	r.data = place
	_, said, err := r.ready(ctx)
	if err != nil {
		return nil, nil, err
	}
	served := &edition{file: whole, id: said.Snapshot, answers: good.answers}
	t, err = during(ctx, b.load(r, steady, untilStopped, served), func() error {
		for _, f := range wrong {
			problem, err := r.refuses(ctx, f, served.id)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			if problem != "" {
				problems = append(problems, f.name+": "+problem)
			}
		}
		if err := os.RemoveAll(place); err != nil {
			return err
		}
		if err := r.reload(ctx, served); err != nil {
			return err
		}
		return eventually(ctx, "the last reload is ok", func() (bool, error) {
			_, said, err := r.ready(ctx)
			return said.LastReload == "ok", err
		})
	})
	return t, problems, err
}

// refuses reloads a wrong file and tells what was not as it should be.
func (r *replica) refuses(ctx context.Context, f badFile, served string) (problem string, err error) {
	if err := os.RemoveAll(r.data); err != nil {
		return "", err
	}
	if err := f.write(r.data); err != nil {
		return "", err
	}
	if _, err := r.tryReload(ctx); err != nil {
		return "", err
	}
	var status int
	var said ready
	limit := time.Now().Add(time.Second)
	err = eventually(ctx, "reason in /readyz", func() (bool, error) {
		status, said, err = r.ready(ctx)
		return strings.Contains(said.LastReload, f.want) || time.Now().After(limit), err
	})
	if !strings.Contains(said.LastReload, f.want) || status != 200 || said.Snapshot != served {
		return fmt.Sprintf("/readyz %d with snapshot %s says %.300q, want 200, %s, %q", status, said.Snapshot, said.LastReload, served, f.want), err
	}
	return "", err
}

// tryReload signals and waits until the data was loaded or refused.
func (r *replica) tryReload(ctx context.Context) (refused bool, err error) {
	count := func() (counts [2]float64, err error) {
		for i, result := range []string{"failed", "ok"} {
			if counts[i], err = r.metric(ctx, `pubd_reloads_total{result="`+result+`",what="data"}`); err != nil {
				return counts, err
			}
		}
		return counts, nil
	}
	before, err := count()
	if err != nil {
		return false, err
	}
	if err := r.Signal(syscall.SIGHUP); err != nil {
		return false, err
	}
	now := before
	err = eventually(ctx, "the reload has ended", func() (bool, error) {
		now, err = count()
		return now != before, err
	})
	return now[0] > before[0], err
}

// tornReloads reloads while a writer changes the file as nobody should. Two snapshots of the same pubs in opposite orders
// have no mixture that is a snapshot; no pub may be lost.
func tornReloads(ctx context.Context, b *bed) (outcome, error) {
	text, err := os.ReadFile(b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	slices.Reverse(lines[1 : len(lines)-1]) // but the header, and nothing after the last line break
	contents := [2][]byte{text, bytes.Join(lines, nil)}
	reversed := b.path("reversed.csv")
	if err := os.WriteFile(reversed, contents[1], 0o600); err != nil {
		return outcome{}, err
	}
	var editions [2]*edition
	for i, file := range []string{b.editions[0], reversed} {
		if editions[i], err = b.edition(ctx, file); err != nil {
			return outcome{}, err
		}
	}
	r, err := b.serve(ctx, "r5", b.editions[0], "--max-shrink", "0")
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()

	reloads, refused := 0, 0
	t, err := during(ctx, b.load(r, steady, untilStopped, editions[:]...), func() error {
		tearing, stop := context.WithCancel(ctx)
		var wait sync.WaitGroup
		var torn error
		wait.Go(func() { torn = tear(tearing, r.data, contents) })
		defer wait.Wait()
		defer stop()
		begun := time.Now()
		end, limit := begun.Add(b.lasting(5*time.Minute, time.Second)), begun.Add(patience)
		// Only chance brings both ends of a reload; on a busy machine a second may be too short for it.
		for time.Now().Before(end) || (refused == 0 || refused == reloads) && time.Now().Before(limit) {
			isRefused, err := r.tryReload(ctx)
			if err != nil {
				return err
			}
			reloads++
			if isRefused {
				refused++
			}
		}
		stop()
		wait.Wait()
		if torn != nil {
			return torn
		}
		return r.reload(ctx, editions[1])
	})
	if err != nil {
		return outcome{}, err
	}
	return outcome{
		n:      grouped(reloads) + " reloads",
		figure: fmt.Sprintf("%d loaded a whole snapshot, %d refused; %v", reloads-refused, refused, t),
		passed: t.failed() == 0 && 0 < refused && refused < reloads,
	}, nil
}

// tear changes a file over and over: replaced as it should be, overwritten in place piece by piece, or cut off and then
// continued. Between two changes it rests for as long as a reload may need to find the file settled, or for less.
func tear(ctx context.Context, file string, contents [2][]byte) error {
	random := rand.New(rand.NewPCG(1, 1))
	for ctx.Err() == nil {
		content := contents[random.IntN(2)]
		var err error
		switch random.IntN(3) {
		case 0:
			if err = os.WriteFile(file+".new", content, 0o600); err == nil {
				err = os.Rename(file+".new", file)
			}
		case 1:
			err = overwrite(ctx, file, content, random)
		case 2:
			// A cut within the last row could not be told from a whole file.
			cut := random.IntN(len(content) - 1000)
			if err = os.Truncate(file, int64(cut)); err == nil {
				time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
				err = overwrite(ctx, file, content, random)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
	}
	return nil
}

// overwrite writes over a file from its beginning, with pauses.
func overwrite(ctx context.Context, file string, content []byte, random *rand.Rand) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for piece := range slices.Chunk(content, (len(content)+7)/8) {
		if _, err := f.Write(piece); err != nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond)
	}
	return nil
}
