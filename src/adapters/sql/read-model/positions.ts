import type { Dialect } from '../dialect.js'
import { EVENTS } from '../stored-events.js'
import { CHECKPOINT } from './tables.js'

/** Position of the last event of the log; null when it is empty. */
const headIn = ({ table }: Dialect): string => `(SELECT max(position) FROM ${table(EVENTS)})`

/** A backup that was restored into tables that were made already has left its row beside theirs. */
export const checkpointIn = ({ table }: Dialect): string =>
  `(SELECT max(position) FROM ${table(CHECKPOINT)})`

/** Where the log ends, and how far the read model is. */
export const positionColumns = (dialect: Dialect): string =>
  `${headIn(dialect)} AS head, ${checkpointIn(dialect)} AS reached`
