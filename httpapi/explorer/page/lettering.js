// Texts on the map that do not overlap.

const gap = 3 // pixels between two texts
const controls = /[\u0000-\u001f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g // would reverse the text that follows

export class Lettering {
  #context
  #taken = []

  /** Starts the texts of a view, in which the boxes {left, right, top, bottom} are taken. */
  constructor(context, view, theme, taken = []) {
    this.#context = context
    this.view = view
    this.theme = theme
    this.#taken = taken
  }

  /**
   * Writes a text next to a pixel, or centred on it, if there is room, and reports whether it did. Texts wider than most pixels are
   * truncated.
   */
  write(text, px, py, { size = 12, weight = 400, colour, middle = false, offset = 9, most = 180, always = false }) {
    const context = this.#context
    if (px < -most || py < -20 || px > this.view.width + most || py > this.view.height + 20) return false
    context.font = `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`
    let shown = text.replace(controls, '').slice(0, 80)
    let width = context.measureText(shown).width
    if (width > most) {
      while (shown && context.measureText(`${shown}…`).width > most) shown = Array.from(shown).slice(0, -1).join('')
      shown += '…'
      width = context.measureText(shown).width
    }
    const left = middle ? px - width / 2 : px + offset, top = py - size * 0.6
    const box = { left: left - gap, right: left + width + gap, top: top - gap, bottom: top + size * 1.2 + gap }
    if (!always && this.#taken.some(other => box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top)) return false
    this.#taken.push(box)
    context.textBaseline = 'middle'
    context.lineJoin = 'round'
    context.lineWidth = 3.5
    context.strokeStyle = this.theme.halo
    context.strokeText(shown, left, py)
    context.fillStyle = colour
    context.fillText(shown, left, py)
    return true
  }
}
