// `node --expose-gc test/fuzz/soak/main.ts`, after `npm run build`: mixed load with faults on every store, for 10 minutes
// in all. What was acknowledged must be in the log, read models must say what the log says, memory must stay flat,
// nothing may be left open. Then a million streams, in memory that stays flat. `--minutes 1 --only sqlite` makes it
// shorter; `--only streams` runs the last part.
import { parseArgs } from 'node:util'
import { soakManyStreams } from './many-streams.ts'
import { memory } from './memory-place.ts'
import type { Kind } from './place.ts'
import { postgres } from './postgres-place.ts'
import { type Report, soakKind } from './soak-kind.ts'
import { sqlite } from './sqlite-place.ts'

/** Problems of a store that are told; there may be one for every call. */
const MOST_TOLD = 20

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, only: { type: 'string' } },
})
const all: readonly Kind[] = [memory, sqlite, postgres]
const STREAMS = 'streams'
const isAsked = (name: string): boolean => values.only === undefined || values.only === name
const kinds = all.filter(({ name }) => isAsked(name))
const milliseconds = (Number(values.minutes) * 60_000) / Math.max(kinds.length, 1)
const isKnown = kinds.length > 0 || isAsked(STREAMS)
if (!(isKnown && milliseconds > 0 && Number.isFinite(milliseconds))) {
  const names = [...all.map(({ name }) => name), STREAMS]
  throw new Error(`--minutes is a number; --only is one of ${names}`)
}

const warnings: string[] = []
process.on('warning', ({ name, message }) => {
  if (name !== 'ExperimentalWarning') warnings.push(`${name}: ${message}`)
})

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

const tell = (name: string, { calls, recorded, unknown, memory, ...report }: Report): void => {
  console.log(
    `${name}: ${calls} calls, ${recorded} recorded, ${unknown} unknown; ` +
      `${report.faults} faults met, ${report.conflicts} races lost; ` +
      `memory ${megabytes(memory.first)} MB, then ${megabytes(memory.last)} MB`,
  )
}

let failures = 0
const fail = (name: string, problems: readonly string[]): void => {
  failures += problems.length
  for (const problem of problems.slice(0, MOST_TOLD)) console.error(`FAILED: ${name}: ${problem}`)
  if (problems.length > MOST_TOLD) console.error(`        and ${problems.length - MOST_TOLD} more`)
}

for (const kind of kinds) {
  const report = await soakKind(kind, milliseconds)
  tell(kind.name, report)
  fail(kind.name, [...report.problems, ...warnings.splice(0)])
}
if (isAsked(STREAMS)) fail(STREAMS, await soakManyStreams())
console.log(failures === 0 ? 'All is well' : `${failures} problems`)
process.exitCode = failures === 0 ? 0 : 1
