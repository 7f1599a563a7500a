package address

import (
	"strings"

	"pubd/index"
)

// A set has folded words or names.
type set map[string]bool

// has reports whether a word is in the set once folded. It allocates nothing for a word of usual length.
func (s set) has(word string) bool {
	var buffer [32]byte
	return s[string(index.AppendFolded(buffer[:0], []byte(word)))]
}

func setOf(words string) set {
	s := set{}
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// What the words of an address say. They were chosen by reading addresses of the Open Pubs list.
var (
	// roads end a street, and nearly never a place, so that a comma is read after them.
	roads = setOf("street str st road rd lane ln avenue ave drive dr crescent cres boulevard blvd pl sq ct hwy pkwy")
	// streets end a street, unless the list says otherwise.
	streets = setOf(`way close terrace row mews mall parade promenade esplanade quay quays quayside wharf embankment place
		square quadrant circus concourse gardens grove court rise precinct arcade approach highway roundabout alley passage
		yard bypass walk view drove broadway buildings crossroads cottages villas steps platz strasse plaza`)
	// streetFirst begins a street in Welsh, French, Italian, Spanish, Portuguese and Polish.
	streetFirst = setOf("heol ffordd stryd lon rue avenue boulevard allee via viale piazza calle avenida plaza rua ulica")
	// streetEndings end a word that is a street in German, Dutch or Swedish.
	streetEndings = []string{"strasse", "str", "gasse", "platz", "allee", "weg", "straat", "laan", "gatan"}
	// streetSounds end names that are streets more often than villages: Sandgate, Ralphs Ride.
	streetSounds = []string{"gate", "way", "ride", "strand", "banks", "approaches", "meadow", "meadows", "reach", "banc", "bailey",
		"arches", "trees"}
	// afterRoad are words that belong to the road before them, and directions in a street of any kind.
	afterRoad  = setOf("ends arches")
	directions = setOf("north south east west")
	// unclearLast ends streets and villages.
	unclearLast = setOf(`green hill park common end bank cross bridge gate head heath wood field fields moor side corner dock docks
		vale rows brow fold top links garth market abbey castle mill port harbour`)
	// buildingLast ends the name of a building, a firm or an estate.
	buildingLast = setOf(`inn hotel hotels hostel hostelry arms pub tavern bar cafe restaurant kitchen lounge brewery club
		clubhouse lodge house houses hall manor cottage barn farm centre center complex estate building institute institution
		association society legion office offices headquarters hq unit units room rooms floor chambers studios gallery hut
		tower towers mills works foundry warehouse stores depot shop shops outlet garage library museum theatre cinema hospital
		church school college university campus barracks base camp site parc station airport terminal services pier marina
		basin stadium ground grounds pavilion pavillion course racecourse fc afc rfc rufc cc bowling cricket football golf
		rugby tennis sports social conservative liberal workingmens recreation playing leisure holidays retail industrial
		trading ltd limited plc`)
	// buildingFirst begins a part that says where in a building or beside what a pub is.
	buildingFirst = setOf(`unit units flat shop suite no plot lock stall kiosk block arch arches room rooms floor level ground
		first second lower upper basement part c co ta off opposite opp corner rear adj adjacent at behind between next above
		below under within in on outside junction jct land former formerly trading university`)
	// estates make a park or a village one where nobody lives.
	estates = setOf(`industrial business enterprise commercial technology science distribution office retail shopping outlet
		trading leisure caravan holiday country theme water sports football athletic recreation cricket golf car`)
	// qualifiers are no place without what follows: East Bergholt.
	qualifiers = setOf(`north south east west upper lower nether over inner outer mid middle central great little much long high
		low old new black white st saint royal king queen kings queens princes earls bishop bishops abbots monks friars canons
		castle market chipping church temple steeple stony fenny isle the`)
	// vagueNames are parts that say something, but name nothing.
	vagueNames = setOf("village centre central seafront town city lane street road station harbour airport market square cross green")
	// particles are in lower case within the name of a place.
	particles = setOf(`on upon in under le la de les by the of and with next cum juxta sub super en y yr ar at near sur am an der
		den di del du von van`)
	// pubWords are often left out at the end of a pub's name.
	pubWords  = []string{" ltd", " limited", " public house", " pub", " inn", " hotel", " bar", " club"}
	countries = nameSet(`England, Scotland, Wales, Cymru, United Kingdom, UK, GB, Great Britain, Northern Ireland, N Ireland,
		Ireland, Republic of Ireland, Eire, Isle of Man, Jersey, Guernsey, Channel Islands, France, Germany, Deutschland,
		Netherlands, Nederland, Belgium, Belgique, Spain, España, Italy, Italia, Portugal, Austria, Österreich, Switzerland,
		Schweiz, Sweden, Norway, Denmark, Finland, Poland, Polska, Czech Republic, USA, United States, U.S.A., Canada, Australia,
		New Zealand`)
)

func nameSet(names string) set {
	s := set{}
	for name := range strings.SplitSeq(names, ",") {
		s[fold(name)] = true
	}
	return s
}

// soundsLikeStreet reports whether a folded name has one of streetSounds.
func soundsLikeStreet(key string) bool { return hasSuffix(key, streetSounds) }

func hasSuffix(key string, endings []string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(key, ending) {
			return true
		}
	}
	return false
}

func fold(text string) string {
	var buffer [96]byte
	return string(index.AppendFolded(buffer[:0], []byte(text)))
}

// lastWord returns the last word of a folded text.
func lastWord(key string) string { return key[strings.LastIndexByte(key, ' ')+1:] }
