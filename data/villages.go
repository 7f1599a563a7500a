package data

// englishAffixes: words before the name of an English village.
var englishAffixes = []string{
	"Great", "Little", "Upper", "Lower", "North", "South", "East", "West", "Nether", "Over", "Long", "High",
	"Church", "Castle", "Kings", "Abbots", "Bishops", "Steeple", "Market", "Old",
}

// englishTails: words after the name of an English village.
var englishTails = []string{
	"-on-the-Hill", "-on-the-Water", "-in-the-Marsh", "-in-the-Vale", "-under-Edge", " St Mary", " St Peter",
	" Magna", " Parva", " Green", " Common", " End", " Cross", " Heath", " Bridge", " Regis", " Abbas", " Park",
	"-by-the-Sea", " Bottom",
}

// englishRoots: first parts of the names of English villages.
var englishRoots = []string{
	"Ash", "Thorn", "Stan", "Hol", "Bram", "Whit", "Wood", "Hart", "Ling", "Mar", "Brad", "Hay", "El", "Chal",
	"Ald", "Har", "Wal", "Nor", "Sut", "Wes", "Cal", "Dun", "Bark", "Ox", "Swin", "Lang", "Kel", "Cran",
	"Hawks", "Rad", "Hamble", "Wimble", "Thistle", "Bexing", "Wen", "Pick", "Fern", "Broad", "Clay", "Sher",
	"Cattis", "Wither", "Ember", "Melling", "Gras", "Brock", "Quarring", "Thax", "Uffing", "Wolver", "Bur",
	"Ches", "Tad", "Orm", "Ris", "Scar", "Hazel", "Elm", "Maple", "Birch",
}

// englishSuffixes: second parts of the names of English villages.
var englishSuffixes = []string{
	"ton", "ham", "ley", "ford", "worth", "wick", "field", "den", "hurst", "stead", "well", "bury", "bourne",
	"combe", "don", "stone", "low", "mere", "bridge", "well",
}

// norseSuffixes: second parts of the names of villages in the north and east of England.
var norseSuffixes = []string{
	"by", "thorpe", "thwaite", "ton", "ham", "ley", "wick", "toft", "dale", "holme", "gill", "beck", "kirk",
	"scale", "ton", "by",
}

// cornishRoots: first parts of the names of Cornish villages.
var cornishRoots = []string{
	"Tre", "Pol", "Pen", "Lan", "Ros", "Porth", "Car", "Bos", "Chy", "St ", "Nan", "Ty",
}

// cornishSuffixes: second parts of the names of Cornish villages.
var cornishSuffixes = []string{
	"wen", "garth", "zance", "gooth", "mellin", "veor", "vean", "loe", "worgan", "bithick", "gwidden", "nance",
	"morvah", "levan", "rock", "keverne", "merrin", "garrow", "withan", "noweth",
}

// welshRoots: first parts of the names of Welsh villages.
var welshRoots = []string{
	"Llan", "Aber", "Pen-y-", "Pont", "Rhyd-y-", "Tre", "Cwm", "Bryn", "Nant-y-", "Maes-y-", "Ynys-", "Caer",
	"Bont-", "Capel ",
}

// welshSuffixes: second parts of the names of Welsh villages.
var welshSuffixes = []string{
	"fair", "badarn", "deilo", "wenog", "dewi", "groes", "graig", "felin", "coed", "gwyn", "glas", "melyn",
	"afon", "mawr", "fach", "wern", "rhos", "teifi", "ddol", "garreg", "gwynt", "mynach", "eglwys", "haf",
}

// scottishRoots: first parts of the names of Scottish villages.
var scottishRoots = []string{
	"Inver", "Kil", "Auchter", "Bal", "Strath", "Glen", "Aber", "Dal", "Pit", "Drum", "Ard", "Loch", "Kirk",
	"Auchin", "Dun", "Kin", "Tulli", "Craig",
}

// scottishSuffixes: second parts of the names of Scottish villages.
var scottishSuffixes = []string{
	"more", "garry", "bride", "mally", "kenny", "gask", "tulloch", "rossie", "murchie", "blair", "cairn",
	"dour", "loan", "muir", "caldy", "ness", "dow", "ochie", "lairg", "tarvit", "bervie", "arder",
}

// scottishAffixes: words before the name of a Scottish village.
var scottishAffixes = []string{
	"Bridge of ", "Kirkton of ", "Mains of ", "Easter ", "Wester ", "Old ", "Nether ", "Mill of ",
}

// irishRoots: first parts of the names of Irish villages.
var irishRoots = []string{
	"Bally", "Kil", "Clon", "Rath", "Drum", "Knock", "Carrick", "Dun", "Lis", "Augh", "Castle", "Tober", "Glen",
	"Innis", "Ard", "Mullagh", "Derry", "Cloon",
}

// irishSuffixes: second parts of the names of Irish villages.
var irishSuffixes = []string{
	"more", "beg", "keeran", "macoda", "na", "duff", "bawn", "roe", "gowan", "killen", "nagh", "meen", "lahan",
	"connell", "brack", "shane", "tubber", "eragh", "carra", "vaughan", "glass", "doran", "finn",
}

