import type { Shared } from '../../kept-rows.js'
import { NAMES } from '../../read-tables.js'
import type { Database } from '../database.js'

/** The numbers of names, for as long as a transaction lasts; a name that has none is given one. */
export const nameNumbers = (database: Database): Shared['numberOf'] => {
  const numbers = new Map<string, number>()
  return (name) => {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const number = Number(
      database.value(`SELECT number FROM ${NAMES} WHERE name = ?`, name) ??
        database.value(`INSERT INTO ${NAMES} (name) VALUES (?) RETURNING number`, name),
    )
    numbers.set(name, number)
    return number
  }
}
