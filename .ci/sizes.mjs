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
  '.': { source: 'index.ts', own: 53_000, whole: 86_500 },
  './domain': { source: 'domain/index.ts', own: 9_200, whole: 19_400 },
  './evidence': { source: 'application/evidence/index.ts', own: 5_500, whole: 27_100 },
  './sqlite': { source: 'adapters/sqlite/index.ts', own: 26_000, whole: 48_000 },
  './postgres': { source: 'adapters/postgres/index.ts', own: 33_000, whole: 81_100 },
  // The table of the wire and the OpenAPI document are generated text; the descriptors of the second door come on top.
  './transport': { source: 'transport/index.ts', own: 71_200, whole: 128_900 },
  './json': { source: 'transport/json/index.ts', own: 51_700, whole: 73_400 },
  // With the assets, which the browser loads: .ci/console-assets.mjs holds them to 40 kB.
  './console': { source: 'console/index.ts', own: 86_700, whole: 108_400 },
  './import': { source: 'import/index.ts', own: 8_000, whole: 18_400 },
  './oidc': { source: 'oidc/index.ts', own: 8_300, whole: 36_600 },
  './cloudflare': { source: 'adapters/cloudflare/index.ts', own: 23_900, whole: 45_900 },
  './webhooks': { source: 'webhooks/index.ts', own: 18_200, whole: 37_500 },
  './testing': { source: 'testing/index.ts', own: 31_800, whole: 43_000 },
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
