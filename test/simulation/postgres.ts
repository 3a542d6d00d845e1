import pg from 'pg'
import { connectionsOf } from '../../src/adapters/postgres/connection/connections.js'
import { requireServer } from '../../src/adapters/postgres/connection/require-server.js'
import type { PostgresDriver } from '../../src/adapters/postgres/driver.js'
import { postgresEventStore } from '../../src/adapters/postgres/log/event-store.js'
import { inTransaction } from '../../src/adapters/postgres/log/in-transaction.js'
import { notificationsOn } from '../../src/adapters/postgres/log/notifications.js'
import { poolDriver } from '../../src/adapters/postgres/pg.js'
import { postgresReadModel } from '../../src/adapters/postgres/read-model.js'
import { channelOf, migrate, quotedSchema } from '../../src/adapters/postgres/schema.js'
import { EVENT_COLUMNS, type EventRow, eventsOf } from '../../src/adapters/sql/stored-events.js'
import { type RecordedEvent, StoreFault } from '../../src/ports/event-store.js'
import { startPostgres } from '../postgres-server.js'
import { latencyOf, type Network, poolOf, type SimulatedPool } from './connections.js'
import { Violation } from './judge.js'
import type { Process } from './scheduler.js'
import { STATEMENT, sessionsOf } from './sessions.js'
import {
  iamOn,
  NO_FAULTS,
  publishedIn,
  type Server,
  type ServerGiven,
  type System,
} from './system.js'
import { FIRST_OPERATIONS } from './workload.js'

/** Starts a server for it: nothing runs in the background, and the server itself ends no deadlock. */
export const startServer = () =>
  startPostgres({ settings: ['fsync=off', 'jit=off', 'deadlock_timeout=1h'] })

/** What a host may have set for all its transactions. */
const ISOLATIONS = ['read committed', 'read committed', 'repeatable read', 'serializable'] as const

/** Pause of an instance before it tries again to open the database, in milliseconds. */
const REOPEN_PAUSE = 100

type SimulatedClient = Awaited<ReturnType<SimulatedPool['connect']>>

/** The adapter for PostgreSQL on a real server. */
export const postgresSystem = async (
  connectionString: string,
): Promise<System & AsyncDisposable> => {
  const control = new pg.Client({ connectionString })
  await control.connect()
  const rows = `simulated_rows_${process.pid}`
  await control.query(`CREATE TABLE ${rows} (run integer, operation text)`)
  let quiet = async () => {}
  let runs = 0
  return {
    hasWebhooks: false,
    hasLiveChecks: false,
    hasClock: false,
    hasRows: true,
    serverOf: (given) => {
      const opened = postgresServer(given, { connectionString, control, rows, run: ++runs })
      quiet = opened.quiet
      return opened.server
    },
    quiet: () => quiet(),
    [Symbol.asyncDispose]: async () => {
      await control.query(`DROP TABLE ${rows}`)
      await control.end()
    },
  }
}

interface Database {
  readonly connectionString: string
  /** A session that no instance uses. */
  readonly control: pg.Client
  /** The table of the host. */
  readonly rows: string
  /** The number of the run, which is in its rows. */
  readonly run: number
}

