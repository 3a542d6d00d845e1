import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { EventStore } from '../../src/index.js'
import type { PairNews, PairTask } from './pair-writer.js'

/** A database that is written to. */
export interface PairDatabase {
  readonly place: PairTask['place']
  readonly views: boolean
  readonly store: EventStore
  /** Faults besides the death of a process. */
  readonly faults: readonly (() => unknown)[]
  /** As of one moment. */
  readonly left: () => Promise<{
    readonly pairs: number
    /** Pairs that lack a part. */
    readonly halves: { readonly count: number; readonly first: unknown }
  }>
  readonly hasRow: (id: string) => Promise<boolean>
}

const NONE = { count: 0, first: null }

/** How many processes write, and how often one is killed or another fault happens. */
interface Load {
  readonly kills: number
  readonly pairs: number
  readonly processes: number
  /** Of each process. */
  readonly writers: number
}

/**
 * Writes pairs, and causes a fault at random moments: at least one in four kills a process. After every fault, and while
 * others go on writing, each pair is whole or absent. If a writer does not know the outcome of a pair, the log has it.
 *
 * @returns the number of pairs, and of pairs whose outcome the writers do not know
 */
export const killed = async (
  { place, views, store, faults, left, hasRow }: PairDatabase,
  { kills, pairs, processes, writers }: Load,
): Promise<{ readonly pairs: number; readonly unknown: number }> => {
  const news = new Map<string, PairNews['says']>()
  const running: ChildProcess[] = []
  const ends: Promise<unknown>[] = []
  let started = 0
  let recorded = 0
  let isDone = false
  let wake: () => void = () => undefined

  const startOne = (): void => {
    const task: PairTask = { place, views, name: `p${started++}`, writers }
    const child = fork(new URL('pair-writer.ts', import.meta.url), [JSON.stringify(task)], {
      execArgv: [],
    })
    running.push(child)
    child.on('message', ({ id, says }: PairNews) => {
      news.set(id, says)
      if (says === 'recorded') recorded++
      wake()
    })
    const end = Promise.all([once(child, 'exit'), once(child, 'disconnect')]).then(() => {
      running.splice(running.indexOf(child), 1)
      if (!isDone) startOne()
    })
    ends.push(end)
  }

  const recordedAbove = async (count: number): Promise<void> => {
    while (recorded < count) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  const killOne = () => running[Math.floor(Math.random() * running.length)]?.kill('SIGKILL')

  try {
    for (let n = 0; n < processes; n++) startOne()
    for (let n = 1; n <= kills; n++) {
      await recordedAbove((pairs * n) / kills)
      await setTimeout(Math.random() * 20)
      const others = faults[Math.floor(Math.random() * (faults.length + 1))]
      await (others ?? killOne)()
      expect((await left()).halves).toEqual(NONE)
    }
  } finally {
    isDone = true
    for (const child of running) child.kill('SIGKILL')
  }
  await Promise.all(ends)

  const last = await left()
  expect(last.halves).toEqual(NONE)
  let unknown = 0
  for (const [id, says] of news) {
    const isThere = await hasRow(id)
    if (says === 'recorded') expect([id, isThere]).toEqual([id, true])
    else if (says === 'not recorded') expect([id, isThere]).toEqual([id, false])
    else {
      unknown++
      const found = await store.findAppend({ idempotencyKey: `acme+${id}` })
      expect([id, found.length]).toEqual([id, isThere ? 1 : 0])
    }
  }
  return { pairs: last.pairs, unknown }
}
