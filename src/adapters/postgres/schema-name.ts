/** Names of schemas that need no thought: short enough for {@link channelOf}, never PostgreSQL's own. */
const NAME = /^(?!pg_)[A-Za-z_][A-Za-z0-9_-]{0,53}$/

/** `schema` as part of a statement. @throws RangeError when it is no name for a schema */
export const quotedSchema = (schema: string): string => {
  if (NAME.test(schema)) return `"${schema}"`
  throw new RangeError(
    'A schema is named with 1 to 54 letters, digits, _ or -, begins with a letter or _, not with pg_',
  )
}

/** The channel on which the writers of `schema` tell that there is something to read. */
export const channelOf = (schema: string): string => `claviger_${schema}`
