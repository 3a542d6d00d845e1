import type { Position } from '../../../ports/event-store.js'
import type { Column, Dialect } from '../dialect.js'
import { find, type Integer, type Statement, type Steps } from '../statement.js'
import type { Shared } from './stored-rows.js'
import { checkpointIn, NAMES } from './tables.js'

/** The numbers of names, for as long as a transaction lasts. */
export interface NameNumbers {
  /** The checkpoint at which they were read. */
  readonly reached: Position
  /** Gives one to a name that has none. */
  readonly numberOf: Shared['numberOf']
  /** What records the numbers given so far. */
  readonly statements: () => Iterable<Statement>
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
  type Found = readonly [reached: Integer, last: Integer, name: string | null, number: Integer]
  const found = yield* find<Found>({
    name: 'names',
    sql: `SELECT reached, last, name, number
      FROM (SELECT ${checkpointIn(dialect)} AS reached, (SELECT max(number) FROM ${table}) AS last) AS moment
      LEFT JOIN ${table} ON ${sql}`,
    parameters,
  })
  const [first] = found
  const reached = BigInt(first?.[0] ?? 0)
  const last = Number(first?.[1] ?? 0)
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
    statements: () => dialect.insert({ table: NAMES, columns: COLUMNS }, added, (row) => row),
  }
}

const COLUMNS: readonly Column[] = [
  { name: 'name', holds: 'text' },
  { name: 'number', holds: 'integer' },
]
