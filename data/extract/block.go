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
	var ids, lats, lons, tags, visible packed
	m := message{rest: dense}
	for m.next() {
		switch m.number {
		case 1:
			ids = m.bytes()
		case 5:
			info := message{rest: m.bytes(), err: m.err}
			for info.next() {
				if info.number == 6 {
					visible = info.bytes()
				}
			}
			m.err = info.err
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
	// No tags at all means that no node has any, and no flags that all are visible.
	hasTags, hasFlags := len(tags) > 0, len(visible) > 0
	var id, lat, lon int64
	for len(ids) > 0 {
		if !ids.add(&id) || !lats.add(&lat) || !lons.add(&lon) {
			return damaged("fewer IDs, latitudes or longitudes than nodes")
		}
		isVisible := uint64(1)
		if hasFlags {
			var ok bool
			if isVisible, ok = visible.next(); !ok {
				return damaged("fewer flags than nodes")
			}
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
		if isVisible == 0 {
			continue
		}
		e.around = b.at(lat, lon)
		if err := b.take(e); err != nil {
			return err
		}
	}
	return nil
}

// parts are the fields of a Node, Way or Relation that several values make up.
type parts struct {
	keys, values              packed
	refs, lats, lons          packed // of a way
	members, types            packed // of a relation
	lat, lon                  int64  // of a node
	isDeleted, hasLat, hasLon bool
}

// readElement reads a Node, Way or Relation.
func (b *block) readElement(k kind, content []byte) error {
	var x parts
	var id int64
	m := message{rest: content}
	for m.next() {
		switch m.number {
		case 1:
			if id = m.varint(); k == node {
				id = m.sint()
			}
		case 2:
			x.keys = m.bytes()
		case 3:
			x.values = m.bytes()
		case 4:
			info := message{rest: m.bytes(), err: m.err}
			for info.next() {
				if info.number == 6 {
					x.isDeleted = info.varint() == 0
				}
			}
			m.err = info.err
		case 8:
			switch k {
			case node:
				x.lat, x.hasLat = m.sint(), true
			case way:
				x.refs = m.bytes()
			}
		case 9:
			switch k {
			case node:
				x.lon, x.hasLon = m.sint(), true
			case way:
				x.lats = m.bytes()
			case relation:
				x.members = m.bytes()
			}
		case 10:
			switch k {
			case way:
				x.lons = m.bytes()
			case relation:
				x.types = m.bytes()
			}
		}
	}
	if m.err != nil || x.isDeleted {
		return m.err
	}
	e := &b.element
	e.begin(k, id)
	for len(x.keys) > 0 {
		key, ok := x.keys.next()
		value, valueOK := x.values.next()
		if !ok || !valueOK {
			return damaged("%s %d: fewer values than keys", kindNames[k], id)
		}
		if err := b.addTag(key, value); err != nil {
			return err
		}
	}
	if x.hasLat && x.hasLon {
		e.around = b.at(x.lat, x.lon)
	}
	if err := b.addRefs(x); err != nil {
		return err
	}
	return b.take(e)
}

// addRefs adds the nodes of a way, and its positions in a file that has them there; or the members of a relation.
func (b *block) addRefs(x parts) error {
	e := &b.element
	var id, lat, lon int64
	for len(x.refs) > 0 {
		if !x.refs.add(&id) {
			return damaged("way %d: a node that is no number", e.id)
		}
		if err := e.addRefs(node, id); err != nil {
			return err
		}
	}
	for len(x.lats) > 0 {
		if !x.lats.add(&lat) || !x.lons.add(&lon) {
			return damaged("way %d: fewer longitudes than latitudes", e.id)
		}
		e.around = e.around.union(b.at(lat, lon))
	}
	id = 0
	for len(x.members) > 0 {
		memberType, ok := x.types.next() // numbered like kinds
		if !ok || !x.members.add(&id) {
			return damaged("relation %d: fewer types than members", e.id)
		}
		if err := e.addRefs(kind(memberType), id); err != nil {
			return err
		}
	}
	return nil
}
