// Builds `dist`, unless it is there as a build of these sources left it: `npm run build`.
import { execSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

process.chdir(resolve(import.meta.dirname, '..'))

const SOURCES = [
  'src/**',
  '.ci/*.{mjs,yaml}',
  '.ci/declarations.json',
  '*.json',
  '*.ts',
  'node_modules/.package-lock.json',
]
const MADE = ['src/{console,transport}/gen/*', 'reports/client/**', 'dist/**']
const STEPS = [
  'node .ci/generated.mjs',
  'node .ci/console-assets.mjs',
  'tsc --project .ci/declarations.json',
  'tsup --silent',
  'node .ci/merge-chunks.mjs',
  'node .ci/type-only-exports.mjs',
]

/** Of the last build: the hashes of what it read and of what it wrote. */
const LAST = 'node_modules/.cache/claviger/build'

const hashOf = (patterns, others = []) => {
  const left = new Set(globSync(others))
  const files = globSync(patterns).filter((path) => !left.has(path) && statSync(path).isFile())
  const hash = createHash('sha256').update(process.version)
  for (const path of files.sort()) hash.update(`\0${path}\0`).update(readFileSync(path))
  return hash.digest('hex')
}

// Taken before: what changes during a build may not be in it.
const sources = hashOf(SOURCES, MADE)
const state = () => `${sources} ${hashOf(MADE)}`
if (!existsSync(LAST) || readFileSync(LAST, 'utf8') !== state()) {
  console.error(
    'Building the package into dist: half a minute, once for each change of the sources …',
  )
  for (const step of STEPS) execSync(step, { stdio: 'inherit' })
  mkdirSync(dirname(LAST), { recursive: true })
  writeFileSync(LAST, state())
}
