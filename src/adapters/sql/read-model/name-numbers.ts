import type { Position } from '../../../ports/event-store.js'
import type { Dialect } from '../dialect.js'
import { find, type Statement, type Steps } from '../statement.js'
import { checkpointIn } from './positions.js'
import type { Shared } from './stored-rows.js'
import { NAMES } from './tables.js'

/** The numbers of names, for as long as a transaction lasts. */
export interface NameNumbers {
  /** The checkpoint at which they were read. */
  readonly reached: Position
  /** Gives one to a name that has none. */
  readonly numberOf: Shared['numberOf']
  /** What records the numbers given so far. */
  readonly statements: () => readonly Statement[]
}

/**
 * Reads the numbers of `names`.
 *
 * @param from - checkpoint before the batch
 * @throws when somebody has emptied the table: what is numbered anew must not be taken for what was
 */
export function* nameNumbers(
  dialect: Dialect,
  names: readonly string[],
  from: Position,
): Steps<NameNumbers> {
  const table = dialect.table(NAMES)
  const { sql, parameters } = dialect.isListed('name', names)
  const found = yield* find<
    readonly [
      reached: number | string | null,
      last: number | string | null,
      name: string | null,
      number: number | string | null,
    ]
  >({
    name: 'names',
    sql: `SELECT reached, last, name, number
      FROM (SELECT ${checkpointIn(dialect)} AS reached, (SELECT max(number) FROM ${table}) AS last) AS moment
      LEFT JOIN ${table} ON ${sql}`,
    parameters,
  })
  const reached = BigInt(found[0]?.[0] ?? 0)
  const last = Number(found[0]?.[1] ?? 0)
  if (last === 0 && from > 0n && reached > 0n)
    throw new Error(`The table ${table} was emptied: reset the read model`)
  const numbers = new Map(found.map(([, , name, number]) => [name, Number(number)]))
  const added: (readonly [name: string, number: number])[] = []
  return {
    reached,
    numberOf: (name) => {
      const known = numbers.get(name)
      if (known !== undefined) return known
      const number = last + added.length + 1
      numbers.set(name, number)
      added.push([name, number])
      return number
    },
    statements: () =>
      dialect.insert(
        NAMES,
        [
          { name: 'name', holds: 'text' },
          { name: 'number', holds: 'integer' },
        ],
        added,
      ),
  }
}
