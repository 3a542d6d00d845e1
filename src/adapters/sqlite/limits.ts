import type { SqliteLimits } from '../sql/sqlite/database.js'

/** Those of SQLite itself, which no statement of ours comes near. */
export const LIMITS: SqliteLimits = {
  maxParameters: 32_766,
  maxEvents: Number.POSITIVE_INFINITY,
}
