package httpapi

// File descriptors that connections of the API never use, so that health checks, the log and reloads work when these have used up
// theirs.
const (
	// ownHandles are the standard streams (3), the poller of the Go runtime (2), the two listeners, a data and a key file being
	// read, and some that libraries open for a moment.
	ownHandles = 16
	// adminConnections is how many connections the admin address has at once. Each may need a second handle: a request for
	// /metrics reads files of /proc, one after the other.
	adminConnections = 16

	spareHandles = ownHandles + 2*adminConnections
)
