import { systemEnvironment } from '../ports/environment.js'
import type { SqliteHandle } from '../ports/sqlite-handle.js'
import type { StoredCursor, WebhookCursors } from '../ports/webhook-cursors.js'
import { allOf, demand, demandEqual, type Law, lawsOf } from './law.js'

/** Opens handles of SQLite for the laws. */
export interface SqliteHandleHome {
  /** A handle of a new, empty file. */
  readonly open: () => SqliteHandle
  /** Another handle of the file that was opened last. */
  readonly reopen: () => SqliteHandle
}

/** A promise of an open handle of SQLite. */
export type SqliteHandleLaw = Law<SqliteHandleHome>

/** The exception of `work`. */
const thrownBy = (what: string, work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  return demand(false, `${what} to throw`)
}

const TABLE = 'CREATE TABLE law (number INTEGER PRIMARY KEY, text TEXT) STRICT;'
const INSERT = 'INSERT INTO law (number, text) VALUES (?, ?) ON CONFLICT DO NOTHING'
const SELECT = 'SELECT text AS two, number AS one FROM law WHERE number >= ? ORDER BY number'

/** SQLite's number of an error, or its name. */
const codeOf = (error: unknown): unknown => {
  const { errcode, code } = Object(error)
  return typeof errcode === 'number' ? errcode & 0xff : code
}

/**
 * The promises of an open handle of SQLite, which `openSqlite` takes.
 *
 * @example
 * ```ts
 * for (const { name, check } of sqliteHandleLaws) test(name, () => check({ open, reopen }))
 * ```
 */
export const sqliteHandleLaws: readonly SqliteHandleLaw[] = lawsOf<SqliteHandleHome>({
  'Rows have their columns in order, unchanged text, and integers as numbers up to the size of a position.':
    async ({ open }) => {
      const handle = open()
      handle.exec(TABLE)
      const position = 2n ** 53n - 1n
      handle.prepare(INSERT).run(position, 'é \u{1F511} "\u0001"')
      handle.prepare(INSERT).run(1, null)
      const [first, second] = handle.prepare(SELECT).all(0)
      demandEqual('the names of the columns', Object.keys(Object(first)), ['two', 'one'])
      demandEqual('the first row', first, { two: null, one: 1 })
      demandEqual('the second row', second, { two: 'é \u{1F511} "\u0001"', one: Number(position) })
    },
  'Running a statement returns how many rows it changed, 0 for an ignored conflict.': async ({
    open,
  }) => {
    const handle = open()
    handle.exec(TABLE)
    const insert = handle.prepare(INSERT)
    demandEqual('the changes of an insert', insert.run(1, 'one').changes, 1)
    demandEqual('the changes of a conflict', insert.run(1, 'two').changes, 0)
    const all = handle.prepare('INSERT INTO law (number) VALUES (2), (3) RETURNING number').all()
    demandEqual('the rows that an insert returns', all, [{ number: 2 }, { number: 3 }])
  },
  'A rollback undoes its changes, and another handle sees committed changes.': async ({
    open,
    reopen,
  }) => {
    const handle = open()
    handle.exec(`PRAGMA journal_mode = WAL; ${TABLE}`)
    for (const end of ['COMMIT', 'ROLLBACK']) {
      handle.prepare('BEGIN IMMEDIATE').run()
      handle.prepare('INSERT INTO law (text) VALUES (?)').run(end)
      handle.prepare(end).run()
    }
    demandEqual('the row', reopen().prepare(SELECT).all(0), [{ two: 'COMMIT', one: 1 }])
  },
  'Errors have the code of SQLite, and after PRAGMA busy_timeout = 0 a locked file is reported at once.':
    async ({ open, reopen }) => {
      const handle = open()
      handle.exec(`PRAGMA journal_mode = WAL; ${TABLE}`)
      const other = reopen()
      other.exec('PRAGMA busy_timeout = 0')
      handle.prepare('BEGIN IMMEDIATE').run()
      const begin = performance.now()
      const busy = codeOf(thrownBy('a second writer', () => other.prepare('BEGIN IMMEDIATE').run()))
      demand(performance.now() - begin < 1_000, 'a locked file to be reported at once')
      demand(busy === 5 || /^SQLITE_BUSY/.test(String(busy)), `SQLITE_BUSY, not ${busy}`)
      handle.prepare('ROLLBACK').run()
      const wrong = codeOf(
        thrownBy('a missing table', () => handle.prepare('SELECT * FROM none').all()),
      )
      demand(wrong === 1 || /^SQLITE_ERROR/.test(String(wrong)), `SQLITE_ERROR, not ${wrong}`)
    },
})

/** Where the cursors under test are kept. */
export interface WebhookCursorsHome {
  /** Cursors without data. */
  readonly open: () => WebhookCursors | Promise<WebhookCursors>
  /** Another handle, as another process would have it, on the data of the last `open`. */
  readonly reopen: () => WebhookCursors | Promise<WebhookCursors>
}

/** A promise of the port {@link WebhookCursors}. */
export type WebhookCursorLaw = Law<WebhookCursorsHome>

/** A lease that outlasts any of these laws. */
const LONG_MS = 600_000

/** A lease that expires during a law. */
const SHORT_MS = 50

/** `stored` without the remaining time of its lease. */
const shown = (stored: StoredCursor | undefined) =>
  stored && { state: stored.state, version: stored.version, holder: stored.lease?.holder }

