import { DatabaseSync } from 'node:sqlite'
import { memoryReadModel, type Projection, type RecordedEvent } from 'claviger'
import pg from 'pg'
import { newDatabase } from './databases.ts'
import { addRatio, addRows, type Report } from './report.ts'
import { timesAsFast } from './rounds.ts'
import { memory, type OpenStore, postgres, sqlite, temporaryFile } from './stores.ts'
import { ORG_ID, projectOf } from './system.ts'
import { bind, CONTEXT, hold } from './systems/claviger.ts'
import { type Job, runTimed } from './timed.ts'
import type { Scale } from './workloads.ts'

const PAGE = 1000

/** Workload D: reads the whole log, and feeds a read model from zero. */
export const log = async (report: Report, scale: Scale): Promise<void> => {
  await read(report, scale)
  await catchUpMemory(report, scale)
  await catchUpSqlite(report, scale)
  await readPostgres(report, scale)
}

const filled = async (entry: { open: () => Promise<OpenStore> }, { large }: Scale) => {
  const opened = await entry.open()
  await bind(opened).projects.add({ ...projectOf(0, 1) }, CONTEXT)
  await hold(opened, large - 1)
  return opened
}

const readLog = async ({ store }: OpenStore): Promise<number> => {
  let count = 0
  for (let after = 0n; ; ) {
    const page = await store.readAll(after, PAGE)
    const last = page.at(-1)
    if (!last) return count
    count += page.length
    after = last.position
  }
}

const read = async (report: Report, scale: Scale): Promise<void> => {
  const inMemory = await filled(memory, scale)
  const onDisk = await filled(sqlite, scale)
  const raw = await rawLog(onDisk, scale.large)
  const job = (name: string, run: () => Promise<number>): Job => ({
    name,
    operations: scale.large,
    run,
    expected: scale.large,
  })
  const measured = await runTimed(scale, [
    job('claviger, memory', () => readLog(inMemory)),
    job('claviger, sqlite', () => readLog(onDisk)),
    job('floor: node:sqlite + JSON.parse', async () => raw.read()),
  ])
  addRows(
    report,
    'D read the log',
    measured.map(({ measured }) => measured),
  )
  const [, own, floor] = measured
  if (own && floor) {
    addRatio(report, 'D read sqlite / floor', {
      measured: timesAsFast(own.measured, floor.measured),
      target: 0.8,
    })
  }
  raw.close()
  await onDisk.close()
}

type RawRow = readonly [number, string, number, string, number, string, string, string]

/** The same events in a table of its own, read by hand in the same pages. */
const rawLog = async ({ store }: OpenStore, large: number) => {
  const { path, remove } = temporaryFile()
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL,
    type TEXT NOT NULL, schema_version INTEGER NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL,
    append_id TEXT NOT NULL) STRICT; BEGIN`)
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const events = await store.readAll(0n, large)
  for (const event of events) {
    insert.run(
      event.position,
      event.stream,
      event.version,
      event.type,
      event.schemaVersion,
      JSON.stringify(event.data),
      JSON.stringify(event.metadata),
      event.appendId,
    )
  }
  database.exec('COMMIT')
  const select = database.prepare(
    'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?',
  )
  // Arrays are what the driver is fastest with; its types know nothing of them.
  select.setReturnArrays(true)
  const page = (after: number) => select.all(after, PAGE) as unknown as RawRow[]
  return {
    read: () => {
      let count = 0
      for (let rows = page(0); rows.length > 0; rows = page(rows.at(-1)?.[0] ?? 0)) {
        for (const row of rows) {
          const data: unknown = JSON.parse(row[5])
          const metadata: unknown = JSON.parse(row[6])
          if (data && metadata) count++
        }
      }
      return count
    },
    close: () => {
      database.close()
      remove()
    },
  }
}

/** A loop that does the least: reads pages and keeps what it needs of each event in a Map. */
const bareLoop = async ({ store }: OpenStore, keep: (event: RecordedEvent) => void) => {
  let count = 0
  for (let after = 0n; ; ) {
    const page = await store.readAll(after, PAGE)
    const last = page.at(-1)
    if (!last) return count
    for (const event of page) keep(event)
    count += page.length
    after = last.position
  }
}

const catchUp = async (opened: OpenStore, projection: Projection): Promise<number> => {
  let done = 0
  const onProgress = (progress: { readonly done: number }) => {
    done = progress.done
  }
  const reached = await bind(opened).catchUp(projection, { onProgress })
  if (reached.isErr()) throw new Error(reached.error.kind)
  return done
}

const catchUpMemory = async (report: Report, scale: Scale): Promise<void> => {
  const opened = await filled(memory, scale)
  const rows = new Map<string, object>()
  const [own, floor] = await runTimed(scale, [
    {
      name: 'claviger, read model in memory',
      operations: scale.large,
      run: () => catchUp(opened, memoryReadModel()),
      expected: scale.large,
    },
    {
      name: 'floor: loop into a Map',
      operations: scale.large,
      prepare: async () => rows.clear(),
      run: () =>
        bareLoop(opened, ({ stream, position, data }) => {
          rows.set(stream, { ...data, orgId: ORG_ID, position })
        }),
      expected: scale.large,
    },
  ])
  if (!own || !floor) return
  addRows(report, 'D catch up, memory', [own.measured, floor.measured])
  addRatio(report, 'D catch up memory, events per second', {
    measured: own.perSecond,
    target: 500_000,
  })
}

const catchUpSqlite = async (report: Report, scale: Scale): Promise<void> => {
  const share = { ...scale, large: Math.round(scale.large / 5) }
  const opened = await filled(sqlite, share)
  const raw = rawTable()
  const [own, floor] = await runTimed(scale, [
    {
      name: 'claviger, read model in SQLite tables',
      operations: share.large,
      prepare: opened.emptyReadModel,
      run: () => catchUp(opened, opened.readModel),
      expected: share.large,
    },
    {
      name: 'floor: loop into one SQLite table',
      operations: share.large,
      prepare: async () => raw.clear(),
      run: async () => {
        const count = await bareLoop(opened, raw.keep)
        raw.flush()
        return count
      },
      expected: share.large,
    },
  ])
  raw.close()
  await opened.close()
  if (!own || !floor) return
  addRows(report, 'D catch up, sqlite', [own.measured, floor.measured])
  addRatio(report, 'D catch up sqlite, events per second', {
    measured: own.perSecond,
    target: 100_000,
  })
}

/** One row per stream, a thousand per transaction, written by hand. */
const rawTable = () => {
  const { path, remove } = temporaryFile()
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE rows (stream TEXT PRIMARY KEY, data TEXT NOT NULL, position INTEGER NOT NULL)`)
  const put = database.prepare('INSERT OR REPLACE INTO rows VALUES (?, ?, ?)')
  let pending = 0
  const flush = () => {
    if (pending > 0) database.exec('COMMIT')
    pending = 0
  }
  return {
    clear: () => database.exec('DELETE FROM rows'),
    flush,
    keep: ({ stream, data, position }: RecordedEvent) => {
      if (pending++ === 0) database.exec('BEGIN')
      put.run(stream, JSON.stringify(data), position)
      if (pending === PAGE) flush()
    },
    close: () => {
      database.close()
      remove()
    },
  }
}

