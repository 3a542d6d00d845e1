import type { Column } from '../../dialect.js'

/** The columns of a role that was assigned. */
export const ASSIGNMENT_COLUMNS: readonly Column[] = [
  /** Number of the scope of the project. */
  { name: 'scope', holds: 'integer' },
  { name: 'org', holds: 'text' },
  /** Empty when the role was assigned to the organization itself. */
  { name: 'user_id', holds: 'text' },
  { name: 'role', holds: 'text' },
  { name: 'folded_role', holds: 'text' },
  /** In milliseconds; null for a role without an end. */
  { name: 'expires_at', holds: 'integer', isNullable: true },
  /** Position of the event that assigned the role. */
  { name: 'given', holds: 'integer' },
  /** Position from which on the row holds. */
  { name: 'begin_at', holds: 'integer' },
  /** Position from which on it no longer holds; null while it does. */
  { name: 'end_at', holds: 'integer', isNullable: true },
  /** Type of the object whose event ended it. */
  { name: 'ended_with', holds: 'text', isNullable: true },
]

/** The columns of a spell in which a project, a grant of it or a grant of its roles was inactive. */
export const SPELL_COLUMNS: readonly Column[] = [
  /** Name of the scope of the project, which may have no number. */
  { name: 'scope', holds: 'text' },
  /** Empty for the project itself. */
  { name: 'org', holds: 'text' },
  /** Empty for the project and for the grant of it. */
  { name: 'user_id', holds: 'text' },
  { name: 'begin_at', holds: 'integer' },
  /** Null while it lasts. */
  { name: 'end_at', holds: 'integer', isNullable: true },
]
