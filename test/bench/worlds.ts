import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { postgresUrl } from './databases.ts'
import { type Measured, type Runner, type Scale, takeTurns } from './rounds.ts'
import { SYSTEMS, type SystemName } from './systems.ts'
import type { Place } from './world.ts'
import type { RoundRequest, Took } from './world-process.ts'

/** A system in a process of its own: it pays for nobody's garbage, and no code is compiled for several. */
export interface OpenWorld {
  readonly system: SystemName
  readonly place: Place
  readonly jobs: readonly string[]
  readonly run: (request: RoundRequest) => Promise<Took>
  readonly close: () => Promise<void>
}

export const openWorld = async (system: SystemName, place: Place): Promise<OpenWorld> => {
  const env = { ...process.env }
  if (place.store === 'postgres') env['BENCH_POSTGRES'] = await postgresUrl()
  const child = fork(
    new URL('./world-process.ts', import.meta.url),
    [system, JSON.stringify(place)],
    { execArgv: ['--expose-gc', '--max-old-space-size=8192'], env },
  )
  const answer = answersOf(child, `${system} on ${place.store}`)
  const [jobs] = await answer()
  return {
    system,
    place,
    jobs: jobs as string[],
    run: async (request) => {
      child.send(request)
      const [took] = await answer()
      return took as Took
    },
    close: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** {@link openWorld} for several systems. Nothing is measured before all are open. */
export const openWorlds = (
  systems: readonly SystemName[],
  place: Place,
): Promise<readonly OpenWorld[]> => Promise.all(systems.map((system) => openWorld(system, place)))

export const closeWorlds = async (worlds: readonly OpenWorld[]): Promise<void> => {
  await Promise.all(worlds.map((each) => each.close()))
}

/** The next message of a process; rejects when the process ends instead. */
export const answersOf = (child: ChildProcess, name: string) => {
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}`)))
  })
  ended.catch(() => undefined)
  return (): Promise<readonly unknown[]> => Promise.race([once(child, 'message'), ended])
}

/** A job of an open world, and the name it is shown by. */
export interface Entry {
  readonly world: OpenWorld
  readonly job: string
  readonly name: string
}

/** `job` of all worlds that can do it, by the names of their systems. */
export const entriesOf = (worlds: readonly OpenWorld[], job: string): readonly Entry[] =>
  worlds
    .filter(({ jobs }) => jobs.includes(job))
    .map((world) => ({ world, job, name: SYSTEMS[world.system] }))

/** Runs all entries in turns; `by` the clock where they wait for a disk or a server. */
export const runEntries = (
  entries: readonly Entry[],
  { rounds, milliseconds, warmUp }: Scale,
  { by, inFlight = 1 }: Pick<RoundRequest, 'by'> & Partial<Pick<RoundRequest, 'inFlight'>>,
): Promise<readonly Measured[]> =>
  takeTurns(
    entries.map(
      ({ world, job, name }): Runner => ({
        name,
        run: () => world.run({ job, inFlight, by, milliseconds, warmUp }),
      }),
    ),
    { rounds },
  )
