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

/** Spaces at the begin of a line, and around signs. */
const SPACES = /^ +| +(?=[{}()[\],;:?=<>|&!])|(?<=[{}()[\],;:?=<>|&!]) +/gm

/** Comments and spaces are for readers of the sources, and a twentieth of the package. Lines and names stay. */
const compact = (code) => {
  const comments = new Map()
  const texts = []
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.Latest)
  const visit = (node) => {
    const before = ts.getLeadingCommentRanges(code, node.pos) ?? []
    const behind = ts.getTrailingCommentRanges(code, node.end) ?? []
    for (const { pos, end } of [...before, ...behind]) comments.set(pos, end)
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node))
      texts.push([node.getStart(file), node.end])
    ts.forEachChild(node, visit)
  }
  visit(file)
  visit(file.endOfFileToken)
  const whole = [...comments, ...texts].sort(byStart)
  let next = 0
  const left = Array.from(code.matchAll(SPACES), ({ 0: { length }, index }) => [
    index,
    index + length,
  ]).filter(([at]) => {
    while (next < whole.length && whole[next][1] <= at) next++
    return next === whole.length || at < whole[next][0]
  })
  for (const [pos, end] of comments) {
    if (IS_KEPT.test(code.slice(pos, end))) continue
    const isAlone = /(^|\n) *$/.test(code.slice(0, pos)) && code[end] === '\n'
    left.push([pos, isAlone ? end + 1 : end])
  }
  let kept = 0
  const parts = left.sort(byStart).map(([pos, end]) => {
    const part = code.slice(kept, pos)
    kept = end
    return part
  })
  return [...parts, code.slice(kept)].join('')
}

const byStart = ([one], [other]) => one - other

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
