/**
 * A database that `openPostgres` must not use:
 *
 * - `not_migrated`: its tables are missing or older than this version of the library, and `migrate` is
 *   `false`;
 * - `newer`: a newer version of this library made its tables;
 * - `foreign`: the schema holds tables of another program with the names `events` or `migrations`;
 * - `empty`: its tables have no version: a backup of them was restored without its data;
 * - `encoding`: it does not keep text as UTF-8;
 * - `isolation`: used by version 0.1 alone; the default isolation may be any;
 * - `binary`: the host's pool asks for values in binary, which this library does not read;
 * - `server`: the server only looks like PostgreSQL, is older than version 14, or lacks what this library uses.
 */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
  /** Why it must not be used, as listed above. */
  readonly reason:
    | 'not_migrated'
    | 'newer'
    | 'foreign'
    | 'empty'
    | 'encoding'
    | 'isolation'
    | 'binary'
    | 'server'

  constructor(reason: UnusableDatabase['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
