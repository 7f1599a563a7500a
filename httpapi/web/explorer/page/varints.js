// Sequences of varints (LEB128), which encode the points of the map.

const decoder = new TextDecoder()

export class Varints {
  #bytes
  #at = 0

  constructor(bytes) { this.#bytes = bytes }

  /** The next number, of at most 53 bits. */
  next() {
    let value = 0
    for (let unit = 1; ; unit *= 128) {
      if (this.#at >= this.#bytes.length) throw new RangeError('the answer breaks off')
      const byte = this.#bytes[this.#at++]
      value += (byte & 127) * unit
      if (byte < 128) return value
    }
  }

  /** The next text, of a number of bytes of UTF-8. */
  text(length) {
    this.#at += length
    return decoder.decode(this.#bytes.subarray(this.#at - length, this.#at))
  }
}
