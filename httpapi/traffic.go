package httpapi

// Traffic is the state of the connections of clients, for metrics.
type Traffic struct {
	InFlight, InFlightLimit int64  // bytes of large responses that are held for clients, and their limit
	Overloaded              uint64 // large responses rejected because too many were in flight
	Connections             int
	ClosedSlow, ClosedIdle  uint64 // connections closed to make room, by reason
}

// Traffic returns the state of the connections.
func (s *Service) Traffic() Traffic {
	f := s.budget.report()
	t := Traffic{InFlight: f.held, InFlightLimit: s.budget.limit, Overloaded: f.rejected, ClosedSlow: f.dropped}
	if l := s.listener.Load(); l != nil {
		t.Connections, t.ClosedIdle = l.report()
	}
	return t
}
