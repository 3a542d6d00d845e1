// Follows the log of one SQLite file into a projection of its own, until it is killed:
// node log-reader.mjs FILE OWN_FILE. Tells its parent the checkpoint at the start and after each batch.
import { DatabaseSync } from 'node:sqlite'
import { aesGcmCipher, createIam, permissionsFromCaller } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

const [file, ownFile] = process.argv.slice(2)
const own = new DatabaseSync(ownFile)
own.exec(`PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS applied (position INTEGER PRIMARY KEY, stream TEXT, version INTEGER);
  CREATE TABLE IF NOT EXISTS checkpoint (position INTEGER);
  INSERT INTO checkpoint SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM checkpoint);`)
const insert = own.prepare('INSERT INTO applied VALUES (?, ?, ?)')
const move = own.prepare('UPDATE checkpoint SET position = ? WHERE position = ?')
const read = own.prepare('SELECT position FROM checkpoint')
read.setReadBigInts(true)

const projection = {
  name: 'applied',
  checkpoint: async () => read.get().position,
  apply: async (from, events) => {
    own.exec('BEGIN IMMEDIATE')
    // The primary key makes a second application of an event a fault.
    for (const { position, stream, version } of events) insert.run(position, stream, version)
    const moved = move.run(events.at(-1).position, from).changes === 1
    own.exec(moved ? 'COMMIT' : 'ROLLBACK')
    if (moved) process.send?.(String(events.at(-1).position))
    return moved
  },
  reset: async () => own.exec('DELETE FROM applied; UPDATE checkpoint SET position = 0'),
}

process.send?.(String(await projection.checkpoint()))

const opened = openSqlite(file)
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ ...opened, secrets, authorize: permissionsFromCaller })
// The library's own read model, in the shared file, is fed by both readers at the same time.
const ended = await Promise.race([iam.run(projection), iam.run(opened.readModel)])
throw new Error('The reader ended by itself', { cause: ended })
