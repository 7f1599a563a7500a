package data

// colours: adjectives that suit a creature and a thing alike.
var colours = []string{
	"White", "Black", "Red", "Golden", "Blue", "Green", "Silver", "Old", "New", "Royal", "Grey", "Brown",
	"Little", "Great", "Crooked", "Painted", "Gilded", "Noble", "Lucky", "Copper", "Iron", "Ivory", "Crimson",
	"Scarlet", "Amber", "Hidden", "Bonny", "Rising", "Bright", "Ancient",
}

// moods: adjectives that suit a creature.
var moods = []string{
	"Spotted", "Running", "Flying", "Dancing", "Jolly", "Merry", "Happy", "Lazy", "Thirsty", "Hungry",
	"Gallant", "Dun", "Pied", "Wandering", "Laughing", "Sleeping", "Galloping", "Leaping", "Honest", "Tawny",
	"Chestnut", "Speckled", "Drunken", "Tipsy", "Crafty", "Bold", "Valiant", "Snowy", "Winking", "Whistling",
	"Prancing", "Snooty", "Startled", "Stubborn", "Wise", "Wily", "Portly", "Dapper",
}

// creatures: animals on pub signs.
var creatures = []string{
	"Lion", "Horse", "Hart", "Swan", "Bull", "Bear", "Boar", "Fox", "Hare", "Hound", "Lamb", "Ram", "Cock",
	"Dog", "Cow", "Goat", "Stag", "Eagle", "Raven", "Owl", "Falcon", "Heron", "Swallow", "Peacock", "Pheasant",
	"Partridge", "Plover", "Robin", "Nightingale", "Blackbird", "Jackdaw", "Magpie", "Duck", "Goose", "Drake",
	"Otter", "Badger", "Hedgehog", "Squirrel", "Hind", "Buck", "Doe", "Greyhound", "Pony", "Dragon", "Griffin",
	"Unicorn", "Phoenix", "Mermaid", "Dolphin", "Salmon", "Trout", "Pike", "Bee", "Crab", "Kingfisher",
	"Woodpecker", "Sparrow", "Starling", "Kestrel", "Mare", "Foal", "Spaniel", "Terrier", "Heifer", "Mole",
	"Curlew", "Lapwing", "Cygnet", "Gander",
}

// objects: objects on pub signs.
var objects = []string{
	"Crown", "Bell", "Ball", "Key", "Anchor", "Ship", "Barge", "Wheel", "Cup", "Star", "Cross", "Harp",
	"Fleece", "Shield", "Sword", "Lantern", "Boot", "Post", "Barrel", "Goblet", "Tankard", "Flagon", "Arrow",
	"Gate", "Oak", "Elm", "Ash", "Thistle", "Rose", "Cherry", "Apple", "Vine", "Mill", "Bridge", "Tower",
	"Castle", "Moon", "Sun", "Kettle", "Thimble",
}

// things: things that go with another in "The Rose & Crown".
var things = []string{
	"Rose", "Crown", "Hare", "Hounds", "Fox", "Goose", "Dog", "Duck", "Partridge", "Horse", "Groom", "Jockey",
	"Coach", "Waggon", "Plough", "Harrow", "Sail", "Anchor", "Ship", "Star", "Garter", "Angel", "Royal",
	"Eagle", "Child", "George", "Dragon", "Lamb", "Flag", "Swan", "Bottle", "Glass", "Barrel", "Grain", "Hop",
	"Vine", "Grapes", "Pipe", "Glove", "Hand", "Shears", "Cross", "Keys", "Bell", "Book", "Candle", "Bull",
	"Bush", "Bear", "Ragged Staff", "Cat", "Fiddle", "Custard Pot", "Pheasant", "Gun", "Hawk", "Buckle",
	"Magpie", "Stump", "Punchbowl", "Owl", "Pussycat", "Pig", "Whistle", "Sow", "Pigs", "Oak", "Ivy", "Thistle",
	"Harp", "Lion", "Unicorn", "Castle", "Elephant", "Ball", "Boot", "Slipper", "Spade", "Becket", "Bucket",
	"Salmon", "Trout", "Fly", "Kettle", "Cup", "Compass", "Square", "Globe", "Sun", "Moon", "Stars", "Railway",
	"Canal", "Bridge", "Bishop", "Wolf", "Cow", "Calf", "Cask", "Bit", "Bridle", "Saddle", "Stirrup",
	"Feathers", "Sceptre", "Cushion", "Mitre", "Shovel", "Malt", "Hops", "Cheese", "Ale", "Oyster", "Pearl",
	"Otter", "Fish", "Stag", "Thorn", "Apple", "Pear", "Spoon", "Pantry", "Chequers", "Tap", "Kitchen",
}

