import { setTimeout as pause } from 'node:timers/promises'
import { eventLine, type Position, type RecordedEvent, timeOf } from 'claviger'
import { type Command, DATABASE, optional, UsageError } from '../running/command.js'
import { openDatabase } from '../running/database.js'

const BATCH = 1_000
const POLL_MS = 500

export const log: Command = {
  help: `Usage: claviger log [options]

Prints the events of the log, oldest first.

  --db ADDRESS      file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME     schema of PostgreSQL, when it is not claviger
  --org ORG         those of one organization
  --after POSITION  those after a position, as printed in the first column
  --follow          goes on with new events, until Ctrl-C
  --json            a line of evidence for each: its canonical JSON, as stored`,
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
    const { store, close } = await openDatabase(call)
    try {
      while (!signal.aborted) {
        const events = await store.readAll(after, BATCH)
        for (const event of events) {
          if (org !== undefined && event.metadata.resourceOwner !== org) continue
          await terminal.print(values['json'] ? eventLine(event) : shown(event))
        }
        after = events.at(-1)?.position ?? after
        if (events.length === BATCH) continue
        if (!values['follow']) break
        await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
      }
      return 0
    } finally {
      await close()
    }
  },
}

const positionOf = (text: string): Position => {
  if (!/^\d{1,19}$/.test(text)) throw new UsageError('--after must be a position: digits alone')
  return BigInt(text)
}

const shown = ({ position, type, stream, metadata }: RecordedEvent): string =>
  [position, timeOf(position).toISOString(), type, stream, metadata.actor.userId].join('  ')
