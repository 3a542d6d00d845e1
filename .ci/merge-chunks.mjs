// Merges the files of `dist` that are always loaded together. The bundler keeps them apart, as some of them also belong
// to what is loaded at a first call; Node.js takes half a millisecond for each file.
import { readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { rollup } from 'rollup'
import ts from 'typescript'

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

/** Comments that bundlers or lawyers read. */
const IS_KEPT = /__PURE__|__NO_SIDE_EFFECTS__|^\/\*!|@license/

/** Comments are for readers of the sources, and an eightieth of the package. */
const withoutComments = (code) => {
  const found = new Map()
  const visit = (node) => {
    const before = ts.getLeadingCommentRanges(code, node.pos) ?? []
    const behind = ts.getTrailingCommentRanges(code, node.end) ?? []
    for (const { pos, end } of [...before, ...behind]) found.set(pos, end)
    ts.forEachChild(node, visit)
  }
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.Latest)
  visit(file)
  visit(file.endOfFileToken)
  let left = code
  for (const [pos, end] of [...found].sort(([one], [other]) => other - one)) {
    if (IS_KEPT.test(code.slice(pos, end))) continue
    const isAlone = /(^|\n)[ \t]*$/.test(code.slice(0, pos)) && code[end] === '\n'
    const begin = isAlone ? code.lastIndexOf('\n', pos - 1) + 1 : pos
    left = left.slice(0, begin) + left.slice(isAlone ? end + 1 : end)
  }
  return left
}

let loaders
const groups = []
await bundle.write({
  dir: resolve(root, 'dist'),
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  hoistTransitiveImports: false,
  plugins: [{ name: 'without-comments', renderChunk: withoutComments }],
  manualChunks: (id, modules) => {
    loaders ??= loadersOf(modules)
    const group = loaders.get(id)
    if (group === undefined || entries.includes(id)) return undefined
    if (!groups.includes(group)) groups.push(group)
    return `shared-${groups.indexOf(group) + 1}`
  },
})
await bundle.close()
