package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

func fold(text string) string {
	return string(AppendFolded(nil, []byte(text)))
}

func TestFold(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"!!!", ""}, {"'", ""}, {"  ", ""}, {"King's Head", "kings head"}, {"O'Brien’s", "obriens"},
		{"a‘b’cʼd＇e`f´g", "abcdefg"}, {"Rose & Crown", "rose and crown"}, {"Rose+Crown", "rose and crown"},
		{"Rose 'n' Crown", "rose and crown"}, {"n", "and"}, {"N", "and"}, {"n n", "and and"}, {"nn", "nn"},
		{"in n", "in and"}, {"n-in", "and in"}, {"&n", "and and"}, {"Rose＆Crown", "rose and crown"},
		{"Café Zoë", "cafe zoe"}, {"Cafe\u0301", "cafe"}, {"Weißes Rößl", "weisses rossl"}, {"STRAẞE", "strasse"},
		{"Łódź", "lodz"}, {"Þórr & Ðún", "thorr and dun"}, {"Ægir Œuvre", "aegir oeuvre"}, {"Işık", "isik"},
		{"İsik", "isik"}, {"Đorđe", "dorde"}, {"Smørrebrød", "smorrebrod"}, {"Ｆｕｌｌ ²", "full 2"},
		{"居酒屋", "居酒屋"}, {"ΟΔΟΣ", "οδοσ"}, {"οδος", "οδοσ"}, {"½", "1 2"}, {"a_b-c.d", "a b c d"},
		{"٣", "٣"}, {"ⅷ", "viii"}, {"\ufdfa", "صلى الله عليه وسلم"}, {"x\u200by", "x y"}, {"１２", "12"},
		{"e" + strings.Repeat("\u0301", 1000), "e"}, {"🍺 Bar", "bar"}, {"x｀y", "x y"}, {"x\u1fefy", "x y"}, {"Ǿ", "o"}, {"한", "\u1112\u1161\u11ab"},
	} {
		if got := fold(c.text); got != c.want {
			t.Errorf("fold(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAppendElided(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"Étoile", ""}, {"L'Étoile", "etoile"}, {"L’ÉTOILE d’Or", "etoile"}, {"Bar de l`Étoile d´Argent", "etoile argent"},
		{"King's Head", ""}, {"O'Brien's", "briens"}, {"O'B, Rien", ""}, {"all'Angolo, dell＇Arte", "angolo arte"}, {"'t Hof", ""},
		{"‘L‘Abri’", "abri"}, {"l'a-bri", ""}, {"l'abri-bus", "abri"}, {"l''abri", "abri"}, {"l'-abri", "abri"}, {"l'\u00a0abri", ""},
		{"rock'n'roll", "nroll"}, {"7'abc", "abc"}, {"ー'abc", "abc"}, {"&'abc", ""}, {"(l'abri)", "abri"}, {"lʼéa", ""}, {"lʼœé", "oee"}, {"d'居酒屋", "居酒屋"},
	} {
		if got := string(AppendElided([]byte("x"), []byte(c.text))); got != "x"+c.want {
			t.Errorf("%q: got %q, want %q", c.text, got[1:], c.want)
		}
	}
}

// Folding twice changes nothing. The letter ŉ is excepted: it decomposes into an apostrophe after apostrophes have
// been removed.
func TestFoldIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "ŉ", "")
		once := fold(text)
		if twice := fold(once); twice != once {
			t.Fatalf("fold(%q) = %q, folded again %q", text, once, twice)
		}
	})
}

// Folding a text is the same as folding its NFKD form, in which marks are in canonical order.
func TestFoldDecomposesLikeNFKD(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		plain := strings.Map(func(r rune) rune {
			if isDeleted(r) || strings.ContainsRune("ŉ\u1fef｀", r) {
				return -1
			}
			return r
		}, text)
		text = strings.NewReplacer("ŉ", "", "\u1fef", "", "｀", "").Replace(text)
		if whole := norm.NFKD.String(plain); fold(whole) != fold(text) {
			t.Fatalf("fold(%q) = %q, want %q as for its NFKD form", text, fold(text), fold(whole))
		}
	})
}

func FuzzFold(f *testing.F) {
	for _, text := range []string{"King's Head", "Rose & Crown", "ŉ", "\xff", "\ufdfa", "e\u0301", "Ａ１"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := fold(text)
		testkit.FailIf(t, !utf8.ValidString(folded) && utf8.ValidString(text),
			"fold(%q) = %q is not valid UTF-8", text, folded)
		testkit.FailIf(t, strings.Join(strings.Fields(folded), " ") != folded,
			"fold(%q) = %q has stray white space", text, folded)
	})
}

func TestFoldDoesNotAllocate(t *testing.T) {
	dst := make([]byte, 0, 4096)
	for _, text := range []string{"The King's Head & Ship", "Café Zoë’s Żubr ½", "居酒屋"} {
		if n := testing.AllocsPerRun(100, func() { AppendFolded(dst, []byte(text)) }); n != 0 {
			t.Errorf("fold(%q): got %v allocations, want 0", text, n)
		}
	}
}
