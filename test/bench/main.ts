import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { endServer } from './databases.ts'
import { writePage } from './page.ts'
import { databases, floors } from './parts/databases.ts'
import { growth, rebuild } from './parts/growth.ts'
import { http } from './parts/http.ts'
import { live } from './parts/live.ts'
import { requests } from './parts/requests.ts'
import { start } from './parts/start.ts'
import {
  describeAim,
  emptyReport,
  isMet,
  machine,
  mediansOf,
  type Report,
  versions,
} from './report.ts'
import { FULL, QUICK, SHORT } from './rounds.ts'

const PARTS = { requests, live, databases, floors, http, start, rebuild, growth }

const { values } = parseArgs({
  options: {
    /** A file for every figure. */
    json: { type: 'string' },
    /** Fewer rounds and smaller stores. */
    quick: { type: 'boolean', default: false },
    /** How often all is run; the figures are the medians. */
    runs: { type: 'string', default: '1' },
    /** As little as shows that each part runs. */
    short: { type: 'boolean', default: false },
    /** Some parts alone. */
    only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
    /** Writes the figures into docs/performance.md. */
    write: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs must be 1 or more')
const unknown = values.only.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  throw new Error(`Unknown part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`)
}
if (values.write && (values.short || values.only.length < Object.keys(PARTS).length)) {
  throw new Error(
    'docs/performance.md shows one whole run: --write needs every part, and not --short',
  )
}

console.log({ machine: machine(), versions: versions() })
const reports: Report[] = []
while (reports.length < runs) {
  const run = emptyReport()
  for (const [name, part] of Object.entries(PARTS)) {
    if (!values.only.includes(name)) continue
    const begin = performance.now()
    await part(run, values.short ? SHORT : values.quick ? QUICK : FULL)
    console.log(`\n${name} took ${Math.round((performance.now() - begin) / 1_000)} s`)
  }
  reports.push(run)
}
await endServer()
const report = mediansOf(reports)

console.log('\nAims')
for (const aim of report.aims)
  console.log(`  ${isMet(aim) ? 'met   ' : 'MISSED'} ${describeAim(aim)}`)
if (values.json !== undefined) {
  const written = { machine: machine(), versions: versions(), ...report }
  writeFileSync(values.json, `${JSON.stringify(written, undefined, 2)}\n`)
}
if (values.write) writePage(report, { isQuick: values.quick, runs })
