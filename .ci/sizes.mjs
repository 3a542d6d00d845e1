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
 * What subpaths share with the root is one file of `dist`, so `whole` has parts of it that a subpath does not use.
 */
const BUDGETS = {
  // What hosts start with. In one file, what is loaded later costs the frames that bundlers put around it.
  createIam: { source: 'index.ts', own: 47_800, whole: 107_700 },
  '.': { source: 'index.ts', own: 65_400, whole: 123_300 },
  './domain': { source: 'domain/index.ts', own: 12_700, whole: 23_300 },
  './evidence': { source: 'application/evidence/index.ts', own: 6_400, whole: 16_800 },
  './sqlite': { source: 'adapters/sqlite/index.ts', own: 43_300, whole: 63_700 },
  './postgres': { source: 'adapters/postgres/index.ts', own: 54_500, whole: 100_900 },
  './sql': { source: 'adapters/sql/index.ts', own: 34_400, whole: 54_600 },
  // The table of the wire and the OpenAPI document are generated text.
  './transport': { source: 'transport/index.ts', own: 38_300, whole: 91_400 },
  // Generated too, and with the library that hosts of clients have.
  './client': { source: '../reports/client/index.js', own: 22_400, whole: 38_300 },
  // With the assets, compressed: .ci/console-assets.mjs holds them to a budget.
  './console': { source: 'console/index.ts', own: 126_700, whole: 179_400 },
  './import': { source: 'import/index.ts', own: 12_500, whole: 24_200 },
  './oidc': { source: 'oidc/index.ts', own: 20_000, whole: 58_400 },
  './cloudflare': { source: 'adapters/cloudflare/index.ts', own: 39_300, whole: 59_700 },
  // 5.2 kB, and the servers of the transport.
  './authzen': { source: 'authzen/index.ts', own: 7_800, whole: 7_900 },
  // With the servers of the transport, as AuthZEN.
  './scim': { source: 'scim/index.ts', own: 12_300, whole: 12_300 },
  // With claviger/oidc, and the errors of the root, which guards throw.
  './better-auth': { source: 'better-auth/index.ts', own: 34_600, whole: 64_700 },
  './webhooks': { source: 'webhooks/index.ts', own: 24_400, whole: 46_400 },
  './node': { source: 'node/index.ts', own: 3_300, whole: 3_300 },
  // `whole` has claviger/postgres, which testPostgres loads.
  './laws': { source: 'laws/index.ts', own: 48_300, whole: 61_400 },
  './testing': { source: 'testing/index.ts', own: 500, whole: 104_000 },
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
// An alias.
const measured = subpaths.filter(([subpath]) => subpath !== './json')
for (const [entry, { names, file }] of [createIam, ...measured]) {
  const { source, ...budgets } = BUDGETS[entry] ?? {}
  if (source === undefined) throw new Error(`${entry} has no budget`)
  const own = `export ${names} from './src/${source}'`
  const sizes = {
    own: await sizeOf(own, { packages: 'external', plugins: [LATER] }),
    // Whoever adds a plugin to better-auth has it.
    whole: await sizeOf(`export ${names} from '${file}'`, { external: ['better-auth/*'] }),
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
