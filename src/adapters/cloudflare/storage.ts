/** What a statement found and did. */
export interface SqlCursor {
  /** The rows, each in the order of its columns. */
  readonly raw: () => Iterable<readonly unknown[]>
  /** Rows written, those of indexes included; complete when all rows were read. */
  readonly rowsWritten: number
}

/** The storage of a Durable Object of a class with SQLite: `ctx.storage`. */
export interface DurableObjectStorage {
  /** Its database. */
  readonly sql: {
    /** Runs a statement, or several without values. */
    readonly exec: (query: string, ...bindings: (string | number | null)[]) => SqlCursor
  }
  /** Runs `work` in a transaction, which ends with it; what it throws undoes all. */
  readonly transactionSync: <Value>(work: () => Value) => Value
}

/** @throws TypeError when `storage` is no storage with SQLite; what the runtime throws for a class without SQLite */
export const checkStorage = (storage: DurableObjectStorage): void => {
  const isStorage =
    typeof storage?.transactionSync === 'function' && typeof storage.sql?.exec === 'function'
  if (!isStorage)
    throw new TypeError(
      'durableObjectStore takes ctx.storage of a Durable Object class with SQLite',
    )
}
