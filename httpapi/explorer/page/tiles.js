// Tiles of a map beneath the points, from a URL template.

const kept = 300 // images, or as many as are seen where that is more
const size = 256 // pixels
const deepest = 19

export class Tiles {
  #images = new Map() // by URL, those that were used last at the end
  #template
  #arrived

  constructor(template, arrived) {
    this.#template = template
    this.#arrived = arrived
  }

  draw(context, view) {
    const zoom = Math.max(0, Math.min(deepest, Math.round(view.zoom))), tiles = 2 ** zoom, side = view.scale / tiles
    const first = view.at(0, 0), last = view.at(view.width, view.height)
    let seen = 0
    const clamp = value => Math.max(0, Math.min(tiles - 1, Math.floor(value * tiles)))
    for (let y = clamp(first.y); y <= clamp(last.y); y++) {
      for (let x = clamp(first.x); x <= clamp(last.x); x++) {
        seen++
        const image = this.#image(zoom, x, y), at = view.pixel(x / tiles, y / tiles)
        if (image.complete && image.naturalWidth) context.drawImage(image, at.x, at.y, side + 0.5, side + 0.5)
      }
    }
    for (const url of this.#images.keys()) {
      if (this.#images.size <= Math.max(kept, seen)) break
      this.#images.delete(url)
    }
  }

  #image(zoom, x, y) {
    const url = this.#template.replaceAll('{z}', zoom).replaceAll('{x}', x).replaceAll('{y}', y)
    let image = this.#images.get(url)
    if (image) {
      this.#images.delete(url)
    } else {
      image = new Image(size, size)
      image.onload = this.#arrived
      image.src = url
    }
    this.#images.set(url, image)
    return image
  }
}
