import { apart, runApart } from './apart.ts'
import { listGrowth } from './lists.ts'
import { addRatio, addRows, type Report } from './report.ts'
import { type Measured, median, runRounds } from './rounds.ts'
import { postgres } from './stores.ts'
import type { Task } from './system.ts'
import { claviger } from './systems/claviger.ts'
import { EMBEDDED, type Embedded } from './systems/embedded.ts'
import { addRole, contestant, type Load, type Scale, updateProject } from './workloads.ts'

/** Growth that is allowed: in a large store a call may take this many times as long. */
const ALLOWED = 1.2

/** How workloads A and B fare in larger stores and longer streams. */
export const growth = async (report: Report, scale: Scale): Promise<void> => {
  const { large, share } = scale
  const middle = Math.round(large / 100)
  const compare = async (
    name: string,
    system: Embedded,
    { tasks, ...load }: Load & { readonly tasks: readonly Task[] },
  ) => {
    const contestants = tasks.map((task) => ({
      ...apart(system, task, { ...load, share, isKept: true }),
      name: `${EMBEDDED[system].name}, ${sizeOf(task)}`,
    }))
    const measured = await runApart(contestants, scale)
    addRows(report, `growth: ${name}`, measured)
    return measured
  }
  const comparePostgres = async (
    name: string,
    { tasks, ...load }: Load & { readonly tasks: readonly Task[] },
  ) => {
    const system = claviger(postgres)
    const contestants = tasks.map((task) => ({
      ...contestant(system, task, { ...load, share }),
      name: `${system.name}, ${sizeOf(task)}`,
    }))
    const measured = await runRounds(contestants, scale, true)
    addRows(report, `growth: ${name}`, measured)
    return measured
  }
  const sizes = [addRole(0), addRole(middle), addRole(large)]
  const lengths = [updateProject(10), updateProject(1000)]

  const judge = (name: string, measured: readonly Measured[], allowed = ALLOWED): void =>
    addRatio(report, `growth: ${name}`, { measured: allowed / loss(measured), target: 1 })

  judge(
    'A memory 1 in flight',
    await compare('A memory', 'claviger', { tasks: sizes, calls: 10_000 }),
  )
  judge(
    'B memory 1 in flight',
    await compare('B memory', 'claviger', { tasks: lengths, calls: 8_192 }),
  )
  await compare('A memory', 'emmett', { tasks: [addRole(0), addRole(middle)], calls: 200 })
  judge(
    'A sqlite 1 in flight',
    await compare('A sqlite', 'clavigerSqlite', { tasks: sizes, calls: 2_000 }),
  )
  judge(
    'B sqlite 1 in flight',
    await compare('B sqlite', 'clavigerSqlite', { tasks: lengths, calls: 2_000 }),
  )
  const raw = await compare('A sqlite, raw', 'groupedSqlite', { tasks: sizes, calls: 20_000 })
  judge(
    'A sqlite 64 in flight',
    await compare('A sqlite, 64 in flight', 'clavigerSqlite', {
      tasks: sizes,
      calls: 20_000,
      inFlight: 64,
    }),
    ALLOWED * loss(raw),
  )
  judge(
    'A postgres 1 in flight',
    await comparePostgres('A postgres', { tasks: sizes, calls: 1_000 }),
  )
  judge(
    'B postgres 1 in flight',
    await comparePostgres('B postgres', { tasks: lengths, calls: 1_000 }),
  )
  for (const inFlight of [16, 64]) {
    const load = { tasks: sizes, inFlight }
    await compare(`A memory, ${inFlight} in flight`, 'claviger', { ...load, calls: 10_000 })
    await comparePostgres(`A postgres, ${inFlight} in flight`, { ...load, calls: 4_000 })
  }
  await compare('A sqlite, 16 in flight', 'clavigerSqlite', {
    tasks: sizes,
    calls: 8_000,
    inFlight: 16,
  })
  await listGrowth(report, scale)
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
