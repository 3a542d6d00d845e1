import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { PairTask } from './pair-writer.js'

/** What the writers of pairs left behind. */
export interface Left {
  /** Ids of invoices, of users with events, and of users whom the view shows. */
  readonly invoices: readonly string[]
  readonly events: readonly string[]
  readonly shown: readonly string[]
}

/**
 * Starts processes that write pairs, and kills each of them at a random moment, at most `kills` in all. Of every pair
 * there is all or nothing, after every kill and while others go on writing.
 *
 * @param until - when the last process is started, in milliseconds
 * @returns how many processes were killed
 */
export const killed = async (
  place: PairTask['place'],
  {
    kills,
    processes,
    until,
  }: { readonly kills: number; readonly processes: number; readonly until: number },
  left: () => Promise<Left>,
): Promise<number> => {
  const answered: string[] = []
  const running = new Set<ChildProcess>()
  let started = 0
  const writeAndDie = async (): Promise<void> => {
    while (started < kills && Date.now() < until) {
      const task: PairTask = { place, name: `p${started++}`, writers: 2 }
      const child = fork(new URL('pair-writer.ts', import.meta.url), [JSON.stringify(task)], {
        execArgv: [],
      })
      running.add(child)
      const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')])
      let tell: () => void = () => undefined
      const first = new Promise<void>((resolve) => {
        tell = resolve
      })
      child.on('message', (id: string) => {
        answered.push(id)
        tell()
      })
      await Promise.race([first, ended])
      await setTimeout(Math.random() * 20)
      child.kill('SIGKILL')
      await ended
      running.delete(child)
      const { invoices, events, shown } = await left()
      expect(events).toEqual(invoices)
      expect(shown).toEqual(invoices)
    }
  }
  try {
    await Promise.all(Array.from({ length: processes }, writeAndDie))
  } finally {
    for (const child of running) child.kill('SIGKILL')
  }
  const { invoices } = await left()
  const kept = new Set(invoices)
  expect(answered.filter((id) => !kept.has(id))).toEqual([])
  expect(answered.length).toBeGreaterThan(0)
  return started
}
