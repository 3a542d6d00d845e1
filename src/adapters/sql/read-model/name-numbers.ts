import type { Position } from '../../../ports/event-store.js'
import type { Dialect } from '../dialect.js'
import { find, type Integer, type Statement, type Steps } from '../dialect.js'
import type { Shared } from './stored-rows.js'
import { checkpointIn, NAMES } from './tables.js'

/** The numbers of the names in a batch of events. */
interface NameNumbers {
  /** The checkpoint at which they were read. */
  readonly reached: Position
  readonly numberOf: Shared['numberOf']
  /** Records the numbers of new names. */
  readonly statements: () => Iterable<Statement>
}

/**
 * Reads the numbers of `names`, and numbers those that are new.
 *
 * @param names - in the order of the log, so that equal logs lead to equal numbers
 * @param from - checkpoint before the batch
 * @throws when the table was emptied: a name must not get the number of another one
 */
export function* nameNumbers(
  dialect: Dialect,
  names: ReadonlySet<string>,
  from: Position,
): Steps<NameNumbers> {
  const table = dialect.table(NAMES)
  const { sql, parameters } = dialect.isListed('name', [...names])
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
  const added = [...names]
    .filter((name) => !numbers.has(name))
    .map((name, index) => [name, last + index + 1] as const)
  for (const [name, number] of added) numbers.set(name, number)
  return {
    reached,
    numberOf: (name) => Number(numbers.get(name)),
    statements: () => dialect.insert(NAMES, added, (row) => row),
  }
}
