import { type Growth, growthOf, usedMemory } from './heap.ts'
import type { Kind } from './place.ts'
import { type Round, soakOnce } from './round.ts'

/** Logs that a store whose log is on the heap goes through. */
const ROUNDS = 40

/** What became of one kind of store. */
export interface Report extends Omit<Round, 'samples'> {
  readonly memory: Growth
}

/** Soaks `kind` for so long, in milliseconds. */
export const soakKind = async (kind: Kind, milliseconds: number): Promise<Report> => {
  const count = kind.isOnHeap ? ROUNDS : 1
  const samples: number[] = []
  const sum = { calls: 0, recorded: 0, unknown: 0, conflicts: 0, faults: 0 }
  const problems: string[] = []
  for (let n = 0; n < count; n++) {
    const {
      samples: taken,
      problems: found,
      ...numbers
    } = await soakOnce(kind, milliseconds / count)
    samples.push(...(kind.isOnHeap ? [usedMemory()] : taken))
    problems.push(...found)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += numbers[name]
  }
  const memory = growthOf(samples)
  if (!memory.isFlat) problems.push('memory grew')
  if (sum.faults === 0) problems.push('no fault was met, so nothing is shown')
  if (sum.conflicts === 0) problems.push('no race was lost, so nothing is shown')
  return { ...sum, memory, problems }
}
