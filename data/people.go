package data

// englishNames: first names of England.
var englishNames = []string{
	"Alfred", "Arthur", "Albert", "Annie", "Bertie", "Betty", "Charlie", "Charlotte", "Clara", "Daisy", "Dolly",
	"Edith", "Edward", "Elsie", "Emily", "Ernest", "Flo", "Frank", "Fred", "George", "Gertie", "Grace",
	"Harold", "Harriet", "Harry", "Henry", "Herbert", "Ivy", "Jack", "James", "Jim", "Joe", "John", "Kitty",
	"Len", "Lily", "Lizzie", "Mabel", "Maggie", "Martha", "Mary", "Maud", "Nancy", "Nell", "Ned", "Olive",
	"Percy", "Polly", "Ralph", "Reg", "Robert", "Rosie", "Ruby", "Sally", "Sam", "Sid", "Stan", "Ted", "Thomas",
	"Tilly", "Tom", "Vera", "Violet", "Walter", "Will", "William", "Winnie", "Chloë", "Zoë",
}

// englishFamilies: family names of England.
var englishFamilies = []string{
	"Abbott", "Adams", "Allen", "Appleby", "Archer", "Armitage", "Arnold", "Ashworth", "Atkinson", "Bagshaw",
	"Bailey", "Baker", "Baldwin", "Barker", "Barlow", "Barnes", "Barnett", "Barraclough", "Bates", "Baxter",
	"Bennett", "Bentley", "Berry", "Birch", "Bird", "Bishop", "Blackburn", "Blake", "Booth", "Bostock",
	"Boswell", "Bowen", "Bradley", "Bradshaw", "Braithwaite", "Bramley", "Briggs", "Broadbent", "Brook",
	"Brown", "Buckley", "Burgess", "Burton", "Butcher", "Butler", "Butterworth", "Carter", "Cartwright",
	"Chadwick", "Chambers", "Chapman", "Clayton", "Clegg", "Clifford", "Clough", "Coates", "Cole", "Coleman",
	"Compton", "Cook", "Cooper", "Corbett", "Coulson", "Cox", "Crabtree", "Craven", "Croft", "Crompton",
	"Crowther", "Cunliffe", "Curtis", "Dawson", "Dean", "Denham", "Dent", "Dixon", "Dobson", "Drake",
	"Duckworth", "Eastwood", "Eccles", "Ellis", "Emmett", "Entwistle", "Fairfax", "Farrar", "Fawcett",
	"Fielding", "Firth", "Fletcher", "Foster", "Fowler", "Frost", "Garside", "Gibson", "Gilbert", "Goddard",
	"Goodwin", "Grainger", "Greenhalgh", "Greenwood", "Haigh", "Hall", "Hammond", "Hargreaves", "Harper",
	"Harrington", "Hartley", "Hawkins", "Haworth", "Heap", "Hepworth", "Hewitt", "Higgins", "Hobson", "Holden",
	"Holgate", "Holroyd", "Holt", "Horsfall", "Howarth", "Hudson", "Hunter", "Ingham", "Jackson", "Jarvis",
	"Jessop", "Jewell", "Kershaw", "Kirkby", "Knight", "Langley", "Lister", "Lockwood", "Lumb", "Marsden",
	"Marshall", "Mason", "Mellor", "Metcalfe", "Midgley", "Mitchell", "Moorhouse", "Mortimer", "Naylor",
	"Newton", "Norris", "Nuttall", "Oakley", "Ogden", "Oldroyd", "Ormerod", "Osborne", "Palmer", "Parkinson",
	"Pearson", "Pemberton", "Penrose", "Pickles", "Pilkington", "Pollard", "Potter", "Prescott", "Preston",
	"Quick", "Radcliffe", "Ramsbottom", "Rawlings", "Redfern", "Rhodes", "Richardson", "Riley", "Robinson",
	"Rowbotham", "Sanderson", "Schofield", "Shaw", "Shuttleworth", "Sidebottom", "Simpson", "Skinner", "Slater",
	"Spencer", "Stafford", "Stott", "Sugden", "Sutcliffe", "Sykes", "Tattersall", "Taylor", "Tetley",
	"Thackray", "Thornton", "Thwaite", "Tordoff", "Townsend", "Tremayne", "Trevithick", "Turner", "Underwood",
	"Varley", "Wadsworth", "Wainwright", "Walker", "Walton", "Warburton", "Warner", "Waterhouse", "Watkinson",
	"Webster", "Wheeler", "Whitaker", "Whittle", "Wilkinson", "Winterbottom", "Woodhouse", "Worthington",
	"Wright", "Yates",
}

