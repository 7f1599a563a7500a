package address

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

// list is a small list: an address, the postcode, and the location wanted of it.
const list = `
Egremont Street, Glemsford, SUDBURY, Suffolk | CO10 7SA | Sudbury
7 Market Hill, SUDBURY, Suffolk | CO10 2EA | Sudbury
The Grover and Allen, 67-70 North Street, SUDBURY, Suffolk | CO10 1RF | Sudbury
The Grange Caravan Park, Straight Road, East Bergholt, COLCHESTER | CO7 6UX | Colchester
The Street, Monks Eleigh, IPSWICH | IP7 7AU | Ipswich
Great Green, Cockfield, BURY ST EDMUNDS, Suffolk | IP30 0HJ |
Bower House Tye, Polstead, COLCHESTER, Essex | CO6 5BZ | Colchester
Shotley Marina, Shotley, IPSWICH, Suffolk | IP9 1QJ | Ipswich
12 King Street, Nr SUDBURY, Suffolk | CO10 2EB | Sudbury
The Bell, Little Waldingfield, near Sudbury | CO10 0SP | Sudbury
105 High Street, Hoddesdon, Herts | EN11 8TN | Hoddesdon
Unit 8, 8 Devonshire Row, London | EC2M 4RH | London
155 Bramley Road, LONDON | N14 4XA | London
1      Greville Street, London | EC1N 8PQ | London
86 Junction Road, Islington, London N19 5QU | N19 5QU | London
79 Kew Green, Kew | TW9 3AH | Kew
320 Hale End Road, Woodford Green | IG8 9LN | Woodford Green
26 High Road, Woodford Green, Essex | IG8 0XG | Woodford Green
45 Fairfield Road, Kingston Upon Thames | KT1 2PY | Kingston upon Thames
York Road, Leeds | LS9 6TA | Leeds
12 Eastgate, Leeds | LS2 7JL | Leeds
The Scotsman, Eastgate, Leeds | LS2 7JM | Leeds
First Floor, 6 Briggate, Leeds | LS1 6ER | Leeds
4 Thorpe Street, Middleton, Leeds | LS10 4HD | Leeds
Silver Street, East Lambrook, South Petherton | TA13 5HH |
Lancaster Road, Carnforth, Lancashire | LA5 9LD | Carnforth
19-21 Market Street, Carnforth, Lancs. | LA5 9JX | Carnforth
The Square, Durham, Co. Durham | DH1 3NJ | Durham
Pit House Lane, Leamside, Houghton-Le-Spring | DH4 6QQ | Houghton-le-Spring
13 The Broadway, Houghton-le-Spring | DH4 4BB | Houghton-le-Spring
125 Millrise Road, Milton, STOKE-ON-TRENT | ST2 7DW | Stoke-on-Trent
1 Glebe Street, STOKE-ON-TRENT | ST4 1HG | Stoke-on-Trent
Hartshill Road, Stoke on Trent | ST4 7NF | Stoke-on-Trent
25 North Street, King's Lynn, Norfolk | PE30 1AN | King's Lynn
11 Tower Street, KINGS LYNN | PE30 1EJ | King's Lynn
Adelphi Hotel, 33 Railway Road, Blackburn | BB1 1EZ | Blackburn
Unit 3, Mustad Way, Portishead, Bristol | BS20 7QZ | Bristol
Main Road, Flax Bourton, Bristol, North Somer | BS48 3QX | Bristol
Gemini Retail Park, Charon Way, Warrington | WA5 7XA | Warrington
63a Horseshoe Street, Northampton, NN1 1TB | NN1 1TB | Northampton
Seven Hills Trading Estate, Leigh | WN7 3PT |
41 Corporation Street, Bridgend, Bridgend County Boro | CF31 1AA | Bridgend
Station Hill, Bridgend | CF31 1JL | Bridgend
Depot Road, Cwmavon, Port Talbot, Neath Port Talbot | SA12 9DF |
The Valley, Selkirk, Scottish Borders | TD7 4AA | Selkirk
High Street, Selkirk | TD7 4BZ | Selkirk
10 The Valley Selkirk Scottish Borders | TD7 4AB |
87 High Street Cowdenbeath Fife | KY4 9QA | Cowdenbeath
Broad Street Cowdenbeath Fife | KY4 8HY | Cowdenbeath
188 Station Road Langley Mill Cowdenbeath Fife | KY4 8AA | Langley Mill Cowdenbeath
Road From St Peters Church To Pixeycombe, Meavy | PL20 6PJ |
5 Church Street, Bradford on Avon, Wilts | BA15 1LN | Bradford on Avon
Nomansland Devon | EX16 8NN |
Golf Course, 3 Trimdon Road | TS29 6AA |
Culbokie, Ross-shire | IV7 8JH |
11 Lisburn Street, Hillsborough, Co. Down, Northern Ireland | BT26 6AB | Hillsborough
The Bear, Cricketers Close, Hargrave |  |
Golf Club House, 212 Kirkintilloch Road |  |
12 Main Street, Galway, Co. Galway, Ireland |  |
21 Fleet Street, Temple Bar, Dublin 2, D02 X285, Ireland |  | Dublin
Hauptstr. 5, 10115 Berlin |  | Berlin
Hauptstraße 5, D-10115 Berlin, Germany |  | Berlin
Prinsengracht 124, 1015 EA Amsterdam, Netherlands |  | Amsterdam
12 rue de la Paix, 75002 Paris |  | Paris
Drottninggatan 3, 111 22 Stockholm, Sweden |  | Stockholm
Via Roma 3, 00184 Roma RM, Italy |  | Roma
5 King Street West, Toronto, ON M5V 2T6, Canada |  | Toronto
100 Main Street, Springfield, IL 62701 |  | Springfield
Skolegata 7 |  |
Shop 5, Level 2 |  |
東京都港区1-2-3 |  |
12, 14-16, - |  |
Kungsgatan 42, 117 33 Göteborg, Sverige |  | Göteborg
Vestergade 1, 1456 København, Danmark |  | København
Václavské nám. 1, 110 00 Praha, Česko |  | Praha
Nowy Świat 2, 00-400 Warszawa, Polska |  | Warszawa
Rua Augusta 1, 1100-048 Lisboa, Portugal |  | Lisboa
1 Collins St, Melbourne VIC 3000, Australia |  | Melbourne
проспект Мира, дом 91, корпус 1 |  |
Нижний переулок, дом 3, строение 1 |  |
улица Правды, дом 5 |  |
Москва, улица Правды, дом 7 |  |
Markveien, 0550 |  |
Storgata, 0181 |  |
Storgata, 0182 |  |
Youngstorget |  |
435 Lawnmarket |  |
521-523 Lawnmarket |  |
Market Street St Andrews KY16 9AA |  | St Andrews
36 High Street Croydon CR0 1YB |  | Croydon
Leeds |  | Leeds
Meidrim, Leeds |  | Leeds
`

