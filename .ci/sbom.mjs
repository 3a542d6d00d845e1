// Writes reports/sbom.json, a CycloneDX document of what reaches a host: what npm installs with this package, and what
// is bundled into it. What a subpath asks hosts to install beside it is theirs to choose, and not in it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Packages for development whose code is in dist, as is that of zod and ulid: docs/NOTICE has their licences. */
const BUNDLED = ['@bufbuild/protobuf', '@preact/signals', 'preact']

const root = resolve(import.meta.dirname, '..')
const read = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const { name, version, description, license, ...own } = read('package.json')
const lock = read('package-lock.json')

// Of the whole lock file `npm sbom` would leave out what is bundled, and zod, which has a second name for tests.
const packages = {}
const keep = (needed) => {
  const place = `node_modules/${needed}`
  if (place in packages) return
  const { dev, ...locked } = lock.packages[place]
  packages[place] = locked
  for (const used of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }))
    keep(used)
}
const bundled = Object.fromEntries(BUNDLED.map((each) => [each, own.devDependencies[each]]))
const dependencies = { ...own.dependencies, ...bundled }
for (const needed of Object.keys(dependencies)) keep(needed)

// The document takes its name from the folder.
const folder = join(root, 'reports/sbom', name)
mkdirSync(folder, { recursive: true })
const main = { name, version, description, license, dependencies }
const write = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
write(join(folder, 'package.json'), main)
write(join(folder, 'package-lock.json'), { ...lock, packages: { '': main, ...packages } })

const parameters = ['--sbom-format=cyclonedx', '--sbom-type=library', '--package-lock-only']
const made = execFileSync('npm', ['sbom', ...parameters], { cwd: folder, encoding: 'utf8' })
// One tree gives one document.
const { serialNumber, ...document } = JSON.parse(made)
delete document.metadata.timestamp
for (const component of document.components)
  if (lock.packages[`node_modules/${component.name}`].dev)
    component.properties.push({ name: 'cdx:npm:package:bundled', value: 'true' })

const names = document.components.map((component) => component.name)
const missing = Object.keys(dependencies).filter((each) => !names.includes(each))
if (missing.length > 0) throw new Error(`Not in the document: ${missing.join(', ')}`)
write(join(root, 'reports/sbom.json'), document)
console.log(`reports/sbom.json: ${names.toSorted().join(', ')}`)
