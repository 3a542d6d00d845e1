import { existsSync, readdirSync } from 'node:fs'
import { soon } from './chance.ts'

/** How long what was closed may take to end, in milliseconds; less than a pool keeps what is idle. */
const PATIENCE = 3_000

/** What this process holds: how many of each kind of resource, and of files. */
export type Held = ReadonlyMap<string, number>

/** Where Linux lists the files that this process has open. */
const FILES = '/proc/self/fd'

/** @see Held */
export const heldNow = (): Held => {
  const held = new Map<string, number>()
  if (existsSync(FILES)) held.set('file', readdirSync(FILES).length)
  for (const name of process.getActiveResourcesInfo()) held.set(name, (held.get(name) ?? 0) + 1)
  return held
}

/** What is held beyond what was held `before`; what was closed is given the time to end. */
export const leftSince = async (before: Held): Promise<readonly string[]> => {
  const left = () => {
    return [...heldNow()].flatMap(([name, count]) => {
      const more = count - (before.get(name) ?? 0)
      return more > 0 ? [`${more} ${name}`] : []
    })
  }
  await soon(() => left().length === 0, PATIENCE)
  return left()
}
