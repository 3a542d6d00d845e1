// Merges the files of `dist` that are always loaded together. The bundler keeps them apart, as some of them also belong
// to what is loaded at a first call; Node.js takes half a millisecond for each file.
import { readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { rollup } from 'rollup'

const root = resolve(import.meta.dirname, '..')
const { exports } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'))
const entries = [
  ...new Set(
    Object.values(exports).flatMap((each) => (each.default ? [resolve(root, each.default)] : [])),
  ),
]

/** For each file, a text that names the entries that load it at once. */
const loadersOf = ({ getModuleInfo }) => {
  const loaders = new Map()
  for (const entry of entries) {
    const seen = new Set()
    const visit = (id) => {
      if (seen.has(id)) return
      seen.add(id)
      loaders.set(id, `${loaders.get(id) ?? ''} ${entry}`)
      getModuleInfo(id).importedIds.forEach(visit)
    }
    visit(entry)
  }
  return loaders
}

const bundle = await rollup({
  input: entries,
  external: (id) => !/^[./]/.test(id),
  treeshake: false,
  // It would tell of imports that are not used.
  logLevel: 'silent',
})
for (const file of bundle.watchFiles) rmSync(file)

let loaders
const groups = []
await bundle.write({
  dir: resolve(root, 'dist'),
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  hoistTransitiveImports: false,
  manualChunks: (id, modules) => {
    loaders ??= loadersOf(modules)
    const group = loaders.get(id)
    if (group === undefined || entries.includes(id)) return undefined
    if (!groups.includes(group)) groups.push(group)
    return `shared-${groups.indexOf(group) + 1}`
  },
})
await bundle.close()
