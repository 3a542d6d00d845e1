import type { Position } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import { namesOf, type Shared } from '../../kept-rows.js'
import { NAMES } from '../../read-tables.js'
import { rowsOf } from '../rows-of.js'
import type { Session, Statement } from '../session.js'
import { bigintArray, textArray } from './arrays.js'

/** The numbers of names, for as long as a transaction lasts. */
export interface NameNumbers {
  /** Gives one to a name that has none. */
  readonly numberOf: Shared['numberOf']
  /** What records the numbers given so far. */
  readonly statements: () => readonly Statement[]
}

/**
 * Reads the numbers of the names that entries of `events` hold.
 *
 * @param from - checkpoint before `events`
 * @throws when somebody has emptied the table: what is numbered anew must not be taken for what was
 */
export const nameNumbers = async (
  session: Session,
  schema: string,
  { from, events }: { readonly from: Position; readonly events: readonly KnownEvent[] },
): Promise<NameNumbers> => {
  const table = `${schema}.${NAMES}`
  const held = new Set<string>()
  for (const event of events) for (const name of namesOf(event)) held.add(name)
  const found = await session.rows<[name: string | null, number: string | null]>({
    name: `${schema} names`,
    text: `SELECT name, number FROM ${table} WHERE name = ANY ($1)
      UNION ALL SELECT NULL, max(number) FROM ${table}`,
    values: [textArray([...held])],
  })
  const last = found.at(-1)?.[1]
  if (last == null && from > 0n) {
    throw new Error(`The table ${table} was emptied: reset the read model`)
  }
  const numbers = new Map(found.map(([name, number]) => [name, Number(number)]))
  const added: [name: string, number: number][] = []
  return {
    numberOf: (name) => {
      const known = numbers.get(name)
      if (known !== undefined) return known
      const number = Number(last ?? 0) + added.length + 1
      numbers.set(name, number)
      added.push([name, number])
      return number
    },
    statements: () =>
      added.length === 0
        ? []
        : [
            {
              text: `INSERT INTO ${table} (name, number) ${rowsOf(['text', 'bigint'])}`,
              values: [
                textArray(added.map(([name]) => name)),
                bigintArray(added.map(([, number]) => number)),
              ],
            },
          ],
  }
}
