import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { addRatio, addRows, type Report } from './report.ts'
import { median } from './rounds.ts'
import { runTimed } from './timed.ts'
import type { Scale } from './workloads.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const MAX_GZIP_BYTES = 40_000
/** How much longer an import of the core may take than one of what it cannot do without. */
const MAX_IMPORT_RATIO = 1.4

/** Workload F: what it costs to have the library at all. */
export const footprint = async (report: Report, scale: Scale): Promise<void> => {
  await sizes(report)
  await imports(report, scale)
}

const sizes = async (report: Report): Promise<void> => {
  console.log('\nF bundle of the core, minified, gzip')
  const own = await bundle('./src/index.ts', 'external')
  const whole = await bundle('./dist/index.js', 'bundle')
  console.log(`  own code ${own} bytes, with dependencies ${whole} bytes`)
  addRatio(report, 'F own code of the core, gzip', {
    measured: MAX_GZIP_BYTES / own,
    target: 1,
  })
}

const bundle = async (entry: string, packages: 'external' | 'bundle'): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    packages,
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
    start('import zod/mini and neverthrow', "import 'zod/mini'; import 'neverthrow'"),
    start('import claviger', "import 'claviger'"),
    ...['sqlite', 'postgres', 'transport', 'testing'].map((subpath) =>
      start(`import claviger/${subpath}`, `import 'claviger/${subpath}'`),
    ),
  ])
  addRows(
    report,
    'F cold start',
    measured.map(({ measured }) => measured),
  )
  const [bare, needed, core] = measured.map(({ measured }) => measured.nanoseconds)
  if (!bare || !needed || !core) return
  const added = (took: readonly number[]) =>
    median(took.map((each, round) => each - (bare[round] ?? Number.NaN)))
  addRatio(report, 'F import of zod/mini and neverthrow / of the core', {
    measured: (MAX_IMPORT_RATIO * added(needed)) / added(core),
    target: 1,
  })
}
