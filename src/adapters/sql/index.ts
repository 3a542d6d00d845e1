// What a read model of your own answers about roles, and at the head of the log.
export type {
  AccessQuery,
  AccessReads,
  AffectedByGroup,
  AffectedByProvider,
  AffectedInProject,
  AffectedQuery,
  FoundAccess,
  FoundGrant,
  FoundMappedRole,
  FoundProject,
  FoundRole,
  HeldRolesQuery,
  HoldersQuery,
  LostRole,
  MappedGroup,
  MappedGroupsQuery,
  Slice,
  UsersQuery,
} from '../../ports/access-reads.js'
export type {
  FoundAtHead,
  ReadArguments,
  ReadAtHead,
  ReadMethod,
  ReadQuery,
  ReadResults,
} from '../../ports/read-model.js'
// A read model on a SQL database of your own.
export {
  type Column,
  type Declarations,
  type Dialect,
  type Index,
  type ListedShares,
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
