import type { ObjectState } from '../object-state.js'

/** What is done in an object; the answer must have a JSON form, positions aside. */
export type Scenario = (state: ObjectState) => Promise<unknown>

/** The rows that a query of the storage finds. */
export const rowsIn = ({ storage }: ObjectState, sql: string): readonly (readonly unknown[])[] => [
  ...storage.sql.exec(sql).raw(),
]

/** The message of what `promise` rejects with; what it resolves with otherwise. */
export const messageOr = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
