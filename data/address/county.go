package address

import (
	"slices"
	"strings"
)

// counties has the names of counties by their folded spellings: those of the United Kingdom, their abbreviations and
// Welsh forms, islands, and authorities whose name is not a town's. The counties of Ireland are told by their "Co.".
var counties = countyTable(`
Aberdeenshire
Anglesey, Isle of Anglesey, Ynys Mon, Sir Ynys Mon
Angus
Argyll and Bute
Argyll, Argyllshire
Avon
Ayrshire
Banffshire
Bath and North East Somerset, BANES
Bedfordshire, Beds
Berkshire, Berks
Berwickshire
Blaenau Gwent
Brighton and Hove
Buckinghamshire, Bucks
Caithness
Calderdale
Cambridgeshire, Cambs
Carmarthenshire, Sir Gaerfyrddin, Sir Gar, Carms
Central Bedfordshire
Ceredigion
Cheshire East
Cheshire West and Chester
Cheshire, Ches
Clackmannanshire
Cleveland
Clwyd
Cornwall
County Antrim, Antrim County
County Armagh
County Down
County Durham
County Fermanagh
County Londonderry
County Tyrone
Cumberland
Cumbria
Denbighshire, Sir Ddinbych
Derbyshire, Derbys
Devon, Devonshire
Dorset
Dumfries and Galloway
Dumfriesshire
Dunbartonshire
Dyfed
East Ayrshire
East Dunbartonshire
East Lothian
East Renfrewshire
East Riding of Yorkshire, East Yorkshire, East Riding, E Yorkshire, E Yorks, East Yorks
East Sussex, E Sussex
Essex
Fife
Flintshire, Sir y Fflint
Forest of Dean
Glamorgan
Gloucestershire, Glos
Greater London
Greater Manchester, Gtr Manchester
Gwent
Gwynedd
Hammersmith and Fulham
Hampshire, Hants
Herefordshire
Hertfordshire, Herts
Highland, Highlands
Humberside, North Humberside, South Humberside
Huntingdonshire
Inverclyde
Inverness-shire
Isle of Arran
Isle of Bute
Isle of Cumbrae
Isle of Islay
Isle of Lewis
Isle of Mull
Isle of Sheppey
Isle of Skye
Isle of Wight, IOW
Isles of Scilly
Kensington and Chelsea
Kent
Kincardineshire
Kinross-shire
Kirklees
Knowsley
Lanarkshire
Lancashire, Lancs
Leicestershire, Leics
Lincolnshire, Lincs
Merseyside
Mid Glamorgan
Middlesex, Middx
Midlothian
Monmouthshire, Sir Fynwy
Moray, Morayshire
Neath Port Talbot
Norfolk
North Ayrshire
North East Lincolnshire, NE Lincolnshire
North East Somerset
North Lanarkshire
North Lincolnshire, North Lincs, N Lincolnshire
North Somerset
North Tyneside
North Wales
North Yorkshire, N Yorkshire, N Yorks, North Yorks
Northamptonshire, Northants
Northumberland
Nottinghamshire, Notts
Orkney, Orkney Islands, Orkney Isles
Oxfordshire, Oxon
Peeblesshire
Pembrokeshire, Sir Benfro, Pembs
Perth and Kinross
Perthshire
Powys
Renfrewshire
Rhondda Cynon Taf, Rhondda Cynon Taff, RCT
Ross-shire
Roxburghshire
Rutland
Sandwell
Scottish Borders
Selkirkshire
Shetland, Shetland Islands, Shetland Isles
Shropshire, Salop
Somerset, Som
South Ayrshire
South Glamorgan
South Gloucestershire, South Glos
South Lanarkshire
South Staffordshire
South Tyneside
South Wales
South Yorkshire, S Yorkshire, S Yorks, South Yorks
Staffordshire, Staffs
Stirlingshire
Suffolk
Surrey
Sussex
Sutherland
Tameside
Telford and Wrekin
Torbay
Torfaen
Tower Hamlets
Tyne and Wear, Tyne Wear
Tyneside
Vale of Glamorgan, Bro Morgannwg
Waltham Forest
Warwickshire, Warks
West Berkshire
West Dunbartonshire
West Glamorgan
West Lothian
West Midlands, W Midlands, West Mids
West Sussex, W Sussex
West Yorkshire, W Yorkshire, W Yorks, West Yorks
Westmorland
Wigtownshire
Wiltshire, Wilts
Worcestershire, Worcs
Yorkshire, Yorks
`)

