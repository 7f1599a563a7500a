package face_test

import (
	"fmt"
	"log"

	"pubd/httpapi/web/face"
)

func ExampleNew() {
	f, err := face.New(face.Options{Title: "Pubs of Kent", Accent: "#7c0", Language: "de"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Title, "|", f.Text("places"), "|", f.Icon)
	for _, file := range f.Files() {
		fmt.Printf("%s\n%s", file.Path, file.Body)
	}
	// Output:
	// Pubs of Kent | Orte | /explorer/icon.svg
	// /explorer/face.css
	// :root { --accent: #477a00; --wash: #f0f4eb; --on-accent: #ffffff; }
	// @media screen and (prefers-color-scheme: dark) {
	//   :root { --accent: #77cc00; --wash: #262f15; --on-accent: #000000; }
	// }
}