// trades: holders of arms by trade or rank.
var trades = []string{
	"Blacksmith's", "Bricklayer's", "Butcher's", "Carpenter's", "Mason's", "Plumber's", "Plasterer's",
	"Printer's", "Farmer's", "Gardener's", "Miner's", "Cooper's", "Tanner's", "Weaver's", "Saddler's",
	"Baker's", "Drover's", "Fisherman's", "Forester's", "Joiner's", "Waterman's", "Shipwright's",
	"Wheelwright's", "Brewer's", "Huntsman's", "Ropemaker's", "Stonemason's", "Bargeman's", "Boatman's",
	"Sawyer's", "Shepherd's", "Thatcher's", "Tinner's", "Clothier's", "Spinner's", "Potter's", "Collier's",
	"Quarryman's", "Hop Picker's", "Gamekeeper's", "Sportsman's", "Sailor's", "Volunteer's", "Engineer's",
	"Glazier's", "Goldsmith's", "Cutler's", "Bookbinder's", "Brickmaker's", "Nailmaker's", "Chainmaker's",
	"Glassblower's", "Salter's", "Lacemaker's", "Woodman's", "Carrier's", "Cricketer's", "Archer's", "Gunner's",
	"Pilot's", "Lifeboatman's", "Locksmith's", "Fletcher's", "Harbourmaster's", "Oddfellows'", "Travellers'",
	"Foresters'", "Builders'", "Commercial", "Railway", "Station", "Coronation", "County", "Borough", "City",
	"Stanley", "Talbot", "Manor", "Priory", "Abbey", "Cathedral", "Harbour", "Canal", "Market", "Grosvenor",
	"Queen's", "King's", "Prince's", "Duke's", "Earl's", "Bishop's", "Squire's", "Sheriff's", "Lord Nelson",
	"Victoria", "Albert", "Wellington",
}

// titles: titles before a name of peers.
var titles = []string{
	"Duke of", "Earl of", "Marquis of", "Lord", "Lady", "Countess of", "Duchess of", "Viscount",
}

// peers: names that follow a title.
var peers = []string{
	"Wellington", "York", "Cambridge", "Clarence", "Devonshire", "Norfolk", "Marlborough", "Cumberland",
	"Edinburgh", "Sussex", "Kent", "Rutland", "Bedford", "Essex", "Derby", "Durham", "Lonsdale", "Warwick",
	"Westminster", "Granby", "Ellesmere", "Anglesey", "Lorne", "Salisbury", "Exeter", "Richmond", "Buckingham",
	"Gloucester", "Cornwall", "Somerset", "Beaufort", "Bridgewater", "Portland", "Northumberland", "Zetland",
	"Shaftesbury", "Chesterfield", "Shrewsbury", "Craven", "Harrington", "Stamford", "Leicester", "Argyll",
	"Atholl", "Lincoln", "Rosebery", "Aberdeen", "Arran", "Moira", "Egremont", "Palmerston", "Raglan",
	"Clifden", "Hill", "Napier", "Byron", "Clyde",
}

// worthies: people of history who have pubs, in full.
var worthies = []string{
	"Lord Nelson", "Sir Walter Raleigh", "Sir Francis Drake", "General Wolfe", "Admiral Rodney",
	"Admiral Benbow", "Captain Cook", "Robin Hood", "Dick Turpin", "Shakespeare", "Sir Isaac Newton",
	"Charles Dickens", "Samuel Pepys", "Dr. Johnson's", "Sir Robert Peel", "Florence Nightingale", "William IV",
	"King William IV", "George III", "George IV", "Queen Anne", "Queen Adelaide", "King Alfred", "King Arthur",
	"King Edward VII", "Princess Royal", "Princess Alice", "Prince Albert", "Prince Regent", "Prince Rupert",
	"Princess Charlotte", "Lord Raglan", "Lord Palmerston", "Lord Byron", "Lord Collingwood", "General Gordon",
	"General Havelock", "Earl Grey", "Garibaldi", "Sir John Falstaff", "Sir Loin of Beef", "Dr. Jenner's",
	"Alexandra", "Lady Godiva", "Nell Gwynne", "Guy Fawkes", "Oliver Cromwell", "Thomas à Becket",
	"Isambard Kingdom Brunel", "George Stephenson", "James Watt", "Josiah Wedgwood", "Capability Brown",
	"William Wilberforce", "Ada Lovelace", "Emmeline Pankhurst", "Mary Anning", "Sir Joseph Paxton",
	"Gainsborough", "J. M. W. Turner", "Hogarth",
}