// countyTable reads a table with a county in each line: its name and then, after commas, other spellings.
func countyTable(lines string) map[string]string {
	table := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		name, _, _ := strings.Cut(line, ",")
		for spelling := range strings.SplitSeq(line, ",") {
			table[fold(spelling)] = name
		}
	}
	return table
}

// countyEndings are the last words of all counties and countries.
var countyEndings = func() set {
	s := set{}
	for key := range counties {
		s[lastWord(key)] = true
	}
	for key := range countries {
		s[lastWord(key)] = true
	}
	return s
}()

// longCounties are the folded spellings of two words or more, in order.
var longCounties = func() []string {
	var long []string
	for key := range counties {
		if strings.Contains(key, " ") {
			long = append(long, key)
		}
	}
	slices.Sort(long)
	return long
}()

// wholeCounty returns the county that a whole part of an address names, or "".
func wholeCounty(key string) string {
	if name := counties[key]; name != "" {
		return name
	}
	if rest, ok := strings.CutPrefix(key, "co "); ok {
		key = "county " + rest
	}
	if name := counties[key]; name != "" {
		return name
	}
	if rest, ok := strings.CutPrefix(key, "county "); ok && rest != "" && strings.Count(rest, " ") < 2 {
		return "County " + capitalised(rest)
	}
	if council, ok := strings.CutSuffix(key, " council"); ok {
		return capitalised(council)
	}
	// Lists cut addresses off at a length of theirs: West Mid. Seven letters exclude East and West L.
	if len(key) >= 7 && strings.Contains(key, " ") {
		if at, _ := slices.BinarySearch(longCounties, key); at < len(longCounties) && strings.HasPrefix(longCounties[at], key) {
			return counties[longCounties[at]]
		}
	}
	return ""
}

// withoutCounties removes the countries and counties at the end of an address, and returns the last county removed. A
// county may lack its comma: Ashton Lancs.
func withoutCounties(pieces [][]string) (rest [][]string, county string) {
	for len(pieces) > 0 {
		end := len(pieces) - 1
		said, words := countyWords(pieces[end], len(pieces) > 1)
		if words == 0 {
			break
		}
		if said != "" {
			county = said
		}
		if kept := len(pieces[end]) - words; kept > 0 {
			pieces[end] = pieces[end][:kept]
		} else {
			pieces = pieces[:end]
		}
	}
	return pieces, county
}

// countyWords returns how many words at the end of a piece are a county or a country, at most all, and the county. A
// code of two letters counts as a county without a name, if another piece stands before it.
func countyWords(fields []string, several bool) (county string, words int) {
	n := len(fields)
	if n == 0 || n > maxWords {
		return "", 0
	}
	key := fold(strings.Join(fields, " "))
	if county = wholeCounty(key); county != "" || countries[key] {
		return county, n
	}
	if code := strings.TrimRight(key, "0123456789 "); several && len(code) == 2 {
		return "", n
	}
	if !countyEndings.has(fields[n-1]) {
		return "", 0
	}
	const longest = 6 // words: Bath and North East Somerset
	for words = min(n-1, longest); words > 0; words-- {
		key, before := fold(strings.Join(fields[n-words:], " ")), fields[n-words-1]
		county = counties[key]
		if county == "" && !countries[key] || particles.has(before) || words == 1 && qualifiers.has(before) {
			continue // Bradford on Avon
		}
		return county, words
	}
	return "", 0
}
