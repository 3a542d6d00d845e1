import { allOf, type Dialect, type Statement, sql } from '../dialect.js'
import { countsByGrant, countsByGroup, expiryOf, isMemberOf, lasting } from './counts.js'
import {
  GRANTS,
  HELD,
  hashOf,
  MAPPED,
  MEMBERS,
  PERMISSIONS,
  PLACES,
  positionColumns,
  SHARES,
} from './tables.js'

/** A view of the roles that count now. Its name and its columns never change. */
export interface View {
  /** Without schema and prefix. */
  readonly name: 'role_holder' | 'permission_holder'
  /** The statement that the view stands for. */
  readonly select: string
  /** Changes with the statement, and so with the tables of the read model. */
  readonly hash: string
}

/** How a database shows views. */
export interface ViewTerms {
  /** Its clock, in milliseconds since the Unix epoch; the same during a statement. */
  readonly now: string
  /** A text that is null. */
  readonly noText: string
  /** A time in milliseconds as hosts read it; null for null. */
  readonly timeOf: (milliseconds: string) => string
}

/**
 * The views. They are empty while the read model is behind the log, so that they are never out of date.
 */
export const viewsOf = (dialect: Dialect, terms: ViewTerms): readonly View[] =>
  (['role_holder', 'permission_holder'] as const).map((name) => {
    const select = holderView(dialect, terms, name === 'permission_holder')
    return { name, select, hash: hashOf(select) }
  })

const holderView = (dialect: Dialect, terms: ViewTerms, ofPermissions: boolean): string => {
  const { table } = dialect
  const { now, noText, timeOf } = terms
  const isAtHead = `(SELECT head = reached FROM (SELECT ${positionColumns(dialect)}) AS moment)`
  const selected = ofPermissions ? 'allowed.permission' : 'share.role AS role_key'
  const permissions = `JOIN ${table(PERMISSIONS)} AS allowed ON allowed.scope = share.scope AND allowed.role = share.role`
  const arm = (
    {
      from,
      user,
      held,
      via,
      expires,
    }: Readonly<Record<'from' | 'user' | 'held' | 'via' | 'expires', string>>,
    counts: readonly Statement[],
  ): string => {
    const met = allOf([
      sql`${isAtHead}`,
      ...(ofPermissions ? [lasting('allowed', undefined)] : []),
      ...counts,
    ])
    return `SELECT share.org AS org_id, ${user} AS user_id, place.owner AS project_org_id, place.project AS project_id,
      NULLIF(${held}.resource, '') AS resource, ${selected}, ${via}, ${timeOf(expires)} AS expires_at
      FROM ${from} ${ofPermissions ? permissions : ''} WHERE ${met.sql}`
  }
  const byGrant = arm(
    {
      // By the grants of users, whose table finds those of one user.
      from: `${table(GRANTS)} AS granted JOIN ${table(PLACES)} AS place ON place.number = granted.place
        JOIN ${table(SHARES)} AS share ON share.place = place.whole
        JOIN ${table(HELD)} AS held ON held.share = share.number AND held.resource = place.resource AND held.user_id = granted.user_id`,
      user: 'granted.user_id',
      held: 'held',
      via: `${noText} AS via_idp_id, ${noText} AS via_group`,
      expires: 'held.expires_at',
    },
    countsByGrant(dialect, { now }),
  )
  const byGroup = arm(
    {
      from: `${table(MEMBERS)} AS member JOIN ${table(MAPPED)} AS mapped ON ${isMemberOf('mapped', 'member')}
        JOIN ${table(SHARES)} AS share ON share.number = mapped.share
        JOIN ${table(PLACES)} AS place ON place.number = share.place`,
      user: 'member.user_id',
      held: 'mapped',
      via: 'mapped.idp AS via_idp_id, mapped.grp AS via_group',
      expires: expiryOf('mapped', 'member'),
    },
    countsByGroup(dialect, { now }),
  )
  return `${byGrant} UNION ALL ${byGroup}`
}
