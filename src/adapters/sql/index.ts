export {
  type ChangedRow,
  type Column,
  type Declarations,
  type Dialect,
  type Index,
  type NumberedKey,
  namedTexts,
  type Parameter,
  type Row,
  type Statement,
  type Steps,
  type Table,
} from './dialect.js'
export type { Batch } from './read-model/changes.js'
export {
  applyBatch,
  type ReadModelDriver,
  resetTables,
  sqlReadModel,
} from './read-model/read-model.js'
export { createTables } from './read-model/tables.js'
export { type SqliteLimits, sqliteDialect } from './sqlite/dialect.js'
