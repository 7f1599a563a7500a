package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A sender sends a load from one thread, over connections that it polls: a goroutine for each connection takes as much of
// the machine as the server does, and its turns on the cores count as the server's.
type sender struct {
	load     *load
	requests [][]byte
	to       unix.SockaddrInet4
	poll     int // the descriptor of epoll(7)
	wires    []wired
	free     []int // numbers of wires that wait for no answer
	tally    tally
	window   *window // the one that is open, nil in a load that is not sent in windows
}

// A wired is one connection. It is made when it is needed, and again when it has ended.
type wired struct {
	fd      int // -1 where there is none
	ended   bool
	waiting bool
	reply   reply
	place   int // of the request whose answer is awaited
	due     time.Time
	sent    time.Time
}

// send sends the requests and checks each answer against the edition that it names. It ends by itself; when ctx is done
// it sends nothing more and waits for the answers that are due.
func (l *load) send(ctx context.Context) *tally {
	return l.sendBy(ctx, &sender{load: l, wires: make([]wired, l.connections)})
}

// sendInWindows is send for a load whose times are held against the server: it tells those apart that are the server's own.
// After a window that the host of this machine disturbed, the load stands still until every answer is there, and what was due
// until then is not sent: else what the host held up would hold up what follows.
func (l *load) sendInWindows(ctx context.Context) *tally {
	return l.sendBy(ctx, &sender{load: l, wires: make([]wired, l.connections), window: openWindow(time.Now())})
}

func (l *load) sendBy(ctx context.Context, s *sender) *tally {
	s.tally.statuses, s.tally.served = map[int]int{}, map[string]int{}
	begun := time.Now()
	if err := s.open(); err != nil {
		s.tally.broken++
		s.tally.problem(err.Error())
		return &s.tally
	}
	defer s.close()
	s.run(ctx, begun)
	s.tally.took = time.Since(begun)
	return &s.tally
}

func (s *sender) open() (err error) {
	address, err := netip.ParseAddrPort(s.load.address)
	if err != nil {
		return err
	}
	s.to = unix.SockaddrInet4{Port: int(address.Port()), Addr: address.Addr().As4()}
	if s.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	more := ""
	if s.load.once {
		more = "Connection: close\r\n"
	}
	s.requests = make([][]byte, len(s.load.queries))
	for i, query := range s.load.queries {
		s.requests[i] = fmt.Appendf(nil, "GET %s?%s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\n%s\r\n", resource, query, s.load.key, more)
	}
	for i := range s.wires {
		s.wires[i].fd = -1
		s.free = append(s.free, i)
	}
	return nil
}

func (s *sender) close() {
	for i := range s.wires {
		s.wires[i].close()
	}
	_ = unix.Close(s.poll)
}

// pause is how long a sender sleeps before it looks again for requests that are due and answers that came. That both are
// seen late counts as time of the answers; a sender that is woken by each takes twice as much of the machine.
const pause = 200 * time.Microsecond

func (s *sender) run(ctx context.Context, begun time.Time) {
	runtime.LockOSThread() // or Go moves it to another thread with every sleep
	defer runtime.UnlockOSThread()
	events := make([]unix.EpollEvent, 256)
	looked, end, plan := begun, begun.Add(s.load.lasts), newSchedule(begun, s.load.rate)
	for place := 0; ; {
		now := time.Now()
		over := !plan.due.Before(end) || ctx.Err() != nil
		if again := s.turnWindow(now, s.idle(), over); again {
			plan = newSchedule(now, s.load.rate)
		}
		if s.idle() && over {
			return
		}
		for !over && !s.standsStill() && len(s.free) > 0 && !plan.due.After(now) && plan.due.Before(end) {
			s.ask(place, plan.due)
			place = (place + 1) % len(s.requests)
			plan.next()
		}
		if now.Sub(looked) > time.Second {
			looked = now
			s.giveUp(now)
		}
		rest := pause
		if s.idle() {
			rest = min(max(pause, plan.due.Sub(now)), 10*time.Millisecond)
		}
		sleep := unix.NsecToTimespec(int64(rest))
		_ = unix.Nanosleep(&sleep, nil) // time.Sleep counts in milliseconds
		n, _ := unix.EpollWait(s.poll, events, 0)
		for _, event := range events[:max(0, n)] {
			s.read(int(event.Fd))
		}
	}
}

