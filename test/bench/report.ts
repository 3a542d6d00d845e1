import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Measured, median, timesAsLong } from './rounds.ts'
import type { Took } from './world-process.ts'

/** What one system took for a job. */
export interface Row {
  readonly system: string
  /** Nanoseconds per operation. */
  readonly cpu: number
  readonly wall: number
  /** How many times as long as the first row. */
  readonly timesAsLong: number
}

/** A job that several systems did in turns. */
export interface Comparison {
  /** The table of docs/performance.md that it belongs to. */
  readonly table: TableName
  readonly job: string
  /** Which time the ratios compare: of the processor, or by the clock where a disk or a server is waited for. */
  readonly by: keyof Took
  readonly rows: readonly Row[]
}

/** The tables of docs/performance.md that comparisons fill. */
export type TableName =
  | 'requests'
  | 'method'
  | 'databases'
  | 'floors'
  | 'network'
  | 'start'
  | 'rebuild'
  | 'growth'

/** A figure that a run is to reach, at least or at most. */
export interface Aim {
  readonly name: string
  readonly measured: number
  readonly aim: number
  readonly isMost: boolean
}

/** Measured values by their name, such as memory or latency. */
export interface Figure {
  readonly section: 'live' | 'imports'
  readonly name: string
  readonly values: readonly number[]
  readonly show: (...values: readonly number[]) => string
}

/** What a run has found so far. */
export interface Report {
  readonly comparisons: Comparison[]
  readonly aims: Aim[]
  /** What is not a comparison. */
  readonly figures: Figure[]
}

export const emptyReport = (): Report => ({ comparisons: [], aims: [], figures: [] })

/** The medians of runs of the same parts, figure by figure. */
export const mediansOf = (runs: readonly Report[]): Report => {
  const middle = (of: (run: Report) => number | undefined): number =>
    median(runs.map((run) => of(run) ?? Number.NaN))
  const [{ comparisons, aims, figures } = emptyReport()] = runs
  return {
    comparisons: comparisons.map((comparison, job) => ({
      ...comparison,
      rows: comparison.rows.map(({ system }, at) => ({
        system,
        cpu: middle((run) => run.comparisons[job]?.rows[at]?.cpu),
        wall: middle((run) => run.comparisons[job]?.rows[at]?.wall),
        timesAsLong: middle((run) => run.comparisons[job]?.rows[at]?.timesAsLong),
      })),
    })),
    aims: aims.map((aim, at) => ({ ...aim, measured: middle((run) => run.aims[at]?.measured) })),
    figures: figures.map((figure, at) => ({
      ...figure,
      values: figure.values.map((_, nth) => middle((run) => run.figures[at]?.values[nth])),
    })),
  }
}

/** Adds what was measured of one job, the system that the others are compared with first, and shows it. */
export const addComparison = (
  { comparisons }: Report,
  { measured, ...about }: Omit<Comparison, 'rows'> & { readonly measured: readonly Measured[] },
): void => {
  const [first] = measured
  if (!first) return
  const rows = measured.map(
    (each): Row => ({
      system: each.name,
      cpu: median(each.rounds.map(({ cpu }) => cpu)),
      wall: median(each.rounds.map(({ wall }) => wall)),
      timesAsLong: timesAsLong(each, first, about.by),
    }),
  )
  comparisons.push({ ...about, rows })
  console.log(`\n${about.table}: ${about.job}, by ${about.by}`)
  for (const { system, cpu, wall, timesAsLong: ratio } of rows) {
    console.log(
      `  ${system.padEnd(28)} ${formatTime(cpu).padStart(10)} cpu ${formatTime(wall).padStart(10)} wall  × ${formatNumber(ratio)}`,
    )
  }
}

/** Adds a figure that is to be at least `aim`. */
export const atLeast = (report: Report, name: string, aim: number, measured?: number): void =>
  addAim(report, { name, aim, measured, isMost: false })

/** Adds a figure that is to be at most `aim`. */
export const atMost = (report: Report, name: string, aim: number, measured?: number): void =>
  addAim(report, { name, aim, measured, isMost: true })

const addAim = (
  { aims }: Report,
  { measured, ...aim }: Omit<Aim, 'measured'> & { readonly measured: number | undefined },
): void => {
  if (measured === undefined) return
  aims.push({ ...aim, measured })
  console.log(
    `  ${isMet({ ...aim, measured }) ? 'met' : 'MISSED'}: ${describeAim({ ...aim, measured })}`,
  )
}

export const isMet = ({ measured, aim, isMost }: Aim): boolean =>
  isMost ? measured <= aim : measured >= aim

export const describeAim = ({ name, measured, aim, isMost }: Aim): string =>
  `${name}: ${formatNumber(measured)}, at ${isMost ? 'most' : 'least'} ${formatNumber(aim)}`

export const addFigure = ({ figures }: Report, figure: Figure): void => {
  figures.push(figure)
  console.log(`\n${figure.name}: ${shownFigure(figure)}`)
}

export const shownFigure = ({ values, show }: Figure): string => show(...values)

/** How many times as long a system took as the first of the comparison; undefined when it did not take part. */
export const ratioOf = (report: Report, job: string, system: string): number | undefined =>
  report.comparisons.findLast((each) => each.job === job)?.rows.find((row) => row.system === system)
    ?.timesAsLong

/** Three significant digits at most. */
export const formatNumber = (value: number): string =>
  value.toLocaleString('en-US', {
    maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0,
  })

/** Nanoseconds in the unit that suits them. */
export const formatTime = (nanoseconds: number): string => {
  if (nanoseconds < 1e3) return `${formatNumber(nanoseconds)} ns`
  if (nanoseconds < 1e6) return `${formatNumber(nanoseconds / 1e3)} µs`
  return nanoseconds < 1e9
    ? `${formatNumber(nanoseconds / 1e6)} ms`
    : `${formatNumber(nanoseconds / 1e9)} s`
}

/** The machine that the run was made on. */
export const machine = () => ({
  processors: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: `${process.platform} ${release()} ${process.arch}`,
})

/** Versions of what took part. */
export const versions = (): Readonly<Record<string, string>> => ({
  'Node.js': process.versions.node,
  SQLite: process.versions['sqlite'] ?? '',
  ...versionsIn('../..', ['pg', 'fastify', '@connectrpc/connect']),
  ...versionsIn('peers', PEERS),
})

const PEERS = [
  'better-auth',
  'drizzle-orm',
  'kysely',
  '@casl/ability',
  'casbin',
  '@cedar-policy/cedar-wasm',
  '@equinox-js/core',
  '@castore/core',
  '@event-driven-io/emmett',
]

const versionsIn = (folder: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => {
      const path = join(import.meta.dirname, folder, 'node_modules', name, 'package.json')
      const { version }: { version: string } = JSON.parse(readFileSync(path, 'utf8'))
      return [name, version]
    }),
  )