// whimsies: names that follow no pattern.
var whimsies = []string{
	"The Moon Under Water", "The Case Is Altered", "The Quiet Woman", "The Nobody Inn", "The Bucket of Blood",
	"The Cow & Snuffers", "The Drunken Duck", "The Same Yet", "The Who'd Have Thought It",
	"The Leg of Mutton & Cauliflower", "The Letters Inn", "The Help Me Through the World", "The World's End",
	"The First & Last", "The Hole in the Wall", "The Sun in Splendour", "The Poet's Corner",
	"The Labour in Vain", "The Silent Inn", "Q", "The I Am the Only Running Footman",
	"The Old Thirteenth Cheshire Astley Volunteer Rifleman Corps Inn", "The Jolly Taxpayer",
	"The Inn at the Top of the Hill", "The Pickled Parson", "The Strugglers", "The Snooty Fox",
	"The Slug & Lettuce Leaf", "The Frog & Rhubarb", "The Goat & Tricycle", "The Cat's Whiskers",
	"The Ferret & Trouserleg", "The Dog & Biscuit", "The Nutshell", "The Bitter End", "The Last Drop",
	"The Wee Dram", "The Long Pull", "The Long Arm", "The Tap on the Line", "The Signal Box",
	"The Waiting Room", "The Sidings", "The Booking Office", "The Lamplighter", "The Gaslight",
	"The Old Contemptible", "The Rat & Ratchet", "The Tom Cobley", "The Barley Mow at the Ford",
	"The Wild Rover", "The Bell & Jorrocks", "The Crab & Winkle", "The Ship on the Shore", "The Cove House",
	"The Smugglers' Rest", "The Wreckers' Return", "The Pilchard", "The Turk's Head & Anchor",
	"The Blind Piper", "The Bishop's Finger", "The Parson's Nose", "The Vicar's Apron", "The Sexton's Spade",
	"The Cheshire Cheese & Pickle", "The Black Pudding", "The Three-Legged Mare", "The Five-Barred Gate",
	"The Half Brick", "The Rent Day", "The Good Intent", "The Live & Let Live", "The Rest & Be Thankful",
	"The Hope & Patience", "The Ark Royal", "The Gipsy Moth", "The Flying Scotsman", "The Mallard",
	"The Concorde", "The Spitfire", "The Lancaster Bomber", "The Sputnik", "The Man in Space",
	"The Man on the Moon", "The Mousetrap", "The Hatters' Tea Party", "The Walrus & Carpenter",
	"The Jabberwock", "The Ugly Duckling", "The Pied Piper", "The Tam o' Shanter", "The Job's Patience",
	"The Nightjar", "The Stumble Inn", "The Dew Drop Inn", "The Hideaway", "The Local", "The Regular",
	"The Usual Place", "The Office", "The Library", "The Other Place", "The Neighbour's Garden",
}

// modern: nouns that begin the names of new bars.
var modern = []string{
	"Hop", "Malt", "Barley", "Tap", "Barrel", "Cask", "Bottle", "Brew", "Grain", "Yeast", "Copper", "Brass",
	"Botanist", "Paper", "Corner", "Parlour", "Garden", "Cellar", "Dockside", "Waterside", "Market", "Union",
	"Foundry", "Gasworks", "Tramshed", "Railway", "Arch",
}

// quirks: adjectives that begin the names of new bars.
var quirks = []string{
	"Tipsy", "Tiny", "Whistling", "Wonky", "Velvet", "Rusty", "Cosy", "Curious", "Crafty", "Hoppy", "Lazy",
	"Stray", "Pickled", "Salty", "Smoky", "Hidden", "Secret", "Lucky", "Electric", "Craft", "Wobbly", "Dapper",
	"Thirsty",
}

// haunts: last words of the names of new bars.
var haunts = []string{
	"Shed", "House", "Room", "Rooms", "Works", "Yard", "Vault", "Cellar", "Tap", "Taproom", "Bar", "Social",
	"Lounge", "Kitchen", "Parlour", "Den", "Nook", "Corner", "Station", "Loft", "Cupboard", "Library",
	"Project", "Collective", "Store", "Exchange", "Union", "Club", "Keg", "Hound", "Crow", "Goat", "Badger",
	"Otter", "Monkey", "Owl", "Bear", "Fox", "Pony", "Gull", "Garden", "Orchard", "Pantry", "Emporium",
}

