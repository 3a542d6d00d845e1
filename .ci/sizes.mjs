// Compares the size of each subpath, and of `createIam` alone, minified and gzipped, with its budget. `own` is our code
// alone, as it is in `src`, without what is loaded at a first call; `whole` is what a host would bundle as one file,
// with that and all that it depends on.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * In bytes. Raise one only with a reason in the commit. A `whole` that doubles has `import { z }` in it,
 * which holds all of the schema library, instead of `import * as z`; one that grows by 3 kB uses `z.util`.
 */
const BUDGETS = {
  createIam: { source: 'index.ts', own: 40_000, whole: 69_900 },
  // Room for access.permissions.
  '.': { source: 'index.ts', own: 50_000, whole: 88_000 },
  './domain': { source: 'domain/index.ts', own: 9_200, whole: 20_200 },
  './evidence': { source: 'application/evidence/index.ts', own: 5_500, whole: 27_700 },
  './sqlite': { source: 'adapters/sqlite/index.ts', own: 26_000, whole: 46_600 },
  './postgres': { source: 'adapters/postgres/index.ts', own: 33_000, whole: 79_800 },
  // The table of the wire and the OpenAPI document are generated text; the descriptors of the second door come on top.
  './transport': { source: 'transport/index.ts', own: 55_500, whole: 126_600 },
  './json': { source: 'transport/json/index.ts', own: 36_500, whole: 71_200 },
  // With the assets, which the browser loads: .ci/console-assets.mjs holds them to 40 kB.
  './console': { source: 'console/index.ts', own: 71_500, whole: 106_200 },
  './import': { source: 'import/index.ts', own: 8_000, whole: 19_200 },
  './oidc': { source: 'oidc/index.ts', own: 8_300, whole: 38_000 },
  './cloudflare': { source: 'adapters/cloudflare/index.ts', own: 23_900, whole: 44_400 },
  // 5.2 kB, and the servers of the transport.
  './authzen': { source: 'authzen/index.ts', own: 7_700, whole: 9_000 },
  './webhooks': { source: 'webhooks/index.ts', own: 18_200, whole: 36_400 },
  './testing': { source: 'testing/index.ts', own: 31_800, whole: 43_700 },
}

const root = resolve(import.meta.dirname, '..')
const { exports } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'))

/** What is loaded at a first call stays outside. */
const LATER = {
  name: 'later',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
}

const sizeOf = async (code, options) => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    ...options,
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}

const subpaths = Object.entries(exports).flatMap(([subpath, { default: file }]) =>
  file ? [[subpath, { names: '*', file }]] : [],
)
const createIam = ['createIam', { names: '{ createIam }', file: exports['.'].default }]

let isWithin = true
for (const [entry, { names, file }] of [createIam, ...subpaths]) {
  const { source, ...budgets } = BUDGETS[entry] ?? {}
  if (source === undefined) throw new Error(`${entry} has no budget`)
  const own = `export ${names} from './src/${source}'`
  const sizes = {
    own: await sizeOf(own, { packages: 'external', plugins: [LATER] }),
    whole: await sizeOf(`export ${names} from '${file}'`),
  }
  for (const [kind, size] of Object.entries(sizes)) {
    const budget = budgets[kind]
    const isFine = size <= budget
    isWithin &&= isFine
    const verdict = isFine ? 'ok' : 'TOO BIG'
    console.log(`${entry.padEnd(12)} ${kind.padEnd(6)} ${size} of ${budget} bytes: ${verdict}`)
  }
}
process.exitCode = isWithin ? 0 : 1