// scottishNames: first names of Scotland.
var scottishNames = []string{
	"Alasdair", "Angus", "Archie", "Bella", "Calum", "Dougal", "Donald", "Duncan", "Effie", "Ewan", "Fergus",
	"Flora", "Fraser", "Gordon", "Hamish", "Hector", "Iain", "Isla", "Jeannie", "Jessie", "Jock", "Kenny",
	"Lachlan", "Maggie", "Mairi", "Malcolm", "Morag", "Murdo", "Rab", "Rory", "Sandy", "Shona", "Wallace",
	"Wullie",
}

// scottishFamilies: family names of Scotland.
var scottishFamilies = []string{
	"Abercrombie", "Anderson", "Baird", "Balfour", "Bruce", "Buchanan", "Burns", "Cameron", "Campbell",
	"Carnegie", "Cochrane", "Crawford", "Cunningham", "Dalgleish", "Douglas", "Drummond", "Dunbar", "Duncan",
	"Farquhar", "Ferguson", "Forbes", "Fraser", "Galbraith", "Galloway", "Gillespie", "Gordon", "Graham",
	"Grant", "Guthrie", "Hamilton", "Hogg", "Innes", "Irvine", "Johnstone", "Keith", "Kerr", "Lamont",
	"Lindsay", "Lockhart", "MacAlister", "MacDonald", "MacDougall", "MacGregor", "MacIntyre", "MacKay",
	"MacKenzie", "MacLean", "MacLeod", "MacNab", "MacNeil", "MacPherson", "MacRae", "MacTavish", "McBride",
	"McCallum", "McEwan", "McKechnie", "McLaren", "McPhee", "Maxwell", "Menzies", "Moncrieff", "Montgomery",
	"Munro", "Murray", "Napier", "Ogilvie", "Ramsay", "Robertson", "Ross", "Rutherford", "Scott", "Sinclair",
	"Stewart", "Strachan", "Sutherland", "Urquhart", "Wallace", "Wemyss",
}

// welshNames: first names of Wales.
var welshNames = []string{
	"Siân", "Siôn", "Dafydd", "Dai", "Rhys", "Dylan", "Gethin", "Carys", "Elen", "Siwan", "Mair", "Nerys",
	"Ceri", "Llŷr", "Gwen", "Gareth", "Huw", "Ieuan", "Ifan", "Megan", "Myfanwy", "Owain", "Bronwen", "Blodwen",
	"Emrys", "Geraint", "Gwyn", "Idris", "Iolo", "Nia", "Taliesin", "Twm",
}

// welshFamilies: family names of Wales.
var welshFamilies = []string{
	"Bevan", "Bowen", "Davies", "Edwards", "Evans", "Glyn", "Griffiths", "Gwynne", "Harries", "Howell",
	"Hughes", "Jenkins", "Jones", "Lewis", "Llewellyn", "Lloyd", "Meredith", "Morgan", "Morris", "Mostyn",
	"Nevill", "Owen", "Parry", "Phillips", "Powell", "Price", "Pritchard", "Probert", "Prosser", "Pugh", "Rees",
	"Rhydderch", "Roberts", "Rowlands", "Thomas", "Tudor", "Vaughan", "Watkins", "Williams", "Wynne",
}

// irishNames: first names of Ireland.
var irishNames = []string{
	"Aoife", "Áine", "Barney", "Biddy", "Brendan", "Bríd", "Bridie", "Ciarán", "Christy", "Colm", "Cormac",
	"Cáit", "Daithí", "Danny", "Declan", "Delia", "Dermot", "Dónal", "Donncha", "Éamonn", "Eileen", "Fergal",
	"Fionn", "Francie", "Gráinne", "Jack", "Jem", "Jimmy", "Joe", "John", "Johnny", "Josie", "Kate", "Kathleen",
	"Kevin", "Kitty", "Larry", "Liam", "Mick", "Mícheál", "Molly", "Máire", "Nan", "Nancy", "Ned", "Nora",
	"Oisín", "Paddy", "Pádraig", "Pat", "Peadar", "Peggy", "Peter", "P.J.", "Róisín", "Rory", "Seamus",
	"Séamus", "Sean", "Seán", "Siobhán", "Sheila", "Ted", "Tess", "Tim", "Tom", "Tomás", "Tommy", "Tadhg",
	"Úna", "Willie",
}

