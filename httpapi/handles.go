package httpapi

// File descriptors reserved for health checks, the log and reloads, which must work when the connections of the API have used up theirs.
const (
	// ownHandles is for the standard streams (3), the poller of the Go runtime (2), the two listeners, a data and a key file being read,
	// and some that libraries open for a moment.
	ownHandles = 16
	// adminConnections is the maximum number of connections to the admin address. Each may need a second descriptor: a request for /metrics
	// reads files of /proc, one at a time.
	adminConnections = 16

	spareHandles = ownHandles + 2*adminConnections
)
