import { readFileSync, writeFileSync } from 'node:fs'
import {
  type Comparison,
  type Figure,
  formatNumber,
  formatTime,
  isMet,
  machine,
  type Report,
  shownFigure,
  type TableName,
  versions,
} from './report.ts'
import { FULL, QUICK } from './rounds.ts'

const PAGE = new URL('../../docs/performance.md', import.meta.url)

/** How a report was made. */
interface Made {
  readonly isQuick: boolean
  /** Number of whole runs. Each figure is the median of them. */
  readonly runs: number
}

/** Writes what was found into docs/performance.md, between the marks `<!-- bench:name -->` and `<!-- /bench -->`. */
export const writePage = (report: Report, made: Made): void => {
  const sections: Readonly<Record<string, string>> = {
    run: runText(made),
    behind: behindText(report),
    requests: tableOf(report, 'requests'),
    method: tableOf(report, 'method'),
    databases: tableOf(report, 'databases'),
    floors: tableOf(report, 'floors'),
    network: tableOf(report, 'network'),
    start: tableOf(report, 'start'),
    rebuild: tableOf(report, 'rebuild'),
    growth: tableOf(report, 'growth'),
    live: figuresTable(report, 'live'),
    imports: figuresTable(report, 'imports'),
    aims: aimsTable(report),
  }
  const text = readFileSync(PAGE, 'utf8').replace(
    /(<!-- bench:(\w+) -->\n)[\s\S]*?(<!-- \/bench -->)/g,
    (_, begin: string, name: string, end: string) => {
      const section = sections[name]
      if (section === undefined) throw new Error(`docs/performance.md asks for ${name}`)
      return `${begin}\n${section}\n\n${end}`
    },
  )
  writeFileSync(PAGE, text)
}

const runText = ({ isQuick, runs }: Made): string => {
  const { processors, memory, system } = machine()
  const parts = Object.entries(versions()).map(([name, version]) => `${name} ${version}`)
  return [
    `${runs === 1 ? 'One' : runs} ${isQuick ? 'quick' : 'full'} run${runs === 1 ? '' : 's'} on ${processors}, ${memory}, ${system}. Each figure is the median of ${(isQuick ? QUICK : FULL).rounds} rounds, in turns${runs === 1 ? '' : `, and of the ${runs} runs`}.`,
    `Versions: ${parts.join(', ')}.`,
  ].join('\n')
}

/** Tables with what a host would use instead; the others have floors, which do less. */
const OF_PEERS: readonly TableName[] = ['requests', 'method', 'databases', 'network']

/** Names every job that a peer does faster. */
const behindText = ({ comparisons }: Report): string => {
  const behind = comparisons
    .filter(({ table }) => OF_PEERS.includes(table))
    .flatMap(({ job, rows }) => {
      const faster = rows.filter(
        ({ system, timesAsLong }) => timesAsLong < 1 && !/^(bare|claviger)/.test(system),
      )
      const names = faster.map((row) => `${row.system} × ${formatNumber(row.timesAsLong)}`)
      return names.length > 0 ? [`- ${job}: ${names.join(', ')}`] : []
    })
  return behind.length === 0
    ? 'No peer was faster than claviger in this run.'
    : [
        'Peers were faster at these jobs; `× 0.5` took half the time of claviger:',
        '',
        ...behind,
      ].join('\n')
}

/** A row for each job; the first system with its time, the others with how many times as long they took. */
const tableOf = ({ comparisons }: Report, name: TableName): string => {
  const own = comparisons.filter((each) => each.table === name)
  const systems = [...new Set(own.flatMap(({ rows }) => rows.map(({ system }) => system)))]
  return table(
    ['job', ...systems],
    own.map((comparison) => [comparison.job, ...systems.map((system) => cell(comparison, system))]),
  )
}

const cell = ({ rows, by }: Comparison, system: string): string => {
  const index = rows.findIndex((row) => row.system === system)
  const row = rows[index]
  if (!row) return ''
  return index === 0
    ? formatTime(row[by])
    : `× ${formatNumber(row.timesAsLong)} (${formatTime(row[by])})`
}

const figuresTable = ({ figures }: Report, section: Figure['section']): string =>
  table(
    ['figure', 'measured'],
    figures
      .filter((each) => each.section === section)
      .map((figure) => [figure.name, shownFigure(figure)]),
  )

const aimsTable = ({ aims }: Report): string =>
  table(
    ['figure', 'measured', 'aim', ''],
    aims.map((aim) => [
      aim.name,
      formatNumber(aim.measured),
      `at ${aim.isMost ? 'most' : 'least'} ${formatNumber(aim.aim)}`,
      isMet(aim) ? 'met' : '**missed**',
    ]),
  )

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
