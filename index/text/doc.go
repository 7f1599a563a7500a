// Package text is the text index: how texts fold, the dictionary of their terms, the postings of each term and of each beginning of terms,
// and the terms that contain a text or that it may be a misspelling of.
//
// bleve analyses the texts and inverts them when an index is built. It does not answer, and this is why (21,760 distinct words of British
// pubs): an exact term in its dictionary, a finite-state transducer, takes 430 ns, where a hash takes 25; a misspelling by its
// Levenshtein automaton takes 140 µs and 56 KB at one edit, 1.1 ms and 800 KB at two, where a comparison of bits along the sorted terms
// takes 10 to 40 µs and no memory; bleve.Index.Search takes 0.14 to 2.2 ms.
package text
