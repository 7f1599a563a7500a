package survey

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextRules(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"The Red Lion", ""},
		{"Café Zoë", ""},
		{"“CAFÉ” Bar", ""},
		{"Ångström & Søn", ""},
		{"Łódź Żywiec", ""},
		{"Пивная", ""},
		{"CafÃ© Rouge", `mojibake is probably "Café Rouge"`},
		{"Kingâ€™s Head", `mojibake is probably "King’s Head"`},
		{"Bell â€“ Diss", `mojibake is probably "Bell – Diss"`},
		{"Â£1 Bar", `mojibake is probably "£1 Bar"`},
		{"ÐŸÐ¸Ð²Ð¾", `mojibake is probably "Пиво"`},
		{"CafĂ© Rouge", `mojibake is probably "Café Rouge"`},
		{"РџРёРІРЅР°СЏ в„–1", `mojibake is probably "Пивная №1"`},
		{"Caf√© Zo√´", `mojibake is probably "Café Zoë"`},
		{"King‚Äôs Head", `mojibake is probably "King’s Head"`},
		{"U ZlatÃ©ho Tygra", `mojibake is probably "U Zlatého Tygra"`},
		{"CafÃƒÂ©", `mojibake is probably "Café"`},
		{"Å\ufffdÃ³dÅº", "mojibake has U+FFFD, which stands for a character that was lost"},
		{"CAFÉ’S", ""},
		{"Ці", ""},
		{"Ä…Å¼Ä™", `mojibake is probably "ążę"`},
		{"Î•ÏƒÏ„Î¯Î±", `mojibake is probably "Εστία"`},
		{"Рівне", ""},
		{"Львів", ""},
		{"Çiçek Şiş", ""},
		{"Ăcademia Ţării", ""},
		{"Ο Άγιος Νικόλαος", ""},
		{"Čertův Mlýn", ""},
		{"Þórður", ""},
		{"Кафе «Ёлка»", ""},
		{"√9 Bar", ""},
		{"Ƒ Bar", ""},
		{"Caf\ufffd Rouge", "mojibake has U+FFFD, which stands for a character that was lost"},
		{"Bell\u200b", "invisible has U+200B"},
		{"\ufeffBell", "invisible has U+FEFF"},
		{"Bell \u202eInn", "invisible has U+202E"},
		{"Swan 👩\u200d🍳", ""},
		{"Rose &amp; Crown", `entity has &amp; for "&"`},
		{"King&#39;s Head", `entity has &#39; for "'"`},
		{"King&#x2019;s Head", `entity has &#x2019; for "’"`},
		{"Rose & Crown; Diss", ""},
		{"Rose &nosuch; Crown", ""},
		{" Bell", "spaces begins with a space"},
		{"Bell\u00a0", "spaces ends with a space"},
		{"Bell  Inn", "spaces has two spaces in a row"},
		{"#NAME?", "placeholder is a spreadsheet error"},
		{"#n/a", "placeholder is a spreadsheet error"},
		{"TBC", "placeholder is not a name"},
		{"Un-named", ""},
		{"Unknown", "placeholder is not a name"},
		{"The Unknown", ""},
		{"???", "placeholder has no letter or digit: no search finds it"},
		{"?????? ????? ??????", "placeholder has no letter or digit: no search finds it"},
		{"1815", ""},
		{"ビール", ""},
	} {
		var got []string
		for _, rule := range textRules {
			if reason := rule.reason(c.text); reason != "" {
				got = append(got, string(rule.kind)+" "+reason)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzMend(f *testing.F) {
	f.Add("CafÃ©")
	f.Add("â€")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("no text of a directory")
		}
		decoded, ok := decodeAgain(text, misread[len(text)%len(misread)])
		if !utf8.ValidString(decoded) || ok && (decoded == text || len(decoded) > len(text)) {
			t.Errorf("%q: got %q, %v", text, decoded, ok)
		}
	})
}
