package httpapi

// Traffic is what a server has taken on, for metrics.
type Traffic struct {
	InFlight, InFlightLimit int64  // bytes of large responses that are held for clients, and their limit
	Overloaded              uint64 // requests rejected because too many bytes or too much work were under way
	Connections             int
	ConnectionLimit         int
	Refused                 uint64 // connections closed at once, because there were too many
}
