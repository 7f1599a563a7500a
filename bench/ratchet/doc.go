// Package ratchet compares how fast the tree answers with how fast a commit did that the file commit names: a class of
// requests must not become slower.
//
//	go test -v ./bench/ratchet -for 1m [-commit COMMIT] [-pubs N | -data FILE] [-classes REGEXP]
//
// TestRatchet compiles TestAnswers here and in a copy of the commit. The two processes read the same snapshot, and answer
// the same requests without sockets, class by class in turn. The time of a class is the sum of the smallest times of its
// requests, which other work of the machine does not change, and what counts is the ratio. Who makes a class slower on
// purpose names another commit, and says why in the message of that change.
package ratchet
