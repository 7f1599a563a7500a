package schema

import (
	"cmp"
	"strings"
)

// statuses are trading statuses as people and other programs write them, in lower case.
var statuses = map[string]string{
	"operational": "open", "active": "open", "current": "open", "currently open": "open", "open?": "open",
	"closed?": "closed", "permanently closed": "closed", "permanently_closed": "closed", "closed_permanently": "closed", "closed permanently": "closed",
	"ceased trading": "closed", "closed down": "closed", "shut": "closed", "disused": "closed", "demolished": "closed", "defunct": "closed",
	"out of business": "closed", "closed for good": "closed", "no longer trading": "closed",
	"surrendered": "closed", "lapsed": "closed", "revoked": "closed",
	"dauerhaft geschlossen": "closed", "fermé définitivement": "closed", "définitivement fermé": "closed", "cerrado permanentemente": "closed",
	"definitief gesloten": "closed", "chiuso definitivamente": "closed", "trvale zavřeno": "closed", "zamknięte na stałe": "closed",
	"vorübergehend geschlossen": "temporarily_closed", "fermé temporairement": "temporarily_closed", "cerrado temporalmente": "temporarily_closed",
	"tijdelijk gesloten": "temporarily_closed", "temporaneamente chiuso": "temporarily_closed", "dočasně zavřeno": "temporarily_closed",
	"temporarily closed": "temporarily_closed", "closed_temporarily": "temporarily_closed", "closed temporarily": "temporarily_closed",
}

// Status returns a trading status as snapshots have it: open, closed, temporarily_closed, or any other one as it is.
func Status(trading string) string { return cmp.Or(statuses[strings.ToLower(trading)], trading) }

// HasClosed reports whether a trading status says that a pub has closed, for good or for some time. Such a pub is never
// open: its hours are those of before.
func HasClosed(trading string) bool {
	return strings.Contains(strings.ToLower(Status(trading)), "closed")
}
