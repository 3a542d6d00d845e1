import { EventEmitter } from 'node:events'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { keepListening } from '../../../../src/adapters/postgres/log/notifications.js'
import { poolDriver } from '../../../../src/adapters/postgres/pg.js'
import { subscribe } from '../../../../src/application/following/subscribe.js'
import { aesGcmCipher, createIam } from '../../../../src/index.js'
import { firstOf, record } from '../../../../src/laws/event-store/harness.js'
import { systemEnvironment } from '../../../../src/ports/environment.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

/** Counts hints, and waits for one more. */
const hintsOf = (onAppend: ((wake: () => void) => () => void) | undefined) => {
  let count = 0
  let waiting: (() => void)[] = []
  const stop = onAppend?.(() => {
    count++
    for (const resume of waiting) resume()
    waiting = []
  })
  return {
    stop,
    count: () => count,
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
  }
}

const backends = async (client: pg.Client, schema: string): Promise<readonly number[]> => {
  const { rows } = await client.query(
    `SELECT pid FROM pg_stat_activity WHERE query = $1 AND pid <> pg_backend_pid()`,
    [`LISTEN "claviger_${schema}"`],
  )
  return rows.map(({ pid }) => pid)
}

const owner = async (): Promise<pg.Client & AsyncDisposable> => {
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

describe('Listening', () => {
  test('is notified of appends of another process', async () => {
    const { connectionString } = server
    const schema = newSchema()
    await using writer = await openPostgres({ connectionString, schema })
    await using reader = await openPostgres({ connectionString, schema })
    const hints = hintsOf(reader.store.onAppend)
    await hints.next()
    const heard = hints.next()
    await record(writer.store, firstOf('law-a'))
    await heard
    hints.stop?.()
  })

  test('takes one connection, and returns it after the last listener', async () => {
    const { connectionString } = server
    const schema = newSchema()
    await using opened = await openPostgres({ connectionString, schema })
    await using client = await owner()
    const all = [hintsOf(opened.store.onAppend), hintsOf(opened.store.onAppend)]
    await all[0]?.next()
    expect((await backends(client, schema)).length).toBe(1)
    for (const { stop } of all) stop?.()
    await expect.poll(() => backends(client, schema)).toEqual([])
  })

  test('goes on after its connection was lost, and calls its listeners, which may have missed events', async () => {
    const { connectionString } = server
    const schema = newSchema()
    await using opened = await openPostgres({ connectionString, schema })
    await using client = await owner()
    const hints = hintsOf(opened.store.onAppend)
    await hints.next()
    const [pid] = await backends(client, schema)
    const woken = hints.next()
    await client.query('SELECT pg_terminate_backend($1)', [pid])
    await woken
    const heard = hints.next()
    await client.query(`NOTIFY "claviger_${schema}"`)
    await heard
    expect((await backends(client, schema)).length).toBe(1)
    hints.stop?.()
  })

  test('takes no connection of the pool of the host', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString, max: 1 })
    await using first = await openPostgres({ pool, schema: newSchema() })
    await using second = await openPostgres({ pool, schema: newSchema() })
    for (const { store } of [first, second]) {
      const hints = hintsOf(store.onAppend)
      await hints.next()
      const heard = hints.next()
      await record(store, firstOf('law-a'))
      await heard
    }
    await first.close()
    await second.close()
    await pool.end()
  })

  test('may use another address; by itself it uses that of a pool of the host', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString })
    const schema = newSchema()
    const listenConnectionString = `${server.connectionString}?application_name=ears`
    await using shared = await openPostgres({ pool, schema })
    await using own = await openPostgres({ pool, schema, listenConnectionString })
    await using client = await owner()
    const hints = [hintsOf(shared.store.onAppend), hintsOf(own.store.onAppend)]
    await Promise.all(hints.map(({ next }) => next()))
    const { rows } = await client.query(
      `SELECT application_name AS name FROM pg_stat_activity WHERE query = $1 ORDER BY 1`,
      [`LISTEN "claviger_${schema}"`],
    )
    expect(rows).toEqual([{ name: '' }, { name: 'ears' }])
    for (const { stop } of hints) stop?.()
    await shared.close()
    await own.close()
    await pool.end()
  })
})

