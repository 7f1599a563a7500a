// Package hours reads opening hours in OpenStreetMap's notation and says what is open when.
//
// It reads the subset that people write for pubs:
//
//	value = rule { (";" | "," | "||") rule } [";"]      "," begins a rule not before a time
//	rule  = [dates [":"]] [days [":"]] [times] [state] [comment]
//	dates = range {"," range}       Apr-Oct; Dec 24; Dec 24-Jan 2; Dec 24,26; Aug 10-15
//	days  = item {"," item}         Mo; Fr-Mo; PH; SH; "PH Mo" means both
//	times = "24/7" | span {"," span}
//	span  = time "-" time ["+"] | time "+"
//	state = "open" | "off" | "closed" | "unknown"
//
// Case, blanks, long dashes, longer names of days and months, 12.00 for 12:00 and 16-23 for 16:00-23:00 do not matter.
// An end of up to 48:00, or not after its start, is on the next day.
//
// A rule belongs to the days on which it begins, also with what runs past midnight: "Fr 12:00-02:00; Sa 12:00-20:00" is
// open on Saturday at 1:00. The specification of the notation says otherwise, but few people who write such values
// mean it. On its days a rule after ";" replaces the rules before, one after "," adds to them, and one after "||",
// with those added to it, fills what they leave closed. A rule without dates and days replaces only if the one before
// has none either. Where hours of a day overlap, the later ones in the value count. "off" clears the day, with times
// these.
//
// Unknown are hours with "unknown" or with a comment and no state, days without times and state, and what follows an
// open end ("17:00+"). Calendars of holidays are not known: PH and SH are never.
package hours