type line struct {
	Address
	location string
}

func lines() []line {
	var all []line
	for text := range strings.Lines(strings.TrimSpace(list)) {
		cells := strings.Split(text, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all = append(all, line{Address{Text: cells[0], Postcode: cells[1]}, cells[2]})
	}
	return all
}

func sample() []Address {
	var all []Address
	for _, l := range lines() {
		all = append(all, l.Address)
	}
	return all
}

func TestOf(t *testing.T) {
	towns := Learn(slices.Values(sample()))
	for _, l := range lines() {
		if location, _ := towns.Of(l.Address); location != l.location {
			t.Errorf("%s: %q, want %q", l.Text, location, l.location)
		}
	}
}

func TestCapitalised(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"SUDBURY", "Sudbury"},
		{"STOKE-ON-TRENT", "Stoke-on-Trent"},
		{"Chapel-En-Le-Frith", "Chapel-en-le-Frith"},
		{"king's lynn", "King's Lynn"},
		{"THE MUMBLES", "The Mumbles"},
		{"Y FELINHELI", "Y Felinheli"},
		{"st.helens", "St.Helens"},
		{"O'BRIENSBRIDGE", "O'Briensbridge"},
		{"ÉVREUX", "Évreux"},
		{"isle of whithorn", "Isle of Whithorn"},
		{"", ""},
	} {
		testkit.Equal(t, test.name, capitalised(test.name), test.want)
	}
}