/** Listens to a server that connects each time it is asked, as long as it is not away. */
const listenToFake = (isAway = false) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const chance = vi.spyOn(Math, 'random').mockReturnValue(1)
  onTestFinished(() => {
    vi.useRealTimers()
    chance.mockRestore()
  })
  const clients: EventEmitter[] = []
  const server = { clients, ended: 0, isAway, asked: vi.fn(), wake: vi.fn() }
  class Client extends EventEmitter {
    connect = async () => {
      server.asked()
      if (server.isAway) throw new Error('away')
      clients.push(this)
    }
    query = async () => ({ rows: [{ process: 0 }] })
    end = async () => {
      server.ended++
      this.emit('end')
    }
  }
  const { listen } = poolDriver({ Client } as never)
  if (!listen) throw new Error('A pool with clients can listen')
  const { end } = keepListening((wake, lost) => listen('c', wake, lost), server.wake)
  return Object.assign(server, { end })
}

describe('The connection to listen on', () => {
  test.each(['error', 'end'])('is replaced at once, and each time: after its %s', async (event) => {
    const server = listenToFake()
    for (let count = 1; count <= 5; count++) {
      await vi.advanceTimersByTimeAsync(100)
      expect(server.clients).toHaveLength(count)
      expect(server.wake).toHaveBeenCalledTimes(count)
      server.clients.at(-1)?.emit(event, new Error('lost'))
      await vi.advanceTimersByTimeAsync(0)
      expect(server.ended).toBe(count)
    }
    await server.end()
  })

  test('is opened again after pauses twice as long each, up to ten seconds, that do not keep the program alive', async () => {
    const server = listenToFake(true)
    const pausing = vi.fn(setTimeout)
    vi.stubGlobal('setTimeout', pausing)
    onTestFinished(() => void vi.unstubAllGlobals())
    let asked = 1
    for (const pause of [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      await vi.advanceTimersByTimeAsync(pause - 1)
      expect(server.asked).toHaveBeenCalledTimes(asked)
      await vi.advanceTimersByTimeAsync(1)
      expect(server.asked).toHaveBeenCalledTimes(++asked)
    }
    for (const { value } of pausing.mock.results) expect(value.hasRef()).toBe(false)
    expect(pausing).toHaveBeenCalledTimes(asked)
    await server.end()
  })

  test.each([true, false])('is ended for good; was it there: %s', async (wasThere) => {
    const server = listenToFake(!wasThere)
    await vi.advanceTimersByTimeAsync(50)
    await server.end()
    server.isAway = false
    await vi.advanceTimersByTimeAsync(60_000)
    expect(server.asked).toHaveBeenCalledTimes(1)
    expect(server.ended).toBe(wasThere ? 1 : 0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is given up when it comes after the end', async () => {
    const server = listenToFake()
    await server.end()
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(server.ended).toBe(1)
    expect(server.wake).not.toHaveBeenCalled()
  })
})

describe('A subscription', () => {
  test('misses nothing when the connections of its process are lost', async () => {
    const { connectionString } = server
    const schema = newSchema()
    const reading = `${connectionString}?application_name=reader`
    await using writer = await openPostgres({ connectionString, schema })
    await using reader = await openPostgres({ connectionString: reading, schema })
    await using client = await owner()
    const iam = createIam({
      store: writer.store,
      secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
      authorize: () => true,
    })
    const written: bigint[] = []
    const seen: bigint[] = []
    const subscription = subscribe(reader.store, undefined, { environment: systemEnvironment })
    for (let n = 0; n < 30; n++) {
      const context = { caller: { userId: 'u1', orgId: 'acme' } }
      const added = await iam.projects.add({ name: `Project ${n}` }, context)
      if (added.isOk()) written.push(added.value.details.sequence)
      if (n % 10 === 5) {
        const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'reader'`
        await client.query(text)
      }
      const { value } = await subscription.next()
      if (value) seen.push(value.position)
    }
    await subscription.return?.()
    expect(written.length).toBe(30)
    expect(seen).toEqual(written)
  })
})
