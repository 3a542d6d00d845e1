// Compares the size of each subpath, minified and gzipped, with its budget. `own` is our code alone, as it is
// in `src`; `whole` is what a host would bundle, with all that it depends on.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * In bytes. Raise one only with a reason in the commit. A `whole` that doubles has `import { z }` in it,
 * which holds all of the schema library, instead of `import * as z`.
 */
const BUDGETS = {
  // Room for access.permissions.
  '.': { source: 'index.ts', own: 56_200, whole: 89_200 },
  './domain': { source: 'domain/index.ts', own: 20_000, whole: 40_000 },
  './evidence': { source: 'application/evidence/index.ts', own: 10_000, whole: 25_000 },
  './sqlite': { source: 'adapters/sqlite/index.ts', own: 25_100, whole: 47_100 },
  './postgres': { source: 'adapters/postgres/index.ts', own: 32_700, whole: 80_900 },
  // The table of the wire and the OpenAPI document are generated text; the descriptors of the second door come on top.
  './transport': { source: 'transport/index.ts', own: 72_500, whole: 132_000 },
  './json': { source: 'transport/json/index.ts', own: 53_000, whole: 75_500 },
  // With the assets, which the browser loads: .ci/console-assets.mjs holds them to 40 kB.
  './console': { source: 'console/index.ts', own: 100_000, whole: 160_000 },
  './import': { source: 'import/index.ts', own: 8_200, whole: 19_000 },
  './oidc': { source: 'oidc/index.ts', own: 8_300, whole: 46_200 },
  './cloudflare': { source: 'adapters/cloudflare/index.ts', own: 23_200, whole: 45_400 },
  './webhooks': { source: 'webhooks/index.ts', own: 17_200, whole: 37_500 },
  './testing': { source: 'testing/index.ts', own: 32_100, whole: 43_100 },
}

const root = resolve(import.meta.dirname, '..')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const sizeOf = async (file, packages) => {
  const { outputFiles } = await build({
    entryPoints: [join(root, file)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    packages,
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}

let isWithin = true
for (const [subpath, conditions] of Object.entries(exports)) {
  const file = conditions.default
  if (file === undefined) continue
  const { source, ...budgets } = BUDGETS[subpath] ?? {}
  if (source === undefined) throw new Error(`${subpath} has no budget`)
  const sizes = {
    own: await sizeOf(join('src', source), 'external'),
    whole: await sizeOf(file, 'bundle'),
  }
  for (const [kind, size] of Object.entries(sizes)) {
    const budget = budgets[kind]
    const isFine = size <= budget
    isWithin &&= isFine
    const verdict = isFine ? 'ok' : 'TOO BIG'
    console.log(`${subpath.padEnd(12)} ${kind.padEnd(6)} ${size} of ${budget} bytes: ${verdict}`)
  }
}
process.exitCode = isWithin ? 0 : 1