/** One schema, which the first instances create. */
const postgresServer = (
  { scheduler, chance, hasRow, onCommit, onEvent }: ServerGiven,
  { connectionString, control, rows: table, run }: Database,
): { readonly server: Server; readonly quiet: () => Promise<void> } => {
  const schema = `simulated_${process.pid}`
  const quoted = quotedSchema(schema)
  const isolation = chance.pick(ISOLATIONS)
  let faults = NO_FAULTS
  let failures = 0
  let ids = 0
  let events: readonly RecordedEvent[] = []
  const unknown = new Set<string>()
  const pools = new Map<Process, SimulatedPool>()
  const listeners = new Map<Process, { readonly wake: () => void; readonly lost: () => void }>()

  const readLog = async (): Promise<void> => {
    const text = `SELECT ${EVENT_COLUMNS} FROM ${quoted}.events ORDER BY position`
    const { rows } = await control.query<[...EventRow<string>]>({ text, rowMode: 'array' })
    const log = eventsOf(rows)
    if (log[events.length - 1]?.position !== events.at(-1)?.position)
      throw new Violation('An event is recorded below one that could be read before')
    const added = log.slice(events.length)
    events = log
    const written = new Set(await readRows())
    for (const append of Map.groupBy(added, ({ appendId }) => appendId).values()) {
      onCommit(append)
      const id = append[0]?.metadata.correlationId ?? ''
      if (hasRow(id) && !written.has(id)) throw new Violation(`${id} is recorded without its row`)
    }
  }

  const readRows = async (): Promise<readonly string[]> => {
    const { rows } = await control.query<[string]>({
      text: `SELECT operation FROM ${table} WHERE run = ${run}`,
      rowMode: 'array',
    })
    return rows.map(([id]) => id)
  }

  const options = `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`
  const sessions = sessionsOf({ connectionString, options }, control, readLog)
  const network: Network = {
    scheduler,
    chance,
    sessions,
    // A run without the first objects would be one of refusals.
    faults: () => (events.length < FIRST_OPERATIONS ? NO_FAULTS : faults),
    tell: onEvent,
    onFault: (operations) => {
      failures++
      for (const id of operations) unknown.add(id)
    },
    onNotify: () => {
      for (const [process, { wake }] of listeners)
        if (!chance.happens(faults.hint))
          void scheduler.wait(latencyOf(network), process).then(wake)
    },
  }

  const driverOf = (process: Process, pool: SimulatedPool): PostgresDriver => ({
    ...poolDriver(pool),
    listen: async (_, wake, lost) => {
      const client = await pool.connect()
      client.release(false)
      listeners.set(process, { wake, lost })
      wake()
      return () => listeners.delete(process)
    },
  })

  const server: Server = {
    isShared: true,
    isLossy: false,
    isPrompt: () => faults.late === 0,
    failures: () => failures,
    log: () => events,
    unknown,
    writingRow: (id) =>
      inTransaction<SimulatedClient>((client) =>
        // Its trace has the text, which is the same in every run of a seed.
        client.query({
          ...STATEMENT,
          text: `INSERT INTO ${table} VALUES ($1, '${id}')`,
          values: [String(run)],
        }),
      ),
    readRows: () => sessions.inTurn(readRows()),
    setFaults: (given) => {
      faults = given
    },
    open: (process) => {
      const environment = scheduler.environmentOf(process)
      const pool = poolOf(process, network)
      pools.set(process, pool)
      const driver = driverOf(process, pool)
      const connections = connectionsOf(driver)
      const channel = channelOf(schema)
      const notifications = notificationsOn({ connections, driver, channel, environment })
      const store = postgresEventStore(connections, quoted, notifications, { environment })
      const readModel = postgresReadModel(connections, quoted, store)
      const prepare = async (): Promise<void> => {
        try {
          await requireServer(connections.read)
          await migrate(connections, schema)
        } catch (error) {
          if (!(error instanceof StoreFault) || failures === 0) throw error
          await environment.sleep(REOPEN_PAUSE)
          await prepare()
        }
      }
      const newId = () => String(++ids).padStart(26, '0')
      const resolveTxt = async (name: string) => {
        await scheduler.wait(latencyOf(network), process)
        return publishedIn(events, name)
      }
      return {
        iam: iamOn({ store, readModel, environment, newId, resolveTxt }),
        readModel,
        environment,
        askCursors: (work) => work(),
        ready: prepare(),
        crash: () => {
          pools.delete(process)
          listeners.delete(process)
          pool.loseAll()
        },
      }
    },
    failOver: async () => {
      onEvent('Every connection breaks')
      for (const { lost } of listeners.values()) lost()
      for (const { loseAll } of pools.values()) loseAll()
      return events.length
    },
    end: async () => {
      await sessions.end()
      await control.query(`DROP SCHEMA IF EXISTS ${quoted} CASCADE`)
    },
  }
  return { server, quiet: sessions.quiet }
}
