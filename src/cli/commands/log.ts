import { setTimeout as pause } from 'node:timers/promises'
import { type Position, type RecordedEvent, timeOf } from 'claviger'
import { eventLine } from 'claviger/evidence'
import { type Command, optional, UsageError } from '../command.js'
import { DATABASE, openDatabase } from '../database.js'
import type { Line } from '../terminal.js'

const BATCH = 1_000
const POLL_MS = 500

/** No store has positions above. */
const LAST_POSITION = 2n ** 63n - 1n

export const log: Command = {
  help: `Usage: claviger log [options]

Prints the events of the log, oldest first: position, time, type, stream, actor.

  --db ADDRESS      SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME     schema of PostgreSQL; default: claviger
  --org ORG         only events of one organization
  --after POSITION  only events after a position (the first column)
  --follow          continues with new events until Ctrl-C
  --json            each event as a line of canonical JSON, as stored`,
  options: {
    ...DATABASE,
    org: { type: 'string' },
    after: { type: 'string' },
    follow: { type: 'boolean' },
  },
  positionals: [0, 0],
  run: async (call) => {
    const { values, terminal, signal } = call
    const org = optional(call, 'org')
    let after = positionOf(optional(call, 'after') ?? '0')
    await using database = await openDatabase(call)
    while (!signal.aborted) {
      const events = await database.store.readAll(after, BATCH)
      for (const event of events) {
        if (signal.aborted) return 0
        if (org === undefined || event.metadata.resourceOwner === org)
          await (values['json']
            ? terminal.printEvidence(eventLine(event))
            : terminal.print(lineOf(event)))
      }
      after = events.at(-1)?.position ?? after
      if (events.length === BATCH) continue
      if (!values['follow']) break
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
    }
    return 0
  },
}

const positionOf = (text: string): Position => {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > LAST_POSITION)
    throw new UsageError(`--after must be a position: digits, at most ${LAST_POSITION}`)
  return BigInt(text)
}

const lineOf = ({ position, type, stream, metadata }: RecordedEvent): Line => [
  `${position}  ${timeOf(position).toISOString()}  `,
  { bold: type },
  `  ${stream}  ${metadata.actor.userId}`,
]