/** {@link read} and catching up on PostgreSQL, on a log of a fifth of the size. */
const readPostgres = async (report: Report, scale: Scale): Promise<void> => {
  const operations = Math.round(scale.large / 5)
  const opened = await filled(postgres, { ...scale, large: operations })
  const raw = await rawPostgresLog(opened, operations)
  const job = (name: string, run: () => Promise<number>): Job => ({
    name,
    operations,
    run,
    expected: operations,
  })
  const [own, floor, caughtUp, loop] = await runTimed(scale, [
    job('claviger, postgres', () => readLog(opened)),
    job('floor: pg + JSON.parse', raw.read),
    {
      ...job('claviger, read model in PostgreSQL tables', () => catchUp(opened, opened.readModel)),
      prepare: opened.emptyReadModel,
    },
    { ...job('floor: loop into one PostgreSQL table', raw.copy), prepare: raw.clear },
  ])
  await raw.close()
  await opened.close()
  if (!own || !floor || !caughtUp || !loop) return
  addRows(report, 'D read the log and catch up, postgres', [
    own.measured,
    floor.measured,
    caughtUp.measured,
    loop.measured,
  ])
  addRatio(report, 'D read postgres / floor', {
    measured: timesAsFast(own.measured, floor.measured),
    target: 0.8,
  })
  addRatio(report, 'D catch up postgres, events per second', {
    measured: caughtUp.perSecond,
    target: 50_000,
  })
}

/** The same events in a table of its own, read by hand in the same pages, and copied row by row. */
const rawPostgresLog = async ({ store }: OpenStore, large: number) => {
  const { connectionString } = await newDatabase()
  const client = new pg.Client(connectionString)
  await client.connect()
  await client.query(`CREATE TABLE events (position bigint PRIMARY KEY, stream text, version bigint,
    type text, schema_version bigint, data text, metadata text, append_id text);
    CREATE TABLE rows (stream text PRIMARY KEY, data text, position bigint)`)
  for (let after = 0n, count = 0; count < large; ) {
    const events = await store.readAll(after, 10 * PAGE)
    await client.query(
      `INSERT INTO events SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[],
         $5::bigint[], $6::text[], $7::text[], $8::text[])`,
      [
        events.map(({ position }) => position),
        events.map(({ stream }) => stream),
        events.map(({ version }) => version),
        events.map(({ type }) => type),
        events.map(({ schemaVersion }) => schemaVersion),
        events.map(({ data }) => JSON.stringify(data)),
        events.map(({ metadata }) => JSON.stringify(metadata)),
        events.map(({ appendId }) => appendId),
      ],
    )
    count += events.length
    after = events.at(-1)?.position ?? after
  }
  const pages = async (each: (rows: string[][]) => Promise<void> | void): Promise<number> => {
    let count = 0
    for (let after = '0'; ; ) {
      const { rows } = await client.query<string[]>({
        name: 'page',
        text: 'SELECT * FROM events WHERE position > $1 ORDER BY position LIMIT $2',
        values: [after, PAGE],
        rowMode: 'array',
      })
      if (rows.length === 0) return count
      await each(rows)
      count += rows.length
      after = rows.at(-1)?.[0] ?? after
    }
  }
  return {
    read: () =>
      pages((rows) => {
        for (const row of rows) {
          JSON.parse(row[5] ?? '')
          JSON.parse(row[6] ?? '')
        }
      }),
    copy: () =>
      pages(async (rows) => {
        await client.query({
          name: 'copy',
          text: `INSERT INTO rows SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
            ON CONFLICT (stream) DO UPDATE SET data = excluded.data, position = excluded.position`,
          values: [rows.map((row) => row[1]), rows.map((row) => row[5]), rows.map((row) => row[0])],
        })
      }),
    clear: () => client.query('TRUNCATE rows'),
    close: () => client.end(),
  }
}