// buildings: what "The Old …" once was.
var buildings = []string{
	"Bank", "Post Office", "Forge", "Smithy", "Mill", "Chapel", "School", "Schoolhouse", "Courthouse",
	"Police Station", "Fire Station", "Brewery", "Bakery", "Dairy", "Toll House", "Custom House", "Station",
	"Barn", "Granary", "Stables", "Rectory", "Vicarage", "Manor House", "Boathouse", "Coach House", "Cottage",
	"Farmhouse", "Ferry", "Bridge", "Library", "Tannery", "Ropery", "Maltings", "Tramshed", "Town Hall",
	"Picture House", "Swimming Baths", "Ticket Office", "Lock-Up", "Joinery", "Silk Mill", "Wool Hall",
	"Corn Exchange", "Foundry", "Printworks", "Apothecary", "Counting House", "Pump House", "Windmill",
	"Lifeboat House",
}

// plurals: words after a number on a sign.
var plurals = []string{
	"Tuns", "Bells", "Horseshoes", "Crowns", "Cups", "Pigeons", "Compasses", "Stags", "Swans", "Choughs",
	"Mackerel", "Legs", "Kings", "Queens", "Ashes", "Elms", "Oaks", "Pines", "Magpies", "Foxes", "Locks",
	"Arches", "Lions", "Bridges", "Alls", "Miles", "Barrels", "Wells", "Hills", "Sisters", "Brothers",
	"Mariners", "Jolly Butchers", "Jolly Sailors", "Jolly Farmers", "Pilgrims", "Feathers", "Fishes", "Castles",
	"Stars", "Wheels", "Arrows", "Steps", "Willows", "Moles", "Acres", "Gables", "Lanterns", "Cocks", "Tees",
}

// saints: saints with pubs; an entry is used after "St".
var saints = []string{
	"George", "Andrew", "David", "Patrick", "Mary", "John", "Peter", "Paul", "James", "Michael", "Nicholas",
	"Thomas", "Stephen", "Augustine", "Cuthbert", "Swithun", "Dunstan", "Edmund", "Aldhelm", "Hilda", "Bride",
	"Columba", "Mungo", "Kentigern", "Piran", "Petroc", "Teilo", "Brendan", "Kevin", "Brigid", "Anne", "Helen",
	"Catherine", "Margaret", "Oswald", "Chad", "Giles", "Crispin", "Vincent", "Boniface", "Anselm", "Hubert",
}

// streets: streets after a house number.
var streets = []string{
	"High Street", "Church Street", "Market Place", "Mill Lane", "Castle Street", "Bridge Street",
	"King Street", "Queen Street", "Station Road", "The Green", "Broad Street", "North Parade", "South Parade",
	"Bath Row", "Friar Street", "Sheep Street", "Silver Street", "West Street", "Quay Street", "Corn Street",
}

// cafés: what follows "Caffè" or "Café".
var cafés = []string{
	"Roma", "Torino", "Venezia", "Amalfi", "Sorrento", "Bella", "Milano", "Napoli", "del Sole", "Siena",
	"Lumière", "Royale", "Bohème", "Lisboa",
}

// venues: words after the name of a place; common ones are listed several times.
var venues = []string{
	"Inn", "Inn", "Inn", "Inn", "Tavern", "Tavern", "Hotel", "Hotel", "Arms", "Arms", "Arms", "Bar",
	"Social Club", "Social Club", "Working Men's Club", "Cricket Club", "Bowling Club", "Golf Club",
	"Rugby Club", "Conservative Club", "Labour Club", "Alehouse", "Ale House", "Tap", "Tap",
	"Village Inn", "Royal British Legion",
	"Taproom", "Brewery Tap", "Vaults", "Tennis Club",
}

// extras: what follows the name of a pub.
var extras = []string{
	"Bar & Grill", "Bar & Kitchen", "Bar & Restaurant", "Free House", "Public House", "Sports Bar",
	"Lounge Bar", "Hotel & Restaurant", "Coaching Inn", "Beer House", "Bar, Lounge & Restaurant",
}

