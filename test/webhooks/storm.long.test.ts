import { expect, it } from 'vitest'
import { temporaryFile } from '../adapters/sqlite/temporary-file.js'
import { startPostgres } from '../postgres-server.js'
import { storm } from './storm/storm.js'

const SMALL = {
  organizations: 10,
  senders: 2,
  changes: 1_000,
  kills: 3,
  killEvery: 2_000,
  // Until the last is killed.
  changesPerSecond: 170,
}

/** Of the built package, in processes. The large storm is storm/main.ts. */
it.each(['SQLite', 'PostgreSQL'])(
  'Every live endpoint gets every message through killed senders and ill receivers: %s',
  async (kind) => {
    await using server =
      kind === 'PostgreSQL' ? await startPostgres({ settings: ['fsync=off'] }) : undefined
    const place = server ? { connectionString: server.connectionString } : { file: temporaryFile() }
    const report = await storm({ ...SMALL, place, secretsFile: temporaryFile() })
    expect(report.problems).toEqual([])
    expect(report.changes).toBeGreaterThanOrEqual(SMALL.changes)
    expect(report.requests).toBeGreaterThanOrEqual(report.messages)
  },
)
