import type { Where } from 'better-auth'

/** How tables of better-auth are read. Its own type is another one for each host. */
export interface Tables {
  /** Returns the first row. */
  readonly findOne: <Row>(query: {
    /** Name of the table, such as `member`. */
    readonly model: string
    /** The conditions that the row meets. */
    readonly where: Where[]
  }) => Promise<Row | null>
  /** Returns rows: 100 unless `limit` says more. */
  readonly findMany: <Row>(query: {
    /** Name of the table, such as `member`. */
    readonly model: string
    /** The conditions that each row meets. */
    readonly where: Where[]
    /** Most rows to return. */
    readonly limit?: number
  }) => Promise<Row[]>
}

/** How tables of better-auth are written. */
export interface WritableTables extends Tables {
  /** Adds a row. */
  readonly create: <Row extends Record<string, unknown>>(query: {
    /** Name of the table, such as `member`. */
    readonly model: string
    /** The fields of the row. */
    readonly data: Row
    /** Whether `data` may name the `id`. */
    readonly forceAllowId?: boolean
  }) => Promise<unknown>
  /** Deletes a row. */
  readonly delete: (query: Rows) => Promise<unknown>
  /** Deletes all rows that meet the conditions. */
  readonly deleteMany: (query: Rows) => Promise<unknown>
}

/** Names rows of a table. */
interface Rows {
  /** Name of the table, such as `member`. */
  readonly model: string
  /** Every condition must be met. */
  readonly where: Where[]
}

/** A condition: the field has this value. */
export const is = (field: string, value: string) => ({ field, value })

/** Whether a user is a member of an organization now. */
export const isMember = async (tables: Tables, orgId: string, userId: string): Promise<boolean> => {
  const where = [is('organizationId', orgId), is('userId', userId)]
  return (await tables.findOne({ model: 'member', where })) !== null
}

/** Whether the organization has invited the address, and nobody has answered yet. */
export const isInvited = async (tables: Tables, orgId: string, email: string): Promise<boolean> => {
  const where = [is('organizationId', orgId), is('email', email), is('status', 'pending')]
  const found = await tables.findMany<{ readonly expiresAt: Date }>({ model: 'invitation', where })
  return found.some(({ expiresAt }) => new Date(expiresAt) > new Date())
}

/** Makes a user a member. Two sign-ins at once both do: one row stays. */
export const addMember = async (
  tables: WritableTables,
  orgId: string,
  userId: string,
): Promise<void> => {
  const data = { organizationId: orgId, userId, role: 'member', createdAt: new Date() }
  await tables.create({ model: 'member', data })
  const where = [is('organizationId', orgId), is('userId', userId)]
  const members = await tables.findMany<{ readonly id: string }>({ model: 'member', where })
  const [, ...more] = members.map(({ id }) => id).toSorted()
  for (const id of more) await tables.delete({ model: 'member', where: [is('id', id)] })
}
