/** Short enough for {@link channelOf}, and never PostgreSQL's own. */
const NAME = /^(?!pg_)[A-Za-z_][A-Za-z0-9_-]{0,53}$/

/** `schema` as part of a statement. @throws RangeError when it is no name for a schema */
export const quotedSchema = (schema: string): string => {
  if (NAME.test(schema)) return `"${schema}"`
  throw new RangeError(
    'A schema is named with 1 to 54 letters, digits, _ or -, begins with a letter or _, not with pg_',
  )
}

/** The channel of notifications of new events in `schema`. */
export const channelOf = (schema: string): string => `claviger_${schema}`