/** The laws of {@link WebhookCursors}. */
export const webhookCursorLaws: readonly WebhookCursorLaw[] = lawsOf({
  'An endpoint has no state before the first write.': async ({ open }) => {
    const cursors = await open()
    demandEqual('what is kept', await cursors.read('one'), { version: 0 })
    await cursors.release('one', 'nobody')
    demandEqual('what is kept', await cursors.read('one'), { version: 0 })
  },
  'A list of endpoints has exactly those with a state.': async ({ open, reopen }) => {
    const cursors = await open()
    if (!cursors.endpoints) return
    demandEqual('the endpoints', await cursors.endpoints(), [])
    await cursors.lease('leased', 'holder', LONG_MS)
    for (const name of ['one', 'é']) await cursors.write(name, { state: '', version: 0 })
    const found = await (await reopen()).endpoints?.()
    demandEqual('the endpoints', found?.toSorted(), ['one', 'é'])
  },
  'Every handle reads the state and the number of writes.': async ({ open, reopen }) => {
    const [cursors, other] = [await open(), await reopen()]
    const long = '"ä\u2028😀'.repeat(50_000)
    for (const [version, state] of ['first', '', long].entries())
      demandEqual('the write', await cursors.write('one', { state, version }), true)
    const saved = { state: long, version: 3 }
    demandEqual('what is kept', await cursors.read('one'), saved)
    demandEqual('what another handle reads', await other.read('one'), saved)
  },
  'Endpoint names are compared by their exact text.': async ({ open }) => {
    const cursors = await open()
    const names = ['one', 'One', 'one ', 'é', 'e\u0301', 'x'.repeat(200)]
    for (const name of names) {
      await cursors.lease(name, `holder of ${name}`, LONG_MS)
      await cursors.write(name, { state: name, version: 0 })
    }
    for (const name of names) {
      const expected = { state: name, version: 1, holder: `holder of ${name}` }
      demandEqual(`what is kept of ${name}`, shown(await cursors.read(name)), expected)
    }
  },
  'A write with another version changes nothing.': async ({ open }) => {
    const cursors = await open()
    demandEqual('a write over 1', await cursors.write('one', { state: 'a', version: 1 }), false)
    await cursors.write('one', { state: 'a', version: 0 })
    await cursors.write('one', { state: 'b', version: 1 })
    for (const version of [0, 1, 3]) {
      const written = await cursors.write('one', { state: 'c', version })
      demandEqual(`a write over ${version}`, written, false)
    }
    demandEqual('what is kept', await cursors.read('one'), { state: 'b', version: 2 })
  },
  'Of several simultaneous writes over one version, exactly one succeeds.': async ({
    open,
    reopen,
  }) => {
    const handles = [await open(), await reopen(), await reopen()]
    for (let version = 0; version < 20; version++) {
      const writes = handles.map((handle, n) => handle.write('one', { state: `${n}`, version }))
      const made = (await allOf(writes)).toSorted()
      demandEqual('which writes succeed', made, [false, false, true])
    }
  },
  'A lease has one holder, who may renew it and excludes all others.': async ({ open, reopen }) => {
    const [cursors, other] = [await open(), await reopen()]
    await cursors.write('one', { state: 'a', version: 0 })
    const granted = { state: 'a', version: 1, holder: 'first' }
    for (const lease of ['the lease', 'the renewed lease'])
      demandEqual(lease, shown(await cursors.lease('one', 'first', LONG_MS)), granted)
    demandEqual(
      'a lease for another holder',
      await other.lease('one', 'second', LONG_MS),
      undefined,
    )
    demandEqual('what is kept', shown(await other.read('one')), granted)
    const remaining = (await other.read('one')).lease?.remaining
    demand(
      remaining !== undefined && remaining > LONG_MS / 2 && remaining <= LONG_MS + 1_000,
      'most of the lease to remain',
    )
  },
  'When several holders request a lease at once, exactly one gets it.': async ({
    open,
    reopen,
  }) => {
    const handles = [await open(), await reopen(), await reopen()]
    for (let round = 0; round < 20; round++) {
      const leases = handles.map((handle, n) => handle.lease(`${round}`, `${n}`, LONG_MS))
      const granted = (await allOf(leases)).filter((stored) => stored !== undefined)
      demandEqual('how many holders get it', granted.length, 1)
    }
  },
  'After a lease has expired or was released, another holder can get it.': async ({ open }) => {
    const cursors = await open()
    await cursors.lease('one', 'first', LONG_MS)
    await cursors.release('one', 'second')
    demandEqual(
      'a lease for another holder',
      await cursors.lease('one', 'second', LONG_MS),
      undefined,
    )
    await cursors.release('one', 'first')
    demandEqual('what is kept after the release', await cursors.read('one'), { version: 0 })
    await cursors.lease('one', 'second', SHORT_MS)
    await systemEnvironment.sleep(4 * SHORT_MS)
    demandEqual('what is kept after the end', await cursors.read('one'), { version: 0 })
    const granted = shown(await cursors.lease('one', 'third', LONG_MS))
    demandEqual('the lease', granted, { state: undefined, version: 0, holder: 'third' })
  },
  'A write with a holder needs the lease of that holder; other writes need none.': async ({
    open,
  }) => {
    const cursors = await open()
    const write = (version: number, holder?: string) =>
      cursors.write('one', { state: `${holder}`, version, ...(holder && { holder }) })
    demandEqual('without a lease', await write(0, 'first'), false)
    await cursors.lease('one', 'first', LONG_MS)
    demandEqual('under the lease of another', await write(0, 'second'), false)
    demandEqual('under a lease', await write(0, 'first'), true)
    demandEqual('without naming a holder', await write(1), true)
    await cursors.lease('one', 'first', SHORT_MS)
    await systemEnvironment.sleep(4 * SHORT_MS)
    demandEqual('under an expired lease', await write(2, 'first'), false)
    demandEqual('what is kept', await cursors.read('one'), { state: 'undefined', version: 2 })
  },
})
