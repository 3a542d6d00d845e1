import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Effort, type Measured, type Runner, takeTurns } from './rounds.ts'
import type { Task } from './system.ts'
import { EMBEDDED, type Embedded } from './systems/embedded.ts'
import { callsIn, type Load, nameOf } from './workloads.ts'

/** A contestant that runs in a process of its own. */
export interface Apart {
  readonly name: string
  readonly system: Embedded
  readonly task: Task
  readonly calls: number
  readonly inFlight: number
  /** One store for all rounds; else a new one each time. */
  readonly isKept: boolean
}

/** `system` at `task`; in a new store each round, unless `isKept`. */
export const apart = (
  system: Embedded,
  task: Task,
  { inFlight = 1, isKept = false, ...load }: Load & { share: number; isKept?: boolean },
): Apart => ({
  name: nameOf(EMBEDDED[system], inFlight),
  system,
  task,
  calls: callsIn(load),
  inFlight,
  isKept,
})

/**
 * {@link takeTurns}, each in a process of its own: what one system leaves to the garbage collector is
 * not paid for by the others, and no code is compiled for the sake of several.
 */
export const runApart = async (
  contestants: readonly Apart[],
  effort: Effort,
): Promise<readonly Measured[]> => takeTurns(await Promise.all(contestants.map(start)), effort)

const start = async (contestant: Apart): Promise<Runner> => {
  const process = fork(
    new URL('./apart-process.ts', import.meta.url),
    [JSON.stringify(contestant)],
    { execArgv: ['--max-old-space-size=8192'] },
  )
  const ended = new Promise<never>((_, reject) => {
    process.once('exit', (code) => reject(new Error(`${contestant.name} ended with code ${code}`)))
  })
  ended.catch(() => undefined)
  const answer = (): Promise<readonly unknown[]> => Promise.race([once(process, 'message'), ended])
  await answer()
  return {
    name: contestant.name,
    run: async () => {
      process.send('run')
      const [took] = await answer()
      return Number(took)
    },
    end: async () => {
      process.disconnect()
      await once(process, 'exit')
    },
  }
}
