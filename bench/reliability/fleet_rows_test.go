package reliability

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/proof"
)

// ahead is the time from publishing a snapshot to its activation: enough for several refreshes and a download.
const ahead = 3 * time.Second

func TestD1(t *testing.T) {
	proof.Row(t, "publishes to 3 replicas, while clients page along Link through HAProxy, and as many through nginx, as in deploy",
		"at least 1,000,000 answers, 0 failed, 0 mixed; every paging is exactly one snapshot's set and none begins again")
	storage := startStorage(t)
	publishes := proof.Pick(2, 20)
	snapshots := makeEditions(t, publishes+1)
	snapshots[0].publish(t, 0)
	replicas := newFollowers(t, storage.address)
	c := new(crowd).start(t, snapshots, front(t, "haproxy.cfg", replicas), front(t, "nginx.conf", replicas))
	begun, most := time.Now(), 6*time.Minute
	for i, s := range snapshots[1:] {
		want := i * proof.Pick(0, 1_000_000) / publishes
		for c.answered() < want && time.Since(begun) < most*time.Duration(i)/time.Duration(publishes) {
			time.Sleep(10 * time.Millisecond)
		}
		s.publish(t, ahead)
		allServe(t, replicas, s)
	}
	for c.answered() < proof.Pick(0, 1_010_000) && time.Since(begun) < most {
		time.Sleep(10 * time.Millisecond)
	}
	c.right(t)
	failIf(t, proof.Full() && c.answers < 1_000_000, "%d answers in %v, want 1,000,000", c.answers, most)
	proof.Figure(t, fmt.Sprintf("%d answers, %d pagings, %d publishes", c.answers, c.pagings(), publishes), "%d failed, where a mixed answer and a paging that cannot go on count, in %v", c.failed, time.Since(begun).Round(time.Second))
}

func TestD2(t *testing.T) {
	proof.Row(t, "activate_at, with 3 replicas that are asked all the time", "all replicas answer from the new snapshot within 1 s of it, none before")
	storage := startStorage(t)
	publishes := proof.Pick(2, 20)
	snapshots := makeEditions(t, publishes+1)
	snapshots[0].publish(t, 0)
	replicas := newFollowers(t, storage.address)
	var late []time.Duration
	for _, s := range snapshots[1:] {
		at := s.publish(t, ahead)
		switched := make([]time.Time, len(replicas))
		for _, r := range replicas {
			proof.Eventually(t, "prepared", func() bool {
				f := r.readiness().Fleet
				return f != nil && slices.Contains(f.Prepared, s.ID) || time.Now().After(at)
			})
		}
		for deadline := at.Add(proof.Patience); time.Now().Before(deadline) && slices.ContainsFunc(switched, time.Time.IsZero); time.Sleep(2 * time.Millisecond) {
			for i, r := range replicas {
				c := load.Conn{Address: r.API}
				asked := time.Now()
				must(c.Ask(request(firstPage)))(t)
				is, answered := c.Snapshot() == s.ID, time.Now()
				c.Close()
				failIf(t, is && answered.Before(at), "replica %d answers from %s %v before activate_at", i, s.ID, at.Sub(answered))
				failIf(t, !is && asked.After(at.Add(time.Second)), "replica %d still answers from %s %v after activate_at", i, c.Snapshot(), asked.Sub(at))
				if is && switched[i].IsZero() {
					switched[i] = answered
					late = append(late, answered.Sub(at))
				}
			}
		}
	}
	if len(late) != len(replicas)*publishes {
		t.Fatalf("%d of %d switches seen", len(late), len(replicas)*publishes)
	}
	proof.Figure(t, fmt.Sprintf("%d times, 3 replicas", publishes), "none before; the last %v after activate_at, as it was seen by asking every few ms", slices.Max(late).Round(time.Millisecond))
}

func TestD7(t *testing.T) {
	proof.Row(t, "rolling restart of all 3 replicas behind HAProxy and nginx, as in deploy, while clients page", "0 failed, none begins again")
	storage := startStorage(t)
	snapshots := makeEditions(t, 2)
	snapshots[0].publish(t, 0)
	drain := proof.Pick(4*time.Second, 10*time.Second)
	replicas := newFollowers(t, storage.address, "--drain-delay", drain.String())
	c := new(crowd).start(t, snapshots, front(t, "haproxy.cfg", replicas), front(t, "nginx.conf", replicas))
	snapshots[1].publish(t, ahead) // clients that began earlier continue with the kept snapshot
	allServe(t, replicas, snapshots[1])
	rounds := proof.Pick(1, 3)
	for range rounds {
		for _, r := range replicas {
			ok(t, r.Signal(syscall.SIGTERM))
			<-r.Ended()
			r.start()
			time.Sleep(2 * time.Second) // as operators wait between restarts; HAProxy checks once a second
		}
	}
	c.right(t)
	proof.Figure(t, fmt.Sprintf("%d answers, %d pagings, %d restarts", c.answers, c.pagings(), 3*rounds), "%d failed, where a paging that cannot go on counts", c.failed)
}
