package extract

import "math"

// maxTexts bounds the texts of a block, which usually has 8,000 elements.
const maxTexts = 1 << 20

// block reads the elements of PBF blocks, one block after the other. It keeps what it can use again.
type block struct {
	take  func(*raw) error
	texts []string // which elements refer to by number
	// A coordinate is an offset and a number of granules, in billionths of a degree.
	granularity, latOffset, lonOffset int64
	element                           raw
}

// read reads a PrimitiveBlock.
func (b *block) read(content []byte) error {
	b.granularity, b.latOffset, b.lonOffset, b.texts = 100, 0, 0, b.texts[:0]
	table := []any{1: b.addText}
	texts := func(content []byte) error { return parse(content, table) }
	// The groups may come before what they refer to.
	if err := parse(content, []any{1: texts, 17: &b.granularity, 19: &b.latOffset, 20: &b.lonOffset}); err != nil {
		return err
	}
	of := func(k kind) func([]byte) error {
		return func(content []byte) error { return b.readElement(k, content) }
	}
	elements := []any{1: of(node), 2: b.readDense, 3: of(way), 4: of(relation)}
	return parse(content, []any{2: func(group []byte) error { return parse(group, elements) }})
}

func (b *block) addText(text []byte) error {
	if len(b.texts) == maxTexts {
		return damaged("a block of more than %d texts", maxTexts)
	}
	b.texts = append(b.texts, string(text))
	return nil
}

// at returns the box around a position.
func (b *block) at(lat, lon int64) Box {
	const unit = 1e9 / degree // billionths
	in := func(offset, granules int64) float64 {
		return (float64(offset) + float64(b.granularity)*float64(granules)) / unit
	}
	return boxAt(in(b.latOffset, lat), in(b.lonOffset, lon))
}

// addTag adds the tag whose key and value have the next two numbers.
func (b *block) addTag(keys, values *packed) error {
	e := &b.element
	key, ok := keys.next()
	value, valueOK := values.next()
	if !ok || !valueOK {
		return damaged("%s %d: its tags end too early", e.kind, e.id)
	}
	if n := uint64(len(b.texts)); key >= n || value >= n {
		return damaged("%s %d: text %d of %d", e.kind, e.id, max(key, value), n)
	}
	return e.addTag(b.texts[key], b.texts[value])
}

// readDense reads DenseNodes: the numbers of all nodes lie side by side, as differences.
func (b *block) readDense(dense []byte) error {
	var ids, lats, lons, tags packed
	if err := parse(dense, []any{1: &ids, 8: &lats, 9: &lons, 10: &tags}); err != nil {
		return err
	}
	hasTags := len(tags) > 0 // otherwise no node has any
	var id, lat, lon int64
	for len(ids) > 0 {
		if !ids.add(&id) || !lats.add(&lat) || !lons.add(&lon) {
			return damaged("fewer IDs, latitudes or longitudes than nodes")
		}
		b.element.begin(ref{node, id})
		for hasTags && (len(tags) == 0 || tags[0] != 0) { // text 0 ends the tags of a node
			if err := b.addTag(&tags, &tags); err != nil {
				return err
			}
		}
		if hasTags {
			tags = tags[1:]
		}
		b.element.around = b.at(lat, lon)
		if err := b.take(&b.element); err != nil {
			return err
		}
	}
	return nil
}

// readElement reads a Node, Way or Relation.
func (b *block) readElement(k kind, content []byte) error {
	id, lat, lon := int64(0), int64(math.MaxInt64), int64(math.MaxInt64) // nowhere
	var keys, values, refs, types packed
	var places []any
	switch k { // a literal each, so that nothing is on the heap
	case node:
		places = []any{1: &id, 2: &keys, 3: &values, 8: &lat, 9: &lon}
	case way:
		places = []any{1: &id, 2: &keys, 3: &values, 8: &refs}
	case relation:
		places = []any{1: &id, 2: &keys, 3: &values, 9: &refs, 10: &types}
	}
	if err := parse(content, places); err != nil {
		return err
	}
	e := &b.element
	if k == node {
		id = zigZag(id)
	}
	e.begin(ref{k, id})
	for len(keys) > 0 {
		if err := b.addTag(&keys, &values); err != nil {
			return err
		}
	}
	member := int64(0)
	for len(refs) > 0 {
		memberKind, ok := uint64(node), true
		if k == relation {
			memberKind, ok = types.next() // numbered like kinds
		}
		if !ok || !refs.add(&member) {
			return damaged("%s %d: fewer numbers than nodes or members", k, id)
		}
		if err := e.addRef(ref{kind(memberKind), member}); err != nil {
			return err
		}
	}
	if k == node {
		e.around = b.at(zigZag(lat), zigZag(lon))
	}
	return b.take(e)
}
