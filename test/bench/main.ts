import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { endServer } from './databases.ts'
import { footprint } from './footprint.ts'
import { growth } from './growth.ts'
import { http } from './http.ts'
import { log } from './log.ts'
import { logins } from './logins.ts'
import { memoryWrites } from './memory-writes.ts'
import { postgresWrites } from './postgres-writes.ts'
import { emptyReport, machine, printRatios, versions } from './report.ts'
import { sqliteWrites } from './sqlite-writes.ts'
import { throughput } from './throughput.ts'
import { FULL, QUICK } from './workloads.ts'

const PARTS = {
  memory: memoryWrites,
  sqlite: sqliteWrites,
  postgres: postgresWrites,
  log,
  logins,
  footprint,
  growth,
  throughput,
  http,
}

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
  },
})

console.log({ machine: machine(), versions: versions() })
const report = emptyReport()
for (const [name, part] of Object.entries(PARTS)) {
  if (values.only.includes(name)) await part(report, values.quick ? QUICK : FULL)
}
await endServer()
printRatios(report)
if (values.json !== undefined) {
  const written = { machine: machine(), versions: versions(), ...report }
  writeFileSync(values.json, `${JSON.stringify(written, undefined, 2)}\n`)
}
