// Writes reports/sbom.json, a CycloneDX document of what reaches a host: what npm installs with this package, and what
// is bundled into it. What a subpath asks hosts to install beside it is theirs to choose, and not in it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Packages for development whose code is in dist, as is that of zod and ulid: docs/NOTICE has their licences. */
const BUNDLED = ['@preact/signals', 'preact']

const root = resolve(import.meta.dirname, '..')
const file = resolve(root, 'reports/sbom.json')
mkdirSync(resolve(root, 'reports'), { recursive: true })

// Development is left out below: the tool would leave out what is bundled, too.
const { status, stderr } = spawnSync(
  resolve(root, 'node_modules/.bin/cyclonedx-npm'),
  ['--package-lock-only', '--output-reproducible', '--mc-type', 'library', '--output-file', file],
  { cwd: root, encoding: 'utf8' },
)
if (status !== 0) throw new Error(stderr)

const document = JSON.parse(readFileSync(file, 'utf8'))
const nameOf = ({ group, name }) => (group ? `${group}/${name}` : name)
const isDevelopment = ({ properties = [] }) =>
  properties.some(({ name }) => name === 'cdx:npm:package:development')

const uses = new Map(document.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
const refs = new Set()
const keep = (ref) => {
  if (refs.has(ref)) return
  refs.add(ref)
  for (const used of uses.get(ref) ?? []) keep(used)
}
for (const component of document.components) {
  const isBundled = BUNDLED.includes(nameOf(component))
  if (isBundled || !isDevelopment(component)) keep(component['bom-ref'])
}

const components = document.components
  .filter((component) => refs.has(component['bom-ref']))
  .map(({ properties, ...component }) =>
    isDevelopment({ properties })
      ? { ...component, properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] }
      : { ...component, properties },
  )
const main = document.metadata.component['bom-ref']
const dependencies = document.dependencies
  .filter(({ ref }) => ref === main || refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({
    ref,
    dependsOn: dependsOn.filter((used) => refs.has(used)),
  }))

const names = new Set(components.map(nameOf))
const { dependencies: ranges } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'))
const missing = [...Object.keys(ranges), ...BUNDLED].filter((name) => !names.has(name))
if (missing.length > 0) throw new Error(`Not in the document: ${missing.join(', ')}`)

writeFileSync(file, `${JSON.stringify({ ...document, components, dependencies }, null, 2)}\n`)
console.log(`reports/sbom.json: ${[...names].toSorted().join(', ')}`)