// drawAddress draws an address of few words, so that parts recur.
func drawAddress(t *rapid.T) Address {
	word := rapid.SampledFrom(strings.Fields("12 7a High Church Street Road Green the Bell Inn Sudbury Leeds Stoke-on-Trent Kew Nr St. " +
		"on Suffolk Co Durham England Évreux LS1 2AB Village Unit D02"))
	separator := rapid.SampledFrom([]string{" ", " ", " ", ", ", "    "})
	return Address{
		Text:     strings.Join(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return word.Draw(t, "word") + separator.Draw(t, "separator") }), 0, 12).Draw(t, "words"), ""),
		Postcode: rapid.SampledFrom([]string{"", "LS1 2AB", "CO10 7SA", "ls12ab"}).Draw(t, "postcode"),
	}
}

// Neither the order of the list nor the case of letters matters, and a location has the words of the list.
func TestOrderAndCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(drawAddress), 0, 30).Draw(t, "rows")
		towns := Learn(slices.Values(rows))
		other := make([]Address, len(rows))
		for i, at := range rand.New(rand.NewSource(int64(len(rows)))).Perm(len(rows)) {
			other[at] = upper(rows[i])
		}
		shuffled := Learn(slices.Values(other))
		for _, a := range rows {
			location, _ := towns.Of(a)
			if got, _ := shuffled.Of(upper(a)); got != location {
				t.Fatalf("%+v: %q, and in capitals in another order %q", a, location, got)
			}
			checkLocation(t, a, location)
		}
	})
}

// checkLocation checks what holds of any location.
func checkLocation(t interface{ Fatalf(string, ...any) }, a Address, location string) {
	if location != capitalised(location) || location != strings.TrimSpace(location) || strings.ContainsAny(location, ",;\n0123456789") || len(location) > 2*MaxBytes {
		t.Fatalf("%+v: location %q", a, location)
	}
}

func FuzzOf(f *testing.F) {
	for _, l := range lines() {
		f.Add(l.Text, l.Postcode)
	}
	f.Add(strings.Repeat("a Road b ", 100), "")
	f.Add(strings.Repeat("Kent,", 199), "AA")
	f.Add("1 \xff, İstanbul, ǅ, '', near, Nr , Y", "\x00 1")
	known := sample()[:20]
	f.Fuzz(func(t *testing.T, text, postcode string) {
		a := Address{text, postcode}
		rows := append(slices.Clip(known), a, a)
		location, _ := Learn(slices.Values(rows)).Of(a)
		checkLocation(t, a, location)
		if again, _ := Learn(slices.Values(rows)).Of(a); again != location {
			t.Fatalf("%+v: %q and then %q", a, location, again)
		}
	})
}

// The work for an address of maximal length is bounded, whatever it says.
func TestHostile(t *testing.T) {
	towns := Learn(slices.Values(sample()))
	for _, text := range []string{"a,", "a ", "Kent ", "Kent,", "1 ", "Nr ", "Sudbury ", "Leeds,", "Road a ", "Co ", "    ", "é", "GB,"} {
		long := Address{Text: strings.Repeat(text, MaxBytes/len(text)), Postcode: "CO10 7SA"}
		if parts := parse(long); len(parts) > 2*maxParts {
			t.Errorf("%q repeated: %d parts, want at most %d", text, len(parts), 2*maxParts)
		}
		if allocations := testing.AllocsPerRun(10, func() { towns.Of(long) }); allocations > 3000 {
			t.Errorf("%q repeated: %v allocations", text, allocations)
		}
	}
}

func upper(a Address) Address {
	return Address{strings.ToUpper(a.Text), strings.ToUpper(a.Postcode)}
}
