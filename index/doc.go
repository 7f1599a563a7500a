// Package index builds the index file of a pub directory and answers queries from it.
//
// [Build] turns a [Directory] into a file, once, on one machine; the same source gives the same bytes. [Open] maps the
// file and checks it. A [Snapshot] answers from the mapped bytes: nothing is decoded, and the garbage collector has
// nothing to walk. Both are immutable, like a Lucene segment or a zoekt shard. A pub is known by its ordinal, its
// number in the default order. The last reader of a Snapshot unmaps it.
//
// [Snapshot.Search] takes a [Query] and returns a [Result], a page of ordinals, in three stages; [Snapshot.Lookup]
// finds a pub by its UID, and [Snapshot.Suggest] completes a text:
//
//	compile  values, minimums, UIDs and names of the filter are looked up, and become conditions
//	match    words are read (package reading), and become the set of pubs that match (package match)
//	page     the set is ranked by the sort key, and a page is taken
//
// Goroutines share a Snapshot; each has a [Workspace], and a search allocates nothing once that has grown. The cost
// grows with the pubs found, not with the depth of the page. The file may be hostile: at worst, a search panics, which
// a server must recover. The comments in doc.go describe the sections and stages.
package index

// The file.
//
// A header names the format version, the source by its SHA-256 and the number of pubs; a table names the sections,
// each with a checksum (package indexfile). Pubs are numbered in the default order, by folded name; such a number is
// an ordinal, and everything refers to pubs by ordinals. Package segment writes and reads most sections:
//
//	pubs.*                        the values of each pub as JSON writes them, to be copied into answers between their
//	                              names, hash slots that find pubs by UID, and the rows of pubs in the snapshot file
//	details.*                     what answers show of each pub on request: address, postcode, area, alternative names,
//	                              features, hours, brand, time zone, and the extra columns that the operator keeps
//	names.*                       distinct folded names with their ranges of ordinals; in words and alternatives, the
//	                              words by which relevance compares a name with a query
//	titles.*                      distinct folded names without the and and
//	words.*                       the terms of all fields: a sorted arena of terms, the postings of each in names,
//	                              locations and areas, and unions for prefixes that many pubs have
//	named.*, local.*, rest.*, category.*
//	                              the same, by the same terms, of names alone, of locations and areas, of the other
//	                              fields, and of categories alone
//	words.whole, .placed, .codes  sets of pubs by the terms of words, for strict matches: those that no other one equals
//	words.trigrams, .endings, .letters
//	                              indexes that find terms by their parts, and rule out most terms that are too far from
//	                              a word
//	joined.*                      neighbouring words of a field, written together
//	places.*                      phrases that name places, with their pubs; postcodes with theirs; the names and aliases
//	                              of the gazetteer with their points; the centres of places
//	rated, located                bitmaps of the rated pubs and those with coordinates
//	points, vectors               the positions of pubs, in degrees and on the unit sphere
//	packed.*, packed.rated.*      points with their neighbours, in blocks and groups with caps around them
//	orders.*, fair.scale          for each sort key, the pubs by place (the descending order is derived) and the number
//	                              of the value of each, with the values; the scale of fair scores
//	trading.*, common_category.*, location.*
//	                              the values of columns, with the pubs of each
//	local.beer, … local.total     for ranks within a location, the numbers of the values of its rated pubs, by metric
//	features.*, features.denied.* the features that pubs have, and those that they are said not to have, with their pubs
//	hours.*                       when pubs are open: distinct kinds of day as intervals of minutes, distinct years as the
//	                              kinds of the weekdays of their seasons, and the number of that of each pub
//	labels.*                      what distinguishes pubs with the same name

// The stages of a search.
//
//	Query ── compile ──▶ search ── match ──▶ matches ── page ──▶ Result
//	         names            words                sort key
//	         become           become               becomes
//	         ordinals         sets                 ranks
//
// Compile. The filter's values, minimums, UIDs and marker are looked up: each becomes a condition, in one of three
// forms (values of an order, values of a column, a set), or a range of ordinals to leave out. A box or a circle that
// contains every point is recognised, and costs nothing. Later stages do not change the compiled query.
//
// Match. The text is folded as the data was, and read: a Reading has what its words wish and deny, and the places that
// they name. Each word becomes the set of the pubs that have it (package terms); the last one also stands for all words
// that begin with it. An Answer has the pubs that match names, places and codes, or phrases that divide the query. Sets
// are ascending lists or, from one in 256 pubs on (unions and what is rarely asked for, from more on), bitmaps (package
// postings). The smallest set is intersected first, and two bitmaps are intersected 64 pubs at a time. In a circle, either
// the matching pubs are measured or the circle's pubs are looked up, whichever costs less.
//
// A query that asks for pubs, such as those of a place (package places), is answered by all of them. One that matches
// nothing as it stands is relaxed by a table of attempts: words written together or otherwise, a place and the rest of
// the query, parts of words, misspellings, and finally some words alone. The first attempt that finds a pub answers;
// with relax=more, a later one adds to fewer than five pubs. Near a point, the attempts are made around it first.
//
// Page. The table of sort keys has a ranker for each. With a prepared order, a page of a dense set is found by
// walking the order, one of a sparse set by selecting among the places of its members; the cost does not grow with
// the depth of the page. By distance, groups of points that cannot be on the page are skipped. By weighted means, all
// hits are scored; by relevance (package relevance), too, but near a point only those within a distance that grows until
// the page is certain. How well a name fits is found once for each distinct name, as namesakes are neighbours.

// Memory.
//
// A Workspace is the memory of one search: pools of sets, items, words. It is passed down by name; a stage returns
// its result as a value. A set that an operation returns belongs to its caller until the search ends or, in an attempt
// to relax a query, until the next attempt. A search does not allocate once its workspace has grown.

// Hostile files.
//
// Checksums detect damage. Because a file with correct checksums may still have invalid content, Open checks all
// offsets and ordinals that are followed, and the only unsafe code that reads it (indexfile/flat.go) makes typed slices
// of checked lengths. The worst case is a panic with an index out of range, which Open and Snapshot.Verify turn into
// errors, and which a server must recover.