// welshPubs: whole names in Welsh.
var welshPubs = []string{
	"Y Ddraig Goch", "Y Llew Coch", "Y Llew Du", "Y Llew Gwyn", "Y Tarw Du", "Y Ceffyl Gwyn", "Y Ceffyl Du",
	"Yr Hen Lew Du", "Yr Alarch", "Yr Eryr", "Y Goron", "Y Bedol", "Y Castell", "Y Bont", "Y Gloch Las",
	"Yr Afr", "Y Cwch Gwenyn", "Y Pengwern", "Tŷ Coch", "Tŷ Gwyn", "Tŷ Newydd", "Tŷ'n Llan", "Tŷ'n y Porth",
	"Tafarn y Bont", "Tafarn y Werin", "Tafarn yr Heliwr", "Tafarn Newydd", "Tafarn Sinc Bach", "Tafarn y Gât",
	"Tafarn y Bryn", "Gwesty'r Marine", "Gwesty'r Llew", "Gwesty'r Goron", "Pen-y-Bont", "Pen y Bryn",
	"Pen y Cei", "Penrhiw", "Bryn Hyfryd", "Plas Coch", "Nant y Ffin", "Y Felin", "Yr Hen Felin", "Y Polyn",
	"Y Stabl", "Hendre", "Y Ring", "Cwrw", "Y Cwtsh", "Yr Hen Dŷ", "Y Delyn", "Y Delyn Aur", "Y Plu",
	"Yr Eagles", "Y Fic",
}

// irishPubs: whole names in Irish.
var irishPubs = []string{
	"An Béal Bocht", "An Spailpín Fánach", "An Púcán", "An Droichead", "An Droichead Beag", "An Teach Beag",
	"An Síbín", "An Bodhrán", "An Cruiscín Lán", "An Sean Tí", "An Sionnach", "An Capall Dubh", "An Capall Bán",
	"An Fear Mór", "An Gabha", "An Tobar", "An Muileann", "An Seanchaí", "An Poitín Stil", "An Phoenix",
	"An Óige", "An Cúinne", "An Ché", "An Cúl Doras", "An Rí Rá", "An Lár", "An Crann Darach", "An Chistin",
	"An Tigín", "An Realt", "An Lonndubh", "An Ciarraíoch", "Tigh Neachtain Óg", "Tigh Uí Chonaill",
	"Tigh Uí Bhriain", "Tigh Uí Shé", "Tigh Uí Mhurchú", "Tigh Mháirtín", "Tigh Sheáin", "Tigh Mhicí",
	"Tigh Pháidí", "Tigh Bhríde", "Tigh Ned", "Tigh Hughie", "Tigh na Mara", "Tí Mholly", "Tí Joe Mháire",
	"Teach Ósta", "Teach an Phiarsaigh", "Teach Mhicí", "Teach Hiúdaí Óig", "Bun na hAbhann", "Cois Cé",
	"Cois Abhann", "Cois Farraige", "Barr na Trá", "Ceol na Mara", "Sean Óg's", "Seán Bán's", "Róisín Dubh",
	"Béal na Bláth", "Céilí House", "Bó Finne", "Fáilte", "Sláinte", "Rí Rá", "Síol Broin",
}

// nicknames: what a landlord is called between his names; the last in Ireland only.
var nicknames = []string{"Red", "The Hat", "Kid", "Nipper", "Lofty", "The Farmer", "Bán", "Rua", "The Yank"}

// scottishPubs: names that occur only in Scotland.
var scottishPubs = []string{
	"Clachan Bar", "Clachan Inn", "Drovers Inn", "Thistle Bar", "Haggis Hole", "Tam o' Shanter", "Rabbie Burns",
	"Bonnie Prince", "Piper's Rest", "Ceilidh House", "Wee Howff", "Steading", "Bothy", "Bothy Bar", "Mercat Cross",
	"Lorne Bar", "Stag's Leap", "Ben Nevis Bar", "Whisky Still", "Quaich", "Kilted Kangaroo", "Ettrick Shepherd",
	"Covenanter", "Jacobite", "Heather Inn", "Highlander", "Crofter's Bar", "Fisherman's Tavern", "Harbour Bar",
	"Railway Bar", "Station Bar", "Central Bar", "Commercial Hotel", "Royal Hotel", "Curler's Rest", "Golf Tavern",
	"Ferry Inn", "Mill Inn", "Gushet", "Doublet", "Laird's Table", "Auld Kirk Bar", "Tartan Trews", "Sporran",
	"Burnside Inn", "Lochside Bar", "Glen Bar", "Cairn Inn", "Forester's Bar", "Tolbooth Tavern", "Tattie Bogle",
}

// irishVenues: what follows the name of a place in Ireland, likewise.
var irishVenues = []string{
	"Inn", "Inn", "Inn", "Tavern", "Tavern", "Bar", "Bar", "House", "House", "Hotel", "Hotel", "Arms", "Lounge",
	"GAA Club", "GAA Club", "Golf Club", "Rugby Club", "Sailing Club", "Soccer Club", "Corner House",
	"Bar & Lounge", "Pub", "Taphouse",
}
