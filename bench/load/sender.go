package load

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A sender sends a load from one thread, over connections that it polls: a goroutine for each connection takes as much of the
// machine as the server does.
type sender struct {
	load     *Load
	requests [][]byte
	to       unix.SockaddrInet4
	poll     int // the descriptor of epoll(7); -1 before open
	conns    []conn
	free     []int // connections that wait for no answer
	tally    *Tally
}

// A conn is one connection. It is made when it is needed, and again when it has ended.
type conn struct {
	fd      int // -1 is none
	ended   bool
	waiting bool
	reply   reply
	target  int // whose answer is awaited
	due     time.Time
	sent    time.Time
}

func newSender(l *Load) *sender {
	connections := l.Connections
	if connections == 0 {
		connections = 64
	}
	s := &sender{load: l, poll: -1, conns: make([]conn, connections), tally: NewTally()}
	last := ""
	if l.Once {
		last = "Connection: close\r\n"
	}
	for _, target := range l.Targets {
		s.requests = append(s.requests, fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\n%s\r\n", target, l.Key, last))
	}
	for i := range s.conns {
		s.conns[i].fd = -1
		s.free = append(s.free, i)
	}
	return s
}

func (s *sender) open() (err error) {
	address, err := netip.ParseAddrPort(s.load.Address)
	if err != nil {
		return err
	}
	s.to = unix.SockaddrInet4{Port: int(address.Port()), Addr: address.Addr().As4()}
	s.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	return err
}

func (s *sender) close() {
	for i := range s.conns {
		s.conns[i].close()
	}
	if s.poll >= 0 {
		_ = unix.Close(s.poll)
	}
}

// pause is how long a sender sleeps before it looks again for requests that are due and answers that came. That both are seen late
// counts as time of the answers; a sender that is woken by each takes twice as much of the machine.
const pause = 200 * time.Microsecond

func (s *sender) run(ctx context.Context, begun time.Time) {
	runtime.LockOSThread() // or Go moves it to another thread with every sleep
	defer runtime.UnlockOSThread()
	events := make([]unix.EpollEvent, 256)
	looked, due := begun, begun
	for sent := 0; ; {
		now := time.Now()
		over := ctx.Err() != nil || s.load.Duration > 0 && due.Sub(begun) >= s.load.Duration
		idle := len(s.free) == len(s.conns)
		if idle && over {
			return
		}
		for !over && len(s.free) > 0 && !due.After(now) {
			s.ask(sent%len(s.requests), due)
			sent++
			if s.load.Rate > 0 {
				due = begun.Add(time.Duration(float64(sent) / s.load.Rate * float64(time.Second)))
				over = s.load.Duration > 0 && due.Sub(begun) >= s.load.Duration
			} else {
				due = now
			}
		}
		if s.load.Rate == 0 {
			due = now
		}
		if now.Sub(looked) > time.Second {
			looked = now
			s.giveUp(now)
		}
		wait := 0
		switch {
		case s.load.Rate == 0:
			wait = 100 // milliseconds, or until the next answer
		case idle:
			sleep(min(max(pause, due.Sub(now)), 10*time.Millisecond))
		default:
			sleep(pause)
		}
		n, _ := unix.EpollWait(s.poll, events, wait)
		for _, event := range events[:max(0, n)] {
			s.read(int(event.Fd))
		}
	}
}

// sleep is more exact than time.Sleep, which counts in milliseconds.
func sleep(d time.Duration) {
	spec := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&spec, nil)
}

// ask sends a request on a free connection.
func (s *sender) ask(target int, due time.Time) {
	number := s.free[0] // the one that waits longest, so that none is idle until the server ends it
	s.free = s.free[1:]
	c := &s.conns[number]
	c.waiting, c.target, c.due, c.sent = true, target, due, time.Now()
	c.reply.reset()
	if err := s.write(number, c); err != nil {
		s.finish(number, err)
	}
}

func (s *sender) write(number int, c *conn) error {
	if c.ended {
		return errEnded
	}
	if c.fd < 0 {
		if err := s.connect(number, c); err != nil {
			return err
		}
	}
	n, err := unix.Write(c.fd, s.requests[c.target])
	for err == unix.EINTR { // nothing was written
		n, err = unix.Write(c.fd, s.requests[c.target])
	}
	if err == nil && n < len(s.requests[c.target]) {
		err = errors.New("the server takes no request")
	}
	return err
}

func (s *sender) connect(number int, c *conn) (err error) {
	if c.fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
		c.fd = -1
		return err
	}
	patience := unix.NsecToTimeval(int64(Limit))
	if err := unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &patience); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(c.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return err
	}
	if err := dial(c.fd, &s.to); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if err := unix.SetNonblock(c.fd, true); err != nil {
		return err
	}
	return unix.EpollCtl(s.poll, unix.EPOLL_CTL_ADD, c.fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(number)})
}

// dial connects a socket. One that a signal interrupts, as Go's scheduler sends them, goes on by itself: connect(2).
func dial(fd int, to unix.Sockaddr) error {
	err := unix.Connect(fd, to)
	if err != unix.EINTR {
		return err
	}
	for err == unix.EINTR {
		_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(Limit.Milliseconds()))
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

// read takes what came on a connection. One that ends while nothing is awaited is found out by the next request, as clients do that
// keep connections without looking at them.
func (s *sender) read(number int) {
	c := &s.conns[number]
	n, err := unix.Read(c.fd, c.reply.free())
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
	case !c.waiting:
		c.ended = true
		_ = unix.EpollCtl(s.poll, unix.EPOLL_CTL_DEL, c.fd, nil)
	case err != nil:
		s.finish(number, err)
	case n == 0:
		s.finish(number, errEnded)
	default:
		if whole, err := c.reply.add(n); whole || err != nil {
			s.finish(number, err)
		}
	}
}

// finish counts what came of a request.
func (s *sender) finish(number int, err error) {
	c := &s.conns[number]
	if err != nil {
		s.tally.broken(err)
	} else {
		s.tally.record(time.Since(c.due))
		s.tally.check(&c.reply, s.load.Snapshots, c.target)
	}
	c.waiting = false
	if err != nil || c.reply.closes {
		c.close()
	}
	s.free = append(s.free, number)
}

// giveUp ends requests that were not answered in time.
func (s *sender) giveUp(now time.Time) {
	for number := range s.conns {
		if c := &s.conns[number]; c.waiting && now.Sub(c.sent) > Limit {
			s.finish(number, fmt.Errorf("no answer within %v", Limit))
		}
	}
}

func (c *conn) close() {
	if c.fd >= 0 {
		_ = unix.Close(c.fd)
	}
	c.fd, c.ended = -1, false
}
