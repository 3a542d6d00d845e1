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

/** Comments and indentation are for readers of the sources, and a thirtieth of the package. Lines and names stay. */
const compact = (code) => {
  const comments = new Map()
  const templates = []
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.Latest)
  const visit = (node) => {
    const before = ts.getLeadingCommentRanges(code, node.pos) ?? []
    const behind = ts.getTrailingCommentRanges(code, node.end) ?? []
    for (const { pos, end } of [...before, ...behind]) comments.set(pos, end)
    if (ts.isTemplateLiteralToken(node)) templates.push([node.getStart(file), node.end])
    ts.forEachChild(node, visit)
  }
  visit(file)
  visit(file.endOfFileToken)
  const whole = [...comments, ...templates]
  const indents = Array.from(code.matchAll(/^ +/gm), ({ 0: { length }, index }) => [
    index,
    index + length,
  ])
  const left = indents.filter(([at]) => !whole.some(([pos, end]) => pos < at && at < end))
  for (const [pos, end] of comments) {
    if (IS_KEPT.test(code.slice(pos, end))) continue
    const isAlone = /(^|\n) *$/.test(code.slice(0, pos)) && code[end] === '\n'
    left.push([pos, isAlone ? end + 1 : end])
  }
  const cuts = left.sort(([one], [other]) => other - one)
  return cuts.reduce((rest, [pos, end]) => rest.slice(0, pos) + rest.slice(end), code)
}

let loaders
// In an order of their own: rollup asks for modules in another order each time.
let groups
await bundle.write({
  dir: resolve(root, 'dist'),
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  hoistTransitiveImports: false,
  plugins: [{ name: 'compact', renderChunk: compact }],
  manualChunks: (id, modules) => {
    loaders ??= loadersOf(modules)
    groups ??= [...new Set(loaders.values())].sort()
    const group = loaders.get(id)
    if (group === undefined || entries.includes(id)) return undefined
    return `shared-${groups.indexOf(group) + 1}`
  },
})
await bundle.close()
