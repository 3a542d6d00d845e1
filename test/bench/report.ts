import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Measured, median } from './rounds.ts'

/** One line of the table: what one system took for one workload. */
export interface Row {
  readonly workload: string
  readonly system: string
  readonly nanosecondsPerOperation: number
  readonly minimum: number
  readonly maximum: number
  readonly operationsPerSecond: number
  readonly rounds: number
}

/** A goal, as docs/performance.md lists them; met when `measured` is at least `target`. */
export interface Ratio {
  readonly measured: number
  readonly target: number
}

/** What a run has found so far. */
export interface Report {
  readonly rows: Row[]
  readonly ratios: Record<string, Ratio>
}

export const emptyReport = (): Report => ({ rows: [], ratios: {} })

/** Adds what was measured of one workload, and shows it. */
export const addRows = (
  { rows }: Report,
  workload: string,
  measured: readonly Measured[],
): void => {
  console.log(`\n${workload}`)
  for (const { name, nanoseconds } of measured) {
    const row = {
      workload,
      system: name,
      nanosecondsPerOperation: median(nanoseconds),
      minimum: Math.min(...nanoseconds),
      maximum: Math.max(...nanoseconds),
      operationsPerSecond: 1e9 / median(nanoseconds),
      rounds: nanoseconds.length,
    }
    rows.push(row)
    console.log(`  ${line(row)}`)
  }
}

const line = ({ system, ...row }: Row): string =>
  [
    system.padEnd(46),
    `${format(row.nanosecondsPerOperation)} ns/op`.padStart(18),
    `(${format(row.minimum)} to ${format(row.maximum)})`.padEnd(26),
    `${format(row.operationsPerSecond)} ops/s`.padStart(18),
  ].join(' ')

/** Adds a goal and how near the run came to it, and shows it. */
export const addRatio = ({ ratios }: Report, name: string, ratio: Ratio): void => {
  ratios[name] = ratio
  console.log(`  ${goal(name, ratio)}`)
}

const goal = (name: string, { measured, target }: Ratio): string =>
  `${measured >= target ? 'met   ' : 'MISSED'} ${name}: ${format(measured)}, at least ${format(target)}`

/** Shows all goals once more. */
export const printRatios = ({ ratios }: Report): void => {
  console.log('\nGoals')
  for (const [name, ratio] of Object.entries(ratios)) console.log(`  ${goal(name, ratio)}`)
}

const format = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 })

/** The machine that the run was made on. */
export const machine = () => ({
  processors: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: `${process.platform} ${release()} ${process.arch}`,
})

const OWN_PACKAGES = ['zod', 'neverthrow', 'ulid', 'pg']

const PEERS = [
  '@equinox-js/core',
  '@equinox-js/memory-store',
  '@castore/core',
  '@event-driven-io/emmett',
  '@event-driven-io/emmett-postgresql',
]

/** Versions of what took part. */
export const versions = (): Record<string, string> => ({
  node: process.versions.node,
  v8: process.versions.v8,
  sqlite: process.versions['sqlite'] ?? '',
  ...versionsIn('../..', OWN_PACKAGES),
  ...versionsIn('peers', PEERS),
})

const versionsIn = (folder: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => {
      const path = join(import.meta.dirname, folder, 'node_modules', name, 'package.json')
      const { version }: { version: string } = JSON.parse(readFileSync(path, 'utf8'))
      return [name, version]
    }),
  )
