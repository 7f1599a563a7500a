// Zooms and moves the maps of the page. Without scripts, each map shows all of its pubs as paths of an SVG. Redrawing those takes too long, so this
// script draws land and dots on a canvas.
'use strict'

const deepest = 64, step = 1.5, still = 4
const scheme = matchMedia('(prefers-color-scheme: dark)')

/** The places of the dots of paths: x and y in turn. */
function places(paths) {
  const all = []
  for (const path of paths) {
    let x = 0, y = 0
    for (const [, dx, dy] of path.getAttribute('d').matchAll(/m(\S+) (\S+)h0/g)) all.push(x += Number(dx), y += Number(dy))
  }
  return new Int32Array(all)
}

for (const frame of document.querySelectorAll('.map')) {
  const svg = frame.querySelector('svg'), paths = svg.querySelectorAll('path:not(.land)'), dots = places(paths)
  const land = svg.querySelector('.land'), outline = new Path2D(land.getAttribute('d'))
  const canvas = document.createElement('canvas'), brush = canvas.getContext('2d')
  const { width, height } = svg.viewBox.baseVal
  let drawing
  const pointers = new Map()
  let zoom = 1, x = width / 2, y = height / 2 // the place in the middle

  const perPixel = () => Math.max(width / svg.clientWidth, height / svg.clientHeight) / zoom

  function show() {
    const clamp = (value, size, shown) => shown >= size ? size / 2 : Math.min(size - shown / 2, Math.max(shown / 2, value))
    const unit = perPixel()
    x = clamp(x, width, svg.clientWidth * unit)
    y = clamp(y, height, svg.clientHeight * unit)
    const wide = width / zoom, high = height / zoom
    svg.setAttribute('viewBox', `${x - wide / 2} ${y - high / 2} ${wide} ${high}`)
    svg.style.setProperty('--unit', `${unit}px`)
    frame.classList.toggle('near', zoom > 1)
    frame.dataset.zoom = zoom.toFixed(2)
    frame.querySelector('[data-zoom="0"]').disabled = frame.querySelector('[data-zoom="-1"]').disabled = zoom === 1
    frame.querySelector('[data-zoom="1"]').disabled = zoom === deepest
    drawing ??= requestAnimationFrame(draw)
  }

  function draw() {
    drawing = undefined
    const scale = devicePixelRatio, perDot = scale / perPixel(), size = scale * Math.min(6, 1 + Math.sqrt(zoom) / 2)
    canvas.width = svg.clientWidth * scale
    canvas.height = svg.clientHeight * scale
    const style = getComputedStyle(frame)
    brush.setTransform(perDot, 0, 0, perDot, canvas.width / 2 - x * perDot, canvas.height / 2 - y * perDot)
    brush.fillStyle = style.getPropertyValue('--land')
    brush.fill(outline, 'evenodd')
    brush.strokeStyle = style.getPropertyValue('--coast')
    brush.lineWidth = 0.75 * scale / perDot
    brush.stroke(outline)
    brush.resetTransform()
    brush.fillStyle = style.getPropertyValue('--blue')
    const left = canvas.width / 2 - x * perDot - size / 2, top = canvas.height / 2 - y * perDot - size / 2
    for (let i = 0; i < dots.length; i += 2) {
      const px = left + dots[i] * perDot, py = top + dots[i + 1] * perDot
      if (px > -size && px < canvas.width && py > -size && py < canvas.height) brush.fillRect(px, py, size, size)
    }
  }

  /** Zooms by a factor; what is at a pixel, counted from the middle, stays there. */
  function by(factor, px = 0, py = 0) {
    const before = perPixel()
    zoom = Math.min(deepest, Math.max(1, zoom * factor))
    x += px * (before - perPixel())
    y += py * (before - perPixel())
    show()
  }

  function pan(px, py) {
    x += px * perPixel()
    y += py * perPixel()
    show()
  }

  const at = event => {
    const box = svg.getBoundingClientRect()
    return { x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2 }
  }

  for (const button of frame.querySelectorAll('button')) {
    button.addEventListener('click', () => by({ '-1': 1 / step / step, 0: 1 / deepest, 1: step * step }[button.dataset.zoom]))
  }
  svg.addEventListener('dblclick', event => by(step * step, at(event).x, at(event).y))
  svg.addEventListener('wheel', event => {
    if (!event.ctrlKey && zoom === 1 && event.deltaY > 0) return // the page is scrolled
    event.preventDefault()
    by(2 ** Math.max(-1, Math.min(1, -event.deltaY / (event.ctrlKey ? 60 : 240))), at(event).x, at(event).y)
  }, { passive: false })

  svg.addEventListener('pointerdown', event => {
    if (event.button === 0) pointers.set(event.pointerId, { ...at(event), moved: 0 })
  })
  svg.addEventListener('pointermove', event => {
    const from = pointers.get(event.pointerId), to = at(event)
    if (!from) return
    const moved = from.moved + Math.hypot(to.x - from.x, to.y - from.y)
    if (moved > still && !svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId)
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
    pointers.set(event.pointerId, { ...to, moved })
    if (!other) return pan(from.x - to.x, from.y - to.y)
    const before = Math.hypot(from.x - other.x, from.y - other.y), after = Math.hypot(to.x - other.x, to.y - other.y)
    if (before > 0 && after > 0) by(after / before, (to.x + other.x) / 2, (to.y + other.y) / 2)
  })
  for (const end of ['pointerup', 'pointercancel']) svg.addEventListener(end, event => pointers.delete(event.pointerId))

  const keys = {
    ArrowLeft: () => pan(-80, 0), ArrowRight: () => pan(80, 0), ArrowUp: () => pan(0, -80), ArrowDown: () => pan(0, 80),
    '+': () => by(step), '=': () => by(step), '-': () => by(1 / step), 0: () => by(1 / deepest),
  }
  svg.addEventListener('keydown', event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    keys[event.key]()
  })

  for (const path of [land, ...paths]) path.remove()
  frame.prepend(canvas)
  svg.tabIndex = 0
  frame.querySelector('.zoom').hidden = false
  scheme.addEventListener('change', show)
  new ResizeObserver(show).observe(svg)
}
