// Says what keeps this package from being published: `node .ci/publish-check.mjs`, and before `npm publish`.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = process.argv[2] ?? resolve(import.meta.dirname, '..')
const read = (name) => readFileSync(resolve(folder, name), 'utf8')
const manifest = JSON.parse(read('package.json'))

const missing = [
  // What only an owner can give: docs/guides/publishing.md. The registry compares `repository` with where the provenance is from.
  ...['author', 'repository', 'homepage', 'bugs']
    .filter((name) => !manifest[name])
    .map((name) => `package.json has no ${name}: only an owner can give it`),
  ...(manifest.private
    ? ['package.json is private: the name in the registry is not reserved yet']
    : []),
  ...(manifest.publishConfig?.provenance === true ? [] : ['package.json asks for no provenance']),
  ...(read('CHANGELOG.md').includes(`## [${manifest.version}] - `)
    ? []
    : [`CHANGELOG.md has no section with a date for ${manifest.version}`]),
]
for (const each of missing) console.error(`NOT TO BE PUBLISHED: ${each}`)
process.exitCode = missing.length > 0 ? 1 : 0
