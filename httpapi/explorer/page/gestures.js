// Mouse, touch, wheel and keys on the map.
import * as mercator from './mercator.js'
import { resters } from './names.js'

const still = 5 // pixels that a click may move
const reach = { mouse: 9, pen: 12, touch: 22 } // pixels around the pointer within which things count as clicked
const step = 80 // pixels that an arrow key moves the map

/**
 * Lets people move a chart. A click calls clicked(px, py, reach); things within reach pixels of it count as clicked. Dragging the edge of
 * the circle calls resized(km). A mouse that rests on a point calls rested(point, signal), and left() when it moves on.
 */
export function listen(canvas, chart, { clicked, resized, rested, left }) {
  const pointers = new Map(), rest = resters()
  let moved = 0, rim = false, beneath

  const at = event => {
    const box = canvas.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const place = p => {
    const { x, y } = chart.view.at(p.x, p.y)
    return { lat: mercator.latitude(y), lng: mercator.longitude(x) }
  }
  const isOnRim = (p, most) => {
    if (!chart.circle) return false
    const perPixel = mercator.width(chart.circle.lat) / chart.view.scale
    return Math.abs(mercator.distance(chart.circle, place(p)) - chart.circle.distance) / perPixel <= Math.min(most, 12)
  }

  const look = (event, at) => {
    if (event.pointerType !== 'mouse') return
    const rim = isOnRim(at, reach.mouse), point = rim ? undefined : chart.pick(at.x, at.y, reach.mouse)
    canvas.classList.toggle('rim', rim)
    canvas.classList.toggle('point', point !== undefined)
    if (point?.x === beneath?.x && point?.y === beneath?.y) return
    beneath = point
    left()
    rest(signal => { if (point) rested(point, signal) })
  }
  const away = () => {
    beneath = undefined
    left()
    rest(() => {})
  }
  canvas.addEventListener('pointerleave', away)

  canvas.addEventListener('pointerdown', event => {
    if (event.button) return
    away()
    canvas.setPointerCapture(event.pointerId)
    pointers.set(event.pointerId, at(event))
    if (pointers.size === 1) moved = 0
    rim = pointers.size === 1 && isOnRim(at(event), reach[event.pointerType] ?? reach.mouse)
  })

  canvas.addEventListener('pointermove', event => {
    const from = pointers.get(event.pointerId), to = at(event)
    if (!from) return look(event, to)
    moved += Math.hypot(to.x - from.x, to.y - from.y)
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
    pointers.set(event.pointerId, to)
    if (rim && chart.circle) {
      if (moved > still) resized(mercator.distance(chart.circle, place(to)))
    } else if (other) {
      const before = Math.hypot(from.x - other.x, from.y - other.y), after = Math.hypot(to.x - other.x, to.y - other.y)
      chart.move(view => {
        view.pan((from.x - to.x) / 2, (from.y - to.y) / 2)
        if (before > 0 && after > 0) view.zoomAt((to.x + other.x) / 2, (to.y + other.y) / 2, Math.log2(after / before))
      })
    } else chart.move(view => view.pan(from.x - to.x, from.y - to.y))
  })

  const up = event => {
    if (!pointers.delete(event.pointerId)) return
    if (event.type === 'pointerup' && pointers.size === 0 && moved <= still) {
      const p = at(event)
      clicked(p.x, p.y, reach[event.pointerType] ?? reach.mouse)
    }
    rim = false
  }
  canvas.addEventListener('pointerup', up)
  canvas.addEventListener('pointercancel', up)

  canvas.addEventListener('wheel', event => {
    event.preventDefault()
    const p = at(event), lines = event.deltaMode ? 16 : 1
    const levels = Math.max(-1, Math.min(1, -event.deltaY * lines / (event.ctrlKey ? 60 : 240)))
    chart.move(view => view.zoomAt(p.x, p.y, levels))
  }, { passive: false })

  const keys = {
    ArrowLeft: view => view.pan(-step, 0), ArrowRight: view => view.pan(step, 0),
    ArrowUp: view => view.pan(0, -step), ArrowDown: view => view.pan(0, step),
    '+': view => zoom(view, 0.5), '=': view => zoom(view, 0.5), '-': view => zoom(view, -0.5),
  }
  const zoom = (view, levels) => view.zoomAt(view.width / 2, view.height / 2, levels)
  canvas.addEventListener('keydown', event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    chart.move(keys[event.key])
  })
  document.getElementById('zoom-in').addEventListener('click', () => chart.move(view => zoom(view, 1)))
  document.getElementById('zoom-out').addEventListener('click', () => chart.move(view => zoom(view, -1)))
}
