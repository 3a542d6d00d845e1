/**
 * A database that `openPostgres` must leave alone:
 *
 * - `not_migrated`: its tables are missing or older than this version of the library, and `migrate`
 *   was not allowed to change that;
 * - `newer`: a newer version of this library made its tables;
 * - `foreign`: the schema holds tables of another program that are called `events` or `migrations`;
 * - `empty`: its tables are there, but nothing says which version they are of: a backup of them was
 *   restored without its data;
 * - `encoding`: it does not keep text as UTF-8;
 * - `isolation`: given by version 0.1 alone; transactions may be of any isolation by default;
 * - `binary`: the host's pool asks for values in binary, which this library does not read.
 */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
  /** Why it must be left alone, as told above. */
  readonly reason:
    | 'not_migrated'
    | 'newer'
    | 'foreign'
    | 'empty'
    | 'encoding'
    | 'isolation'
    | 'binary'

  constructor(reason: UnusableDatabase['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