// idle tells whether no answer is awaited.
func (s *sender) idle() bool { return len(s.free) == len(s.wires) }

// A schedule tells when requests are due.
type schedule struct {
	begun    time.Time
	interval float64 // in nanoseconds
	number   int
	due      time.Time // request number
}

func newSchedule(begun time.Time, rate float64) schedule {
	return schedule{begun: begun, interval: float64(time.Second) / rate, due: begun}
}

func (s *schedule) next() {
	s.number++
	s.due = s.begun.Add(time.Duration(float64(s.number) * s.interval))
}

// ask sends a request on a free connection.
func (s *sender) ask(place int, due time.Time) {
	number := s.free[0] // the one that waits longest, so that none is idle until the server ends it
	s.free = s.free[1:]
	w := &s.wires[number]
	w.waiting, w.place, w.due, w.sent = true, place, due, time.Now()
	w.reply.reset()
	if err := s.write(number, w); err != nil {
		s.finish(number, answer{}, err)
	}
}

func (s *sender) write(number int, w *wired) error {
	if w.ended {
		return errEnded
	}
	if w.fd < 0 {
		if err := s.connect(number, w); err != nil {
			return err
		}
	}
	n, err := unix.Write(w.fd, s.requests[w.place])
	for err == unix.EINTR { // nothing was written
		n, err = unix.Write(w.fd, s.requests[w.place])
	}
	if err == nil && n < len(s.requests[w.place]) {
		err = errors.New("the server takes no request")
	}
	return err
}

func (s *sender) connect(number int, w *wired) (err error) {
	if w.fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
		w.fd = -1
		return err
	}
	patience := unix.NsecToTimeval(int64(answerLimit))
	if err := unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &patience); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(w.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return err
	}
	if err := dial(w.fd, &s.to); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if err := unix.SetNonblock(w.fd, true); err != nil {
		return err
	}
	return unix.EpollCtl(s.poll, unix.EPOLL_CTL_ADD, w.fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(number)})
}

// dial connects a socket. One that a signal interrupts, as Go's scheduler sends them, goes on by itself: connect(2).
func dial(fd int, to unix.Sockaddr) error {
	err := unix.Connect(fd, to)
	if err != unix.EINTR {
		return err
	}
	for err == unix.EINTR {
		_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(answerLimit.Milliseconds()))
	}
	if err != nil {
		return err
	}
	failed, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil || failed == 0 {
		return err
	}
	return unix.Errno(failed)
}

// read takes what came on a connection. One that ends while nothing is awaited is found out by the next request, as
// clients do that keep connections without looking at them.
func (s *sender) read(number int) {
	w := &s.wires[number]
	n, err := unix.Read(w.fd, w.reply.room())
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
	case !w.waiting:
		w.ended = true
		_ = unix.EpollCtl(s.poll, unix.EPOLL_CTL_DEL, w.fd, nil)
	case err != nil:
		s.finish(number, answer{}, err)
	case n == 0:
		s.finish(number, answer{}, errEnded)
	default:
		whole, err := w.reply.add(n)
		switch {
		case err != nil:
			s.finish(number, answer{}, err)
		case whole:
			s.finish(number, w.reply.finished(), nil)
		}
	}
}

// finish counts what came of a request.
func (s *sender) finish(number int, a answer, err error) {
	w := &s.wires[number]
	took := time.Since(w.due)
	s.tally.add(a, err, took, s.load.editions, w.place)
	if s.window != nil {
		s.window.times.add(took)
	}
	w.waiting = false
	if err != nil || w.reply.closes {
		w.close()
	}
	s.free = append(s.free, number)
}

// giveUp ends requests that were not answered in time.
func (s *sender) giveUp(now time.Time) {
	for number := range s.wires {
		if w := &s.wires[number]; w.waiting && now.Sub(w.sent) > answerLimit {
			s.finish(number, answer{}, fmt.Errorf("no answer within %v", answerLimit))
		}
	}
}

func (w *wired) close() {
	if w.fd >= 0 {
		_ = unix.Close(w.fd)
	}
	w.fd, w.ended = -1, false
}