// irishFamilies: family names of Ireland.
var irishFamilies = []string{
	"Ahern", "Barrett", "Barry", "Boland", "Boyle", "Brady", "Breen", "Brennan", "Brogan", "Browne", "Buckley",
	"Burke", "Butler", "Byrne", "Caffrey", "Cahill", "Callaghan", "Canavan", "Carey", "Carmody", "Carroll",
	"Casey", "Cassidy", "Clancy", "Cleary", "Coffey", "Collins", "Conlon", "Connolly", "Conway", "Corcoran",
	"Costello", "Coughlan", "Coyle", "Creedon", "Cronin", "Crowley", "Cullen", "Cummins", "Curran", "Daly",
	"Darcy", "Delaney", "Dempsey", "Dennehy", "Devine", "Devlin", "Dillon", "Doherty", "Dolan", "Donnelly",
	"Doolan", "Doran", "Dowling", "Doyle", "Duffy", "Duggan", "Dunne", "Egan", "Fagan", "Fallon", "Farrell",
	"Feeney", "Finnegan", "Finnerty", "Fitzgerald", "Fitzpatrick", "Flaherty", "Flanagan", "Flannery",
	"Fleming", "Flynn", "Fogarty", "Foley", "Gallagher", "Galvin", "Garvey", "Geraghty", "Gilligan", "Gleeson",
	"Gogarty", "Grogan", "Hackett", "Halligan", "Hanlon", "Hanratty", "Harrington", "Healy", "Heffernan",
	"Hegarty", "Hennessy", "Hickey", "Higgins", "Hogan", "Horan", "Hurley", "Joyce", "Kavanagh", "Keane",
	"Kearney", "Keating", "Keegan", "Kehoe", "Kelleher", "Kelly", "Kennedy", "Kenny", "Keogh", "Kiernan",
	"Kinsella", "Lacey", "Lally", "Larkin", "Leahy", "Lenihan", "Leonard", "Looney", "Lynch", "Lyons", "Madden",
	"Maguire", "Maher", "Malone", "Mannion", "McCabe", "McCann", "McCarthy", "McConnell", "McCormack", "McDaid",
	"McDonagh", "McEvoy", "McGarry", "McGettigan", "McGinty", "McGlynn", "McGovern", "McGrath", "McGuinness",
	"McHugh", "McKenna", "McLaughlin", "McLoughlin", "McMahon", "McManus", "McNamara", "McNulty", "McSorley",
	"McSweeney", "Molloy", "Moloney", "Monaghan", "Mooney", "Moran", "Moriarty", "Moroney", "Moynihan",
	"Mulcahy", "Muldoon", "Mulhern", "Mulligan", "Murphy", "Nolan", "Noonan", "O'Brien", "O'Callaghan",
	"O'Connell", "O'Connor", "O'Donnell", "O'Donoghue", "O'Donovan", "O'Driscoll", "O'Dwyer", "O'Flaherty",
	"O'Gorman", "O'Grady", "O'Hagan", "O'Halloran", "O'Hara", "O'Keeffe", "O'Kelly", "O'Leary", "O'Loughlin",
	"O'Mahony", "O'Malley", "O'Meara", "O'Neill", "O'Regan", "O'Reilly", "O'Riordan", "O'Rourke", "O'Shea",
	"O'Sullivan", "O'Toole", "Ó Conaill", "Ó Sé", "Phelan", "Power", "Prendergast", "Quigley", "Quinlan",
	"Quinn", "Rafferty", "Redmond", "Regan", "Reilly", "Rooney", "Ryan", "Scanlon", "Scully", "Shanahan",
	"Shannon", "Sheehan", "Sheridan", "Slattery", "Smyth", "Spillane", "Sweeney", "Synnott", "Tierney", "Tobin",
	"Toner", "Tracey", "Tully", "Tynan", "Wall", "Walsh", "Ward", "Whelan", "Woods",
}
