package extract

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
	b.granularity, b.latOffset, b.lonOffset = 100, 0, 0
	b.texts = b.texts[:0]
	m := message{rest: content}
	for m.next() {
		switch m.number {
		case 1:
			if texts := m.bytes(); m.err == nil {
				m.err = b.readTexts(texts)
			}
		case 17:
			b.granularity = m.varint()
		case 19:
			b.latOffset = m.varint()
		case 20:
			b.lonOffset = m.varint()
		}
	}
	// The groups may come before what they refer to.
	m = message{rest: content, err: m.err}
	for m.next() {
		if m.number == 2 {
			if group := m.bytes(); m.err == nil {
				m.err = b.readGroup(group)
			}
		}
	}
	return m.err
}

// readTexts reads a StringTable.
func (b *block) readTexts(table []byte) error {
	text := string(table)
	m := message{rest: table}
	for m.next() {
		if m.number == 1 {
			to := len(text) - len(m.rest)
			b.texts = append(b.texts, text[to-len(m.bytes()):to])
		}
		if len(b.texts) > maxTexts {
			return damaged("a block of more than %d texts", maxTexts)
		}
	}
	return m.err
}

// readGroup reads a PrimitiveGroup.
func (b *block) readGroup(group []byte) error {
	m := message{rest: group}
	for m.next() {
		if m.number < 1 || m.number > 4 {
			continue
		}
		content := m.bytes()
		switch {
		case m.err != nil:
		case m.number == 2:
			m.err = b.readDense(content)
		default:
			m.err = b.readElement([...]kind{1: node, 3: way, 4: relation}[m.number], content)
		}
	}
	return m.err
}

// at returns the box around a position.
func (b *block) at(lat, lon int64) Box {
	const unit = 1e9 / degree // billionths
	return boxAt(float64(b.latOffset+b.granularity*lat)/unit, float64(b.lonOffset+b.granularity*lon)/unit)
}

// addTag adds a tag, whose key and value are given by number.
func (b *block) addTag(key, value uint64) error {
	e := &b.element
	if n := uint64(len(b.texts)); key >= n || value >= n {
		return damaged("%s %d: text %d of %d", kindNames[e.kind], e.id, max(key, value), n)
	}
	if len(e.tags) == maxTags {
		return damaged("%s %d: more than %d tags", kindNames[e.kind], e.id, maxTags)
	}
	e.tags[b.texts[key]] = b.texts[value]
	return nil
}

// readDense reads DenseNodes: the numbers of all nodes lie side by side, as differences.
func (b *block) readDense(dense []byte) error {
	var ids, lats, lons, tags packed
	m := message{rest: dense}
	for m.next() {
		switch m.number {
		case 1:
			ids = m.bytes()
		case 8:
			lats = m.bytes()
		case 9:
			lons = m.bytes()
		case 10:
			tags = m.bytes()
		}
	}
	if m.err != nil {
		return m.err
	}
	hasTags := len(tags) > 0 // otherwise no node has any
	var id, lat, lon int64
	for len(ids) > 0 {
		if !ids.add(&id) || !lats.add(&lat) || !lons.add(&lon) {
			return damaged("fewer IDs, latitudes or longitudes than nodes")
		}
		e := &b.element
		e.begin(node, id)
		for hasTags {
			key, ok := tags.next()
			if ok && key == 0 {
				break
			}
			value, valueOK := tags.next()
			if !ok || !valueOK {
				return damaged("fewer tags than nodes")
			}
			if err := b.addTag(key, value); err != nil {
				return err
			}
		}
		e.around = b.at(lat, lon)
		if err := b.take(e); err != nil {
			return err
		}
	}
	return nil
}

// parts has the packed fields of a Node, Way or Relation by number: keys and values, and of a way its nodes and their
// latitudes and longitudes, of a relation the roles, IDs and types of its members.
type parts [11]packed

// readElement reads a Node, Way or Relation.
func (b *block) readElement(k kind, content []byte) error {
	var x parts
	var id, lat, lon int64
	hasLat, hasLon := false, false
	m := message{rest: content}
	for m.next() {
		switch n := m.number; {
		case n == 1 && k == node:
			id = m.sint()
		case n == 1:
			id = m.varint()
		case n == 8 && k == node:
			lat, hasLat = m.sint(), true
		case n == 9 && k == node:
			lon, hasLon = m.sint(), true
		case n == 2 || n == 3 || 8 <= n && n < len(x):
			x[n] = m.bytes()
		}
	}
	if m.err != nil {
		return m.err
	}
	e := &b.element
	e.begin(k, id)
	for keys, values := x[2], x[3]; len(keys) > 0; {
		key, ok := keys.next()
		value, valueOK := values.next()
		if !ok || !valueOK {
			return damaged("%s %d: fewer values than keys", kindNames[k], id)
		}
		if err := b.addTag(key, value); err != nil {
			return err
		}
	}
	if hasLat && hasLon {
		e.around = b.at(lat, lon)
	}
	var err error
	switch k {
	case way:
		err = b.addNodes(x[8], x[9], x[10])
	case relation:
		err = b.addMembers(x[9], x[10])
	}
	if err != nil {
		return err
	}
	return b.take(e)
}

// addNodes adds the nodes of a way, and its positions in a file that has them there.
func (b *block) addNodes(refs, lats, lons packed) error {
	e := &b.element
	var id, lat, lon int64
	for len(refs) > 0 {
		if !refs.add(&id) {
			return damaged("way %d: a node that is no number", e.id)
		}
		if err := e.addRefs(node, id); err != nil {
			return err
		}
	}
	for len(lats) > 0 {
		if !lats.add(&lat) || !lons.add(&lon) {
			return damaged("way %d: fewer longitudes than latitudes", e.id)
		}
		e.around = e.around.union(b.at(lat, lon))
	}
	return nil
}

// addMembers adds the members of a relation.
func (b *block) addMembers(members, types packed) error {
	e := &b.element
	id := int64(0)
	for len(members) > 0 {
		memberType, ok := types.next() // numbered like kinds
		if !ok || !members.add(&id) {
			return damaged("relation %d: fewer types than members", e.id)
		}
		if err := e.addRefs(kind(memberType), id); err != nil {
			return err
		}
	}
	return nil
}
