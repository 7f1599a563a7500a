package loader

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pubd/index"
)

// benchmarkRows returns a directory with texts of realistic lengths. Three in ten pubs are not rated.
func benchmarkRows(pubs int) [][]string {
	random := rand.New(rand.NewPCG(1, 2))
	rows := [][]string{Columns()}
	for i := range pubs {
		row := []string{fmt.Sprint(100_000 + i*7), fmt.Sprintf("The %c%d & Café Inn", 'A'+i%26, i%9000), fmt.Sprint("Great Place ", random.IntN(9000)),
			"open", fmt.Sprintf("%.6f", 50+random.Float64()*8), fmt.Sprintf("%.6f", random.Float64()*7-5), "Hotel Bar"}
		reviews := 0
		if i%10 > 2 {
			reviews = i % 10 * 3
		}
		for range index.MetricCount {
			rating := ""
			if reviews > 0 {
				rating = fmt.Sprintf("%.2f", random.Float64()*10)
			}
			row = append(row, rating)
		}
		rows = append(rows, append(row, fmt.Sprint(reviews), fmt.Sprintf("%d High Street", i%200), fmt.Sprintf("AB%d %dCD", i%90, i%9),
			fmt.Sprint("Shire ", i%70), ""))
	}
	return rows
}

func BenchmarkLoad(b *testing.B) {
	const pubs = 50_000
	rows := benchmarkRows(pubs)
	objects := asObjects(rows)
	texts := map[string]string{"csv": asCSV(rows), "json": "[\n" + strings.Join(objects, ",\n") + "\n]", "ndjson": strings.Join(objects, "\n")}
	for _, c := range [][2]string{{"csv", ""}, {"csv", ".gz"}, {"csv", ".zst"}, {"json", ""}, {"ndjson", ""}} {
		format, suffix := c[0], c[1]
		name, content := "p."+format+suffix, pack(b, suffix, texts[format])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(texts[format])))
			for b.Loop() {
				result, err := Load(name, content, Options{})
				stopIf(b, err != nil || len(result.Directory.Pubs) != pubs || result.Directory.Pubs[pubs-1].UID != fmt.Sprint(100_000+(pubs-1)*7), "%v", err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pubs, "ns/pub")
		})
	}
}
