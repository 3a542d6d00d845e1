import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Answer, Followed, Order, Task, Told } from './messages.ts'

/** What is done: commands that are answered, and reads. */
export type Done = 'write' | 'strong' | 'eventual'

/** A process of a host, and what it has told so far. */
export interface Host {
  readonly task: Task
  readonly answers: readonly Answer[]
  readonly problems: readonly string[]
  /** When it has last done something; in milliseconds. */
  readonly last: (done: Done) => number
  /** The longest pause between two of its kind since `rest` was called, in milliseconds. */
  readonly longestPause: (done: Done) => number
  readonly rest: () => void
  readonly send: (order: Order) => void
  readonly told: <Type extends Told['type']>(type: Type) => Promise<Extract<Told, { type: Type }>>
  readonly kill: () => void
}

const DONE: readonly Done[] = ['write', 'strong', 'eventual']

/** Starts a process. @param onAdded - called with each project that was added */
export const startHost = (task: Task, onAdded: (id: string) => void): Host => {
  const child = fork(new URL('worker.ts', import.meta.url), [JSON.stringify(task)])
  const answers: Answer[] = []
  const problems: string[] = []
  const last = new Map<Done, number>()
  const longest = new Map<Done, number>()
  const waiting = new Map<Told['type'], (told: Told) => void>()

  const note = (done: Done): void => {
    const now = performance.now()
    longest.set(done, Math.max(longest.get(done) ?? 0, now - (last.get(done) ?? now)))
    last.set(done, now)
  }
  child.on('message', (told: Told) => {
    waiting.get(told.type)?.(told)
    if (told.type === 'read') note(told.consistency)
    if (told.type === 'problem') problems.push(told.text)
    if (told.type !== 'answer') return
    answers.push(told)
    if (typeof told.answer !== 'string') note('write')
    if (told.added !== undefined) onAdded(told.added)
  })
  // The last that it tells may arrive after its exit; the channel closes behind that.
  const exited = Promise.all([once(child, 'exit'), once(child, 'disconnect')]).then(([[code]]) => {
    throw new Error(`${task.name} has ended: ${code}`)
  })
  // It ends by itself in the end.
  exited.catch(() => undefined)

  return {
    task,
    answers,
    problems,
    last: (done) => last.get(done) ?? 0,
    longestPause: (done) => {
      const now = performance.now()
      return Math.max(longest.get(done) ?? 0, now - (last.get(done) ?? now))
    },
    rest: () => {
      for (const done of DONE) longest.set(done, 0)
    },
    send: (order) => void (child.connected && child.send(order)),
    told: (type) => {
      const { promise, resolve } = Promise.withResolvers<Told>()
      waiting.set(type, resolve)
      // The type says which one it is.
      return Promise.race([promise, exited]) as ReturnType<Host['told']> as never
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/** What the followers of `host` saw up to `head`. */
export const followedTo = async (host: Host, head: bigint): Promise<Followed> => {
  const followed = host.told('followed')
  host.send({ type: 'report', head: String(head) })
  return followed
}
