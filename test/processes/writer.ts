// A process that writes: started with a `Task` as its argument, it tells of every command it has an answer to.

import { aesGcmCipher, createIam, type Iam } from 'claviger'
import { openPostgres, type Postgres, postgresJs, postgresJsNotice } from 'claviger/postgres'
import { openSqlite, type Sqlite } from 'claviger/sqlite'
import postgres from 'postgres'
import { command } from './commands.ts'

/** Where the log is. */
export type Place =
  | {
      readonly connectionString: string
      readonly schema: string
      /** `pg` when absent. */
      readonly driver?: 'postgres.js'
    }
  | { readonly file: string }

/** Opens what is at `place`. */
export const openPlace = async (place: Place): Promise<Postgres | Sqlite> => {
  if ('file' in place) return openSqlite(place.file)
  const { driver, ...address } = place
  return driver ? openByPostgresJs(address) : openPostgres({ ...address, connectTimeout: 1000 })
}

const openByPostgresJs = async ({
  connectionString,
  schema,
}: Extract<Place, { readonly schema: string }>): Promise<Postgres> => {
  const sql = postgres(connectionString, {
    connect_timeout: 1,
    backoff: () => 0.02,
    // A server that dies while the driver asks for its types would end the process.
    fetch_types: false,
    onnotice: postgresJsNotice,
  })
  const driver = { ...postgresJs(sql), close: () => sql.end({ timeout: 1 }) }
  try {
    return await openPostgres({ driver, schema })
  } catch (error) {
    await driver.close()
    throw error
  }
}

/** What a writing process does. */
export interface Task {
  readonly place: Place
  /** Tells processes apart; the same name repeats the same commands with the same idempotency keys. */
  readonly name: string
  /** Commands in flight. */
  readonly writers: number
  /** Commands of each writer. */
  readonly commands: number
}

/** What a command was answered with. */
export interface Answer {
  readonly key: string
  /** Positions of the events, as text; absent when the command was refused. */
  readonly positions?: readonly string[]
  readonly refusal?: string
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

/** Sends a command again, under its key, for as long as the server is away or others are faster. */
const answerTo = async (iam: Iam, name: string, n: number): Promise<Answer> => {
  const key = `${name}-${n}`
  for (;;) {
    const outcome = await command(iam, name, n)
    if (outcome.isOk()) {
      return { key, positions: outcome.value.events.map(({ position }) => String(position)) }
    }
    const { kind } = outcome.error
    if (kind !== 'Unavailable' && kind !== 'Aborted') return { key, refusal: kind }
    await pause()
  }
}

const open = async ({ place }: Task) => {
  for (;;) {
    try {
      return await openPlace(place)
    } catch {
      await pause()
    }
  }
}

const run = async (task: Task): Promise<void> => {
  const { store, close } = await open(task)
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  const iam = createIam({ store, secrets, authorize: () => true })
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; n < task.commands; n++) {
      process.send?.(await answerTo(iam, `${task.name}-${writer}`, n))
    }
  }
  await Promise.all(Array.from({ length: task.writers }, (_, writer) => write(writer)))
  await close()
  process.disconnect()
}

const [script, argument] = process.argv.slice(1)
if (argument !== undefined && script?.endsWith('writer.ts')) {
  // Ends with the test at the latest.
  process.on('disconnect', () => process.exit())
  await run(JSON.parse(argument))
}
