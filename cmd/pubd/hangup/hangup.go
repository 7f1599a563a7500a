// Package hangup receives SIGHUP from early on, so that a reload requested during the start does not end the program.
// The command serve reads [Signals] once it can load again; several signals that arrive before count as one. All other
// commands call [Restore] before they run: SIGHUP then ends them as it ends most programs, even one that has already
// arrived, unless it was ignored at the start, as by nohup.
//
// Go initialises packages in the order of their import paths, each once its imports are initialised. This one imports
// so little that it is initialised before most others, and it must stay that way. It is a package, and no file of
// main, because main is initialised last.
package hangup

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals receives SIGHUP; signals that arrive while one is pending count as one. Restore ends it.
var Signals = make(chan os.Signal, 1)

// ignored reports whether the program was started with SIGHUP ignored, as by nohup.
var ignored = signal.Ignored(syscall.SIGHUP)

func init() { signal.Notify(Signals, syscall.SIGHUP) }

// Restore restores the default effect of SIGHUP, and applies it to a pending one.
func Restore() {
	signal.Stop(Signals)
	select {
	case received := <-Signals:
		if !ignored {
			_ = syscall.Kill(os.Getpid(), received.(syscall.Signal))
		}
	default:
	}
}
