// Points drawn into the pixels of an image. Overlapping points are darker.

const margin = 16 // pixels around what is seen, for points that are seen in part

export class Raster {
  #canvas = document.createElement('canvas')
  #context = this.#canvas.getContext('2d', { willReadFrequently: true })

  /** Clears the image, and resizes it if necessary. */
  clear(width, height) {
    if (this.#canvas.width !== width + 2 * margin || this.#canvas.height !== height + 2 * margin) {
      this.#canvas.width = width + 2 * margin
      this.#canvas.height = height + 2 * margin
      this.image = new ImageData(this.#canvas.width, this.#canvas.height)
      this.pixels = new Uint32Array(this.image.data.buffer)
      this.ink = new Uint8Array(this.pixels.length)
    }
    this.pixels.fill(0)
    this.ink.fill(0)
  }

  /** Draws points: x · scale - left and y · scale - top are their pixels; a palette has the colour of each amount of ink. */
  draw(points, scale, left, top, stamp, palette) {
    const { pixels, ink } = this, { width, height } = this.image
    const { x, y, count } = points, { reach, dx, dy, amount } = stamp
    const offsets = dx.map((d, i) => dy[i] * width + d), size = offsets.length
    const right = width - reach, bottom = height - reach
    left = Math.round(left) - margin // whole pixels: points do not tremble while the map moves
    top = Math.round(top) - margin
    for (let i = 0; i < count; i++) {
      const px = Math.round(x[i] * scale) - left
      if (px < reach || px >= right) continue
      const py = Math.round(y[i] * scale) - top
      if (py < reach || py >= bottom) continue
      const middle = py * width + px
      for (let k = 0; k < size; k++) {
        const at = middle + offsets[k], sum = ink[at] + amount[k]
        pixels[at] = palette[ink[at] = sum > 255 ? 255 : sum]
      }
    }
  }

  /** Starts another layer, whose ink does not add to that of the ones below. */
  layer() { this.ink.fill(0) }

  /** Puts the pixels onto a context whose unit is the pixel. */
  put(context) {
    this.#context.putImageData(this.image, 0, 0)
    context.drawImage(this.#canvas, -margin, -margin)
  }
}

/** A round stamp with a soft edge; strength is its ink from 0 to 1. The radius in pixels is at most the margin of a raster. */
export function makeStamp(radius, strength) {
  const reach = Math.min(margin, Math.ceil(radius)), dx = [], dy = [], amount = []
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const cover = Math.min(1, radius + 0.5 - Math.hypot(x, y))
      if (cover <= 0) continue
      dx.push(x)
      dy.push(y)
      amount.push(Math.round(255 * strength * cover))
    }
  }
  return { reach, dx: Int32Array.from(dx), dy: Int32Array.from(dy), amount: Uint8Array.from(amount) }
}

/** The 256 colours from transparent to a colour written as #rrggbb, as pixels of an image. */
export function makePalette(colour) {
  const [red, green, blue] = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16))
  const palette = new Uint32Array(256), bytes = new Uint8Array(palette.buffer)
  for (let ink = 0; ink < 256; ink++) bytes.set([red, green, blue, ink], 4 * ink)
  return palette
}
