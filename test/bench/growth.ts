import { runApart } from './apart.ts'
import { addRatio, addRows, type Report } from './report.ts'
import { type Measured, median, runRounds } from './rounds.ts'
import { postgres, sqlite } from './stores.ts'
import type { System, Task } from './system.ts'
import { claviger } from './systems/claviger.ts'
import { IN_MEMORY, type InMemory } from './systems/in-memory.ts'
import { groupedSqlite } from './systems/raw-sqlite.ts'
import { addRole, callsIn, contestant, type Load, type Scale, updateProject } from './workloads.ts'

/** Growth that is allowed: in a large store a call may take this many times as long. */
const ALLOWED = 1.2

/** How workloads A and B fare in larger stores and longer streams. */
export const growth = async (report: Report, scale: Scale): Promise<void> => {
  const { large, share } = scale
  const middle = Math.round(large / 100)
  const compare = async (
    name: string,
    system: System,
    { tasks, ...load }: Load & { readonly tasks: readonly Task[] },
  ) => {
    const contestants = tasks.map((task) => ({
      ...contestant(system, task, { ...load, share }),
      name: `${system.name}, ${sizeOf(task)}`,
    }))
    const measured = await runRounds(contestants, scale, true)
    addRows(report, `growth: ${name}`, measured)
    return measured
  }
  const compareInMemory = async (
    name: string,
    system: InMemory,
    { tasks, calls }: Load & { readonly tasks: readonly Task[] },
  ) => {
    const contestants = tasks.map((task) => ({
      name: `${IN_MEMORY[system].name}, ${sizeOf(task)}`,
      system,
      task,
      calls: callsIn({ calls, share }),
      inFlight: 1,
      isKept: true,
    }))
    const measured = await runApart(contestants, scale)
    addRows(report, `growth: ${name}`, measured)
    return measured
  }
  const sizes = [addRole(0), addRole(middle), addRole(large)]
  const lengths = [updateProject(10), updateProject(1000)]

  const judge = (name: string, measured: readonly Measured[], allowed = ALLOWED): void =>
    addRatio(report, `growth: ${name}`, { measured: allowed / loss(measured), target: 1 })

  judge(
    'A memory 1 in flight',
    await compareInMemory('A memory', 'claviger', { tasks: sizes, calls: 10_000 }),
  )
  judge(
    'B memory 1 in flight',
    await compareInMemory('B memory', 'claviger', { tasks: lengths, calls: 8_192 }),
  )
  await compareInMemory('A memory', 'emmett', { tasks: [addRole(0), addRole(middle)], calls: 200 })
  judge(
    'A sqlite 1 in flight',
    await compare('A sqlite', claviger(sqlite), { tasks: sizes, calls: 2_000 }),
  )
  judge(
    'B sqlite 1 in flight',
    await compare('B sqlite', claviger(sqlite), { tasks: lengths, calls: 2_000 }),
  )
  const raw = await compare('A sqlite, raw', groupedSqlite, { tasks: sizes, calls: 20_000 })
  judge(
    'A sqlite 64 in flight',
    await compare('A sqlite, 64 in flight', claviger(sqlite), {
      tasks: sizes,
      calls: 20_000,
      inFlight: 64,
    }),
    ALLOWED * loss(raw),
  )
  judge(
    'A postgres 1 in flight',
    await compare('A postgres', claviger(postgres), { tasks: sizes, calls: 1_000 }),
  )
  judge(
    'B postgres 1 in flight',
    await compare('B postgres', claviger(postgres), { tasks: lengths, calls: 1_000 }),
  )
}

const sizeOf = (task: Task): string =>
  task.kind === 'add role'
    ? `${task.held.toLocaleString('en-US')} events before`
    : `streams of ${task.events}`

/** How many times as long a call takes in the largest store as in the smallest. */
const loss = (measured: readonly Measured[]): number => {
  const [small, large] = [measured.at(0), measured.at(-1)]
  if (!small || !large) return Number.NaN
  return median(
    large.nanoseconds.map((took, round) => took / (small.nanoseconds[round] ?? Number.NaN)),
  )
}
