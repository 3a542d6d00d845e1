import type { Context, GivenUserGrant, Iam, UserGrant } from 'claviger'
import type { ImportedOrganization } from 'claviger/import'
import { unwrap } from '../running/unwrap.js'

/** How user grants that were read compare with those that are there. */
export interface ComparedGrants {
  /** Not there yet. */
  readonly missing: number
  /** There with other roles: an import refuses them. */
  readonly different: number
  readonly equal: number
}

const PAGE_SIZE = 1_000

/** Compares the grants that were read of an organization with those that it has. */
export const compareGrants = async (
  iam: Iam,
  { orgId, userGrants: grants }: ImportedOrganization,
  context: Context,
): Promise<ComparedGrants> => {
  const there = grants.length === 0 ? new Map() : await rolesThere(iam, context)
  let [missing, different] = [0, 0]
  for (const grant of grants) {
    const roles = there.get(nameOf({ projectOrgId: orgId, ...grant }))
    if (roles === undefined) missing += 1
    else if (roles !== rolesOf(grant)) different += 1
  }
  return { missing, different, equal: grants.length - missing - different }
}

/** The roles of each grant that has any. */
const rolesThere = async (iam: Iam, context: Context): Promise<ReadonlyMap<string, string>> => {
  const there = new Map<string, string>()
  let pageToken: string | undefined
  do {
    const page = unwrap(await iam.userGrants.list({ pageSize: PAGE_SIZE, pageToken }, context))
    for (const grant of page.items)
      if (grant.roles.length > 0) there.set(nameOf(grant), rolesOf(grant))
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
  return there
}

const nameOf = ({
  userId,
  projectId,
  projectOrgId,
}: Pick<GivenUserGrant, 'userId' | 'projectId' | 'projectOrgId'>): string =>
  `${projectOrgId}+${projectId}+${userId}`

const rolesOf = ({ roles }: Pick<GivenUserGrant | UserGrant, 'roles'>): string =>
  JSON.stringify(
    roles.map(({ roleKey, expiresAt }) => [roleKey, expiresAt ?? null]).toSorted(byKey),
  )

const byKey = ([one]: readonly unknown[], [other]: readonly unknown[]): number =>
  String(one) < String(other) ? -1 : 1
