package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// While a start waits, whatever for, SIGTERM and SIGINT end it at once, and SIGHUP has everything read again later.
func TestSignalsWhileStarting(t *testing.T) {
	t.Parallel()
	keyFile := filepath.Join(t.TempDir(), "keys")
	addKey(t, keyFile, "app")
	asked, release := make(chan struct{}, 10), make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-release:
			http.ServeFile(w, r, keyFile)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(web.Close)
	logo := filepath.Join(t.TempDir(), "logo.svg")
	linkTo(t, kernelLog, logo)
	waitForKeys := func(*process) { <-asked }
	waitForLogo := func(p *process) {
		eventually(t, "the logo is opened", func() bool {
			files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.command.Process.Pid))
			return slices.ContainsFunc(files, func(file string) bool {
				target, _ := os.Readlink(file)
				return target == kernelLog
			})
		})
	}
	for _, c := range []struct {
		flag   string
		wait   func(*process)
		signal os.Signal
	}{
		{"--keys=" + web.URL + "/keys", waitForKeys, syscall.SIGTERM},
		{"--keys=" + web.URL + "/keys", waitForKeys, syscall.SIGINT},
		{"--logo=" + logo, waitForLogo, syscall.SIGTERM},
	} {
		t.Run(fmt.Sprintf("%.6s %v", c.flag, c.signal), func(t *testing.T) {
			if c.flag == "--logo="+logo {
				needKernelLog(t)
			}
			p := start(t, pubd(anywhere(c.flag)...))
			c.wait(p)
			p.signal(c.signal)
			p.exit(testPatience, exitOK)
		})
	}
	p := start(t, pubd(anywhere("--keys="+web.URL+"/keys")...))
	<-asked
	p.signal(syscall.SIGHUP)
	close(release)
	p.await()
	eventually(t, "keys read again", func() bool { return p.reloads("keys", "ok") == 2 })
}

// A server that ends waits a moment for the reader of what it prints.
func TestPrintedWhileNobodyReads(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	ok(t, err)
	defer r.Close()
	_, err = unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize())
	ok(t, err)
	_, err = w.Write(make([]byte, os.Getpagesize())) // it is full
	ok(t, err)
	command := pubd(anywhere("--data", write(t, "pubs.csv", pubs(3, "a")))...)
	command.Stdout = w
	p := start(t, command)
	w.Close()
	p.await()
	p.signal(syscall.SIGTERM)
	eventually(t, "stopped", func() bool { return p.stderr.count("stopped") == 1 })
	printed, err := io.ReadAll(r)
	ok(t, err)
	contains(t, "printed", string(printed), "pubd is serving 3 pubs")
}