// quarters: districts of towns that have none of their own in the table.
var quarters = []string{
	"Old Town", "Northgate", "Castle Quarter", "St Mary's", "St Peter's", "West End", "East End", "Town End",
	"Station Road", "Abbey", "Riverside", "The Green", "Market Place", "New Town", "Southgate", "Priory",
	"Mill Hill", "Church End", "Spring Gardens", "Victoria Park", "Newtown", "The Quay", "Bridge End",
	"Highfield",
}

// sides: what stands before the name of a town in the name of its districts.
var sides = []string{"North ", "South ", "East ", "West ", "Upper ", "Lower "}

// ferries: neighbouring towns with only water between them, at least in a straight line.
var ferries = [][2]string{
	{"Hull", "Grimsby"}, {"Lancaster", "Ulverston"}, {"Lancaster", "Barrow-in-Furness"},
	{"Morecambe", "Ulverston"}, {"Morecambe", "Barrow-in-Furness"}, {"Fleetwood", "Barrow-in-Furness"},
	{"Fleetwood", "Morecambe"}, {"Barrow-in-Furness", "Blackpool"}, {"Workington", "Castle Douglas"},
	{"Castle Douglas", "Cockermouth"}, {"Castle Douglas", "Whitehaven"}, {"Dumfries", "Workington"},
	{"Dumfries", "Cockermouth"}, {"Redcar", "Seaham"}, {"Skegness", "Hunstanton"},
	{"Clacton-on-Sea", "Burnham-on-Crouch"}, {"Lymington", "Newport"}, {"Lymington", "Cowes"},
	{"Portsmouth", "Ryde"}, {"Gosport", "Ryde"}, {"Gosport", "Cowes"}, {"Fareham", "Cowes"},
	{"Southampton", "Cowes"}, {"Sheerness", "Southend-on-Sea"}, {"Sheerness", "Canvey Island"},
	{"Harwich", "Felixstowe"}, {"Weston-super-Mare", "Cardiff"}, {"Weston-super-Mare", "Barry"},
	{"Weston-super-Mare", "Newport"}, {"Minehead", "Barry"}, {"Clevedon", "Newport"}, {"Clevedon", "Cardiff"},
	{"Clevedon", "Barry"}, {"Portishead", "Newport"}, {"Portishead", "Chepstow"}, {"Burnham-on-Sea", "Barry"},
	{"Ilfracombe", "Swansea"}, {"Thornbury", "Chepstow"}, {"Yate", "Chepstow"}, {"Penzance", "Hugh Town"},
	{"Swanage", "Christchurch"}, {"Torquay", "Exmouth"}, {"Holyhead", "Pwllheli"}, {"Holyhead", "Conwy"},
	{"Aberystwyth", "Harlech"}, {"Tenby", "Llanelli"}, {"Pwllheli", "Harlech"}, {"Pwllheli", "Barmouth"},
	{"Edinburgh", "Kirkcaldy"}, {"Aberdeen", "Montrose"}, {"Aberdeen", "Peterhead"}, {"Ayr", "Brodick"},
	{"Irvine", "Brodick"}, {"Kirkcaldy", "Musselburgh"}, {"Kirkcaldy", "Dalkeith"},
	{"Kirkcaldy", "North Berwick"}, {"Arbroath", "St Andrews"}, {"Arbroath", "Cupar"},
	{"Arbroath", "Stonehaven"}, {"St Andrews", "North Berwick"}, {"Montrose", "St Andrews"},
	{"Forfar", "St Andrews"}, {"Oban", "Tobermory"}, {"Thurso", "Kirkwall"}, {"Wick", "Kirkwall"},
	{"Portree", "Mallaig"}, {"Nairn", "Tain"}, {"Elgin", "Tain"}, {"Campbeltown", "Brodick"},
	{"Campbeltown", "Girvan"}, {"Campbeltown", "Bowmore"}, {"Campbeltown", "Rothesay"}, {"Rothesay", "Largs"},
	{"Rothesay", "Brodick"}, {"Rothesay", "Inveraray"}, {"Brodick", "Largs"}, {"Brodick", "Girvan"},
	{"Tobermory", "Mallaig"}, {"Tobermory", "Fort William"}, {"Inveraray", "Greenock"},
	{"Inveraray", "Helensburgh"}, {"Greenock", "Helensburgh"}, {"Greenock", "Dunoon"}, {"Largs", "Dunoon"},
	{"Largs", "Helensburgh"}, {"Helensburgh", "Dunoon"}, {"Rothesay", "Dunoon"}, {"Bangor", "Larne"},
	{"Bangor", "Carrickfergus"}, {"Newtownards", "Carrickfergus"}, {"Magherafelt", "Lurgan"},
	{"Cookstown", "Lurgan"}, {"Antrim", "Magherafelt"}, {"Buncrana", "Coleraine"}, {"Buncrana", "Limavady"},
	{"Buncrana", "Portrush"}, {"Sligo", "Killybegs"}, {"Killybegs", "Bundoran"}, {"Killybegs", "Ballyshannon"},
	{"Donegal", "Bundoran"}, {"Donegal", "Killybegs"}, {"Ballina", "Sligo"}, {"Westport", "Belmullet"},
	{"Galway", "Lisdoonvarna"}, {"Dingle", "Cahersiveen"}, {"Dingle", "Kenmare"}, {"Cahersiveen", "Tralee"},
	{"Kilrush", "Tralee"}, {"Kilrush", "Listowel"}, {"Dundalk", "Newcastle"}, {"Wexford", "Tramore"},
}
