const read = async path => (await fetch(path)).json()
const [spec, { key }] = await Promise.all([read('/openapi.json'), read('/explorer/settings.json')])

// Swagger UI sends each example and default that it has filled in, and of these parameters many exclude one another: all
// but what an operation needs are told in words.
const ofPaths = Object.values(spec.paths).flatMap(({ get }) => get.parameters ?? [])
for (const parameter of [...ofPaths, ...Object.values(spec.components.parameters ?? {})]) {
  if (!parameter.schema || parameter.required || parameter.name === 'search') continue
  if (parameter.schema.default !== undefined) parameter.description += ` Default: ${parameter.schema.default}.`
  if (parameter.example !== undefined) parameter.description += ` Example: ${parameter.example}`
  delete parameter.schema.default
  delete parameter.example
}

const ui = SwaggerUIBundle({
  spec,
  dom_id: '#docs',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  persistAuthorization: false,
  onComplete: () => key && ui.preauthorizeApiKey('key', key),
})

// What Swagger UI does not tell assistive technology: names of controls, levels of headings, what scrolls. The links
// inside its buttons do what the buttons do.
const named = (selector, name) => document.querySelectorAll(`${selector}:not([aria-label])`).forEach(e => { e.ariaLabel = name(e) })
new MutationObserver(() => {
  named('tr select, tr input, tr textarea', e => e.closest('[data-param-name]')?.dataset.paramName ?? 'Media type or example')
  named('#servers', () => 'Server')
  named('.copy-to-clipboard button', () => 'Copy')
  named('.close-modal', () => 'Close')
  document.querySelectorAll('.modal-btn[aria-label]').forEach(e => e.removeAttribute('aria-label')) // not what it says
  document.querySelectorAll('h2, h3, h4, h5, h6').forEach(e => { e.ariaLevel = Math.min(e.tagName[1] - 1, 4) })
  document.querySelectorAll('.microlight').forEach(e => { e.tabIndex = 0 })
  document.querySelectorAll('button a[href]').forEach(e => e.removeAttribute('href'))
}).observe(document.body, { childList: true, subtree: true })
