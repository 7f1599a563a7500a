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
