import pg from 'pg'
import type { PostgresPoolClient } from '../../src/adapters/postgres/driver.js'
import { Violation } from './judge.js'
import { nextTurn } from './scheduler.js'

/** A statement as the driver of `pg` sends it. */
export type Statement = Parameters<PostgresPoolClient['query']>[0]

/** A real session of a real server. */
export interface Session {
  readonly pid: number
  /** @param mayCommit - whether it may record events */
  readonly run: (statement: Statement, mayCommit?: boolean) => Promise<{ readonly rows: unknown[] }>
}

/** Real sessions of a server, of which at most one has something to do at any time. */
export interface Sessions {
  /** A session without a transaction. */
  readonly take: () => Promise<Session>
  /** Rolls back what a session was doing, after its last statement, so that it can be taken again. */
  readonly giveBack: (session: Session) => void
  /** The answer to what is asked beside the sessions, which takes no time either. */
  readonly inTurn: <Value>(answering: Promise<Value>) => Promise<Value>
  /**
   * Resolves once every statement was answered or waits for a lock: nothing changes on the server then until another
   * statement is sent. Answers are handed on only now, in the order of the statements.
   *
   * @throws Violation when statements wait for one another
   */
  readonly quiet: () => Promise<void>
  readonly end: () => Promise<void>
}

interface Work {
  /** The session's; absent while it is opened, and of what is asked beside the sessions. */
  readonly pid: number | undefined
  readonly mayCommit: boolean
  readonly done: Promise<void>
  isBlocked: boolean
  /** Hands the answer on; absent until there is one. */
  handOn?: () => void
}

/** How long an answer is waited for before the server is asked for locks, in milliseconds. */
const PATIENCE = 2

const READ_LOCKS =
  'SELECT pid, pg_catalog.pg_blocking_pids(pid) AS blockers FROM pg_locks WHERE NOT granted'

/**
 * @param control - a session that no instance uses
 * @param onCommit - called after statements that may have recorded events, before anybody has their answers
 */
export const sessionsOf = (
  config: pg.ClientConfig,
  control: pg.Client,
  onCommit: () => Promise<void>,
): Sessions => {
  const clients: pg.Client[] = []
  const free: Session[] = []
  const works = new Set<Work>()
  let hasNews = false

  /** The answer of `answering`, once it is handed on. */
  const inTurn = <Value>(
    answering: Promise<Value>,
    { pid, mayCommit = false }: Partial<Pick<Work, 'pid' | 'mayCommit'>> = {},
  ): Promise<Value> =>
    new Promise((resolve, reject) => {
      const work: Work = {
        pid,
        mayCommit,
        isBlocked: false,
        done: answering.then(
          (value) => {
            work.handOn = () => resolve(value)
          },
          (error) => {
            work.handOn = () => reject(error)
          },
        ),
      }
      works.add(work)
      hasNews = true
    })

  const open = async (): Promise<Session> => {
    const client = new pg.Client(config)
    clients.push(client)
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    const [{ pid }] = rows
    const run: Session['run'] = (statement, mayCommit = false) =>
      inTurn(client.query(statement), { pid, mayCommit })
    return { pid, run }
  }

  const untilStill = async (): Promise<void> => {
    const open = () => [...works].filter(({ handOn }) => !handOn)
    for (;;) {
      // Most answers come at once. It is only for speed: what decides is whether the server waits for a lock.
      const running = open().filter(({ isBlocked }) => !isBlocked)
      const answers = Promise.all(running.map(({ done }) => done))
      if (running.length > 0) await Promise.race([answers, pause(PATIENCE)])
      const asked = open()
      if (asked.length === 0) return
      const { rows } = await control.query<Waiting>(READ_LOCKS)
      for (const work of asked) work.isBlocked = rows.some(({ pid }) => pid === work.pid)
      if (asked.every(({ isBlocked }) => isBlocked)) return requireWayOut(rows)
    }
  }

  return {
    take: async () => free.pop() ?? (await inTurn(open())),
    giveBack: (session) => {
      const rollBack = { ...STATEMENT, text: 'ROLLBACK' }
      session.run(rollBack).then(() => free.push(session))
    },
    inTurn,
    quiet: async () => {
      await nextTurn()
      while (hasNews) {
        hasNews = false
        await untilStill()
        const answered = [...works].filter(({ handOn }) => handOn)
        if (answered.some(({ mayCommit }) => mayCommit)) await onCommit()
        for (const work of answered) {
          works.delete(work)
          work.handOn?.()
        }
        await nextTurn()
      }
    },
    end: async () => {
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}

/** A statement without values. */
export const STATEMENT = {
  values: [],
  rowMode: 'array',
  types: { getTypeParser: () => (value: string) => value },
} satisfies Omit<Statement, 'text'>

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

interface Waiting {
  readonly pid: number
  readonly blockers: readonly number[]
}

/** @throws Violation when some of `waiting` wait for one another */
const requireWayOut = (waiting: readonly Waiting[]): void => {
  let stuck = waiting
  for (let before = Number.NaN; before !== stuck.length; ) {
    before = stuck.length
    const pids = new Set(stuck.map(({ pid }) => pid))
    stuck = stuck.filter(({ blockers }) => blockers.some((pid) => pids.has(pid)))
  }
  if (stuck.length > 0) throw new Violation(`${stuck.length} statements wait for one another`)
}
