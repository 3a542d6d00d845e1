import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { subscribe } from '../../src/application/following/subscribe.js'
import { aesGcmCipher, createIam, type EventStore, verify } from '../../src/index.js'
import { systemEnvironment } from '../../src/ports/environment.js'
import { outcomeOf } from '../../src/ports/event-store.js'
import { type Answer, openPlace, type Place, type Task } from './writer.js'

/** A process that writes. */
export interface Writing {
  /** What it has told of so far. */
  readonly answers: readonly Answer[]
  /** Resolves once it has told of `count` answers, or has ended. */
  readonly answered: (count: number) => Promise<void>
  readonly ended: Promise<unknown>
  readonly kill: () => Promise<void>
}

const folder = new URL('.', import.meta.url)

/** Starts a process that writes. */
export const startWriting = (task: Task): Writing => {
  const child: ChildProcess = fork(new URL('writer.ts', folder), [JSON.stringify(task)], {
    execArgv: [],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const answers: Answer[] = []
  // The last answers may arrive after the exit; the channel closes behind them.
  const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  child.on('message', (answer: Answer) => answers.push(answer))
  return {
    answers,
    answered: async (count) => {
      while (answers.length < count && child.exitCode === null && child.signalCode === null) {
        await Promise.race([once(child, 'message'), ended])
      }
    },
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Makes the project that all writers fight for. */
export const makeShared = async (place: Place): Promise<void> => {
  await using opened = await openPlace(place)
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  const iam = createIam({ store: opened.store, secrets, authorize: () => true })
  const context = { caller: { userId: 'u1', orgId: 'acme' } }
  const added = await iam.projects.add({ id: 'shared', name: 'Shared' }, context)
  expect(added.isOk()).toBe(true)
}

/** Opens a store, as soon as its server is there. */
const openWhenThere = async (place: Place): ReturnType<typeof openPlace> => {
  for (;;) {
    try {
      return await openPlace(place)
    } catch (error) {
      if (outcomeOf(error) === undefined) throw error
      await delay(20)
    }
  }
}

/**
 * Reads what is recorded until `isDone` and nothing is left; begins anew from where it was, with
 * another connection, after every `restartAfter` events.
 */
export const follow = async (
  place: Place,
  restartAfter: number,
  written: Promise<unknown>,
): Promise<readonly bigint[]> => {
  const seen: bigint[] = []
  let head: bigint | undefined
  void written.then(async () => {
    await using opened = await openWhenThere(place)
    head = await opened.store.lastPosition()
  })
  while (head === undefined || (seen.at(-1) ?? 0n) < head) {
    await using opened = await openWhenThere(place)
    const signal = AbortSignal.timeout(1000)
    let count = 0
    for await (const { position } of subscribe(
      opened.store,
      { after: seen.at(-1), signal },
      { environment: systemEnvironment },
    )) {
      seen.push(position)
      if (++count === restartAfter || position === head) break
    }
  }
  return seen
}

/** Holds the log to what was answered: nothing lost, nothing halved, nothing done twice. */
export const checkLog = async (store: EventStore, answers: readonly Answer[]): Promise<void> => {
  const verified = await verify(store)
  expect(verified.isErr() && verified.error).toBe(false)
  const log = await store.readAll(0n, 10_000_000)
  const positions = new Map(log.map(({ position, metadata }) => [String(position), metadata]))
  for (const { key, positions: answered = [] } of answers) {
    for (const position of answered) {
      expect(positions.get(position)?.idempotencyKey).toBe(`acme+${key}`)
    }
  }
  const appends = Map.groupBy(log, ({ metadata }) => metadata.idempotencyKey)
  for (const [key, events] of appends) {
    if (key === undefined) continue
    expect(new Set(events.map(({ appendId }) => appendId)).size).toBe(1)
    const isBatch = Number(key.split('-').at(-1)) % 4 === 1
    expect(events.length).toBe(isBatch ? 3 : 1)
  }
}
