import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { addRatio, addRows, type Report } from './report.ts'
import { median } from './rounds.ts'
import { runTimed } from './timed.ts'
import type { Scale } from './workloads.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const MAX_GZIP_BYTES = 40_000
/** How much longer Node.js may take to start with an import of the core. */
const MAX_IMPORT_MILLISECONDS = 55

/** Workload F: what it costs to have the library at all. */
export const footprint = async (report: Report, scale: Scale): Promise<void> => {
  await sizes(report)
  await imports(report, scale)
}

const sizes = async (report: Report): Promise<void> => {
  console.log('\nF bundle, minified, gzip')
  const own = await bundle("export { createIam } from './src/index.ts'", 'external')
  const alone = await bundle("export { createIam } from './dist/index.js'", 'bundle')
  const whole = await bundle("export * from './dist/index.js'", 'bundle')
  console.log(`  createIam: own code at its start ${own} bytes, with dependencies ${alone} bytes`)
  console.log(`  all names of the root, with dependencies: ${whole} bytes`)
  addRatio(report, 'F own code of createIam: 40 kB / its gzip size', {
    measured: MAX_GZIP_BYTES / own,
    target: 1,
  })
}

/** Of our own code what is loaded at a first call stays outside. */
const later: Plugin = {
  name: 'later',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
}

const bundle = async (code: string, packages: 'external' | 'bundle'): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    packages,
    plugins: packages === 'external' ? [later] : [],
    write: false,
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

const imports = async (report: Report, scale: Scale): Promise<void> => {
  const start = (name: string, code: string) => ({
    name,
    operations: 1,
    expected: 0,
    run: async () => {
      execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT })
      return 0
    },
  })
  const measured = await runTimed({ ...scale, rounds: 15 }, [
    start('bare start of Node', ''),
    start('import claviger', "import 'claviger'"),
    start('import zod/mini', "import 'zod/mini'"),
    ...['domain', 'sqlite', 'postgres', 'json', 'transport', 'testing'].map((subpath) =>
      start(`import claviger/${subpath}`, `import 'claviger/${subpath}'`),
    ),
  ])
  addRows(
    report,
    'F cold start',
    measured.map(({ measured }) => measured),
  )
  const [bare, core] = measured.map(({ measured }) => measured.nanoseconds)
  if (!bare || !core) return
  const added = median(core.map((took, round) => took - (bare[round] ?? Number.NaN)))
  addRatio(report, 'F import of the core: 55 ms / what it adds to a bare start', {
    measured: (MAX_IMPORT_MILLISECONDS * 1e6) / added,
    target: 1,
  })
}
