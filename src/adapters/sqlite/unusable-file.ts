/**
 * A file that `openSqlite` must not use:
 *
 * - `cannot_open`: it cannot be opened or created, for instance because its folder does not exist;
 * - `not_a_database`: it is no SQLite file;
 * - `foreign`: it is the database of another program;
 * - `newer`: a newer version of this library wrote it;
 * - `not_migrated`: it is missing, or its tables are missing or older than this version of the library, and `migrate` is
 *   `false`.
 */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
  /** Why it must not be used, as listed above. */
  readonly reason: 'cannot_open' | 'not_a_database' | 'foreign' | 'newer' | 'not_migrated'

  constructor(reason: UnusableFile['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
