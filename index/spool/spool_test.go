package spool

import (
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

func TestUint32(t *testing.T) {
	for _, c := range []struct {
		number int
		fits   bool
	}{{0, true}, {1<<32 - 1, true}, {1 << 32, false}, {1 << 62, false}, {-1, false}} {
		var got uint32
		err := func() (err error) {
			defer Catch(&err)
			got = Uint32(c.number)
			return nil
		}()
		testkit.FailIf(t, (err == nil) != c.fits || c.fits && int(got) != c.number,
			"%d: got %d, %v", c.number, got, err)
	}
}

// What runs beside its caller has ended when its end is waited for, and what it lacked memory for is the caller's panic.
func TestBeside(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, full := range []bool{false, true} {
			did := false
			err := func() (err error) {
				defer Catch(&err)
				goesOn := make(chan bool)
				wait := Beside(workers, func() {
					if workers > 1 {
						<-goesOn
					}
					did = true
					if full {
						Uint32(-1)
					}
				})
				close(goesOn)
				wait()
				wait()
				return nil
			}()
			testkit.FailIf(t, !did || (err != nil) != full, "%d workers, full %v: got %v, %v", workers, full, did, err)
		}
	}
}

type flat struct {
	A uint32
	B [2]uint16
	C uint64
}

// An array has the values of a slice to which the same was done, wherever its memory comes from.
func TestArrayIsASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		folder := testkit.Must(os.MkdirTemp("", "spool"))(t)
		defer os.RemoveAll(folder)
		space := InMemory()
		if rapid.Bool().Draw(t, "in a folder") {
			space = InFolder(folder, rapid.Int64Range(0, 1<<20).Draw(t, "memory"))
		}
		defer space.Close()
		arrays, models := [2]*Array[flat]{New[flat](space), New[flat](space)}, [2][]flat{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			i := rapid.IntRange(0, 1).Draw(t, "array")
			n := rapid.IntRange(0, 20_000).Draw(t, "n")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				arrays[i].Release()
				models[i] = nil
			case 1:
				n = min(n, len(models[i]))
				arrays[i].Truncate(n)
				models[i] = models[i][:n]
			case 2:
				testkit.StopIf(t, slices.ContainsFunc(arrays[i].Extend(n), func(v flat) bool { return v != flat{} }),
					"extended by other values than zero")
				models[i] = append(models[i], make([]flat, n)...)
			default:
				for j := range uint32(n) {
					value := flat{j, [2]uint16{uint16(i), uint16(n)}, uint64(j) << 32}
					arrays[i].Append(value)
					models[i] = append(models[i], value)
				}
			}
			for i := range arrays {
				testkit.StopIf(t, !slices.Equal(arrays[i].Values(), models[i]) || arrays[i].Len() != len(models[i]),
					"array %d of %d differs from the slice of %d", i, arrays[i].Len(), len(models[i]))
			}
		}
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Fatalf("%v is left in the folder", left)
		}
	})
}
