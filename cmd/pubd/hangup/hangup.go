// Package hangup receives SIGHUP from early in the start of the program on, so that a reload asked for while it starts does not
// end it.
//
// Go initialises packages in the order of their import paths, each as soon as those that it imports are. This one imports so
// little that it is initialised before most others: it must stay so.
package hangup

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals receives SIGHUP; those that arrive before one has been received are one. Restore ends it.
var Signals = make(chan os.Signal, 1)

// ignored is whether the parent of the program had it ignore SIGHUP, as nohup does.
var ignored = signal.Ignored(syscall.SIGHUP)

func init() { signal.Notify(Signals, syscall.SIGHUP) }

// Restore gives SIGHUP back its effect at the start of the program, and that to one that has arrived since.
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
