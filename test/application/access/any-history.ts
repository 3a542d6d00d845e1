import fc from 'fast-check'
import type { Iam } from '../host.js'
import { context } from '../host.js'

export const ORGS = ['acme', 'globex'] as const
export const PROJECTS = ['portal', 'shop'] as const
export const ROLES = ['reader', 'writer'] as const
export const PERMISSIONS = ['a.read', 'a.write', 'b/own'] as const
export const USERS = ['u1', 'u+2'] as const

/** Their order, and the order of their streams, differ. */
export const RESOURCES = ['ws:1', 'ws%2B+1, 2'] as const

export const PROVIDERS = ['entra', 'okta'] as const
export const GROUPS = ['staff', 'a+b'] as const

/** Two days pass with each step; the first of the ends of roles lies in the middle of a history. */
export const START = new Date('2029-04-01T00:00:00.000Z')
export const STEP_MS = 2 * 24 * 60 * 60 * 1000
const ENDS = [undefined, new Date('2029-05-15T00:00:00.000Z'), new Date('2031-01-01T00:00:00.000Z')]

const org = fc.constantFrom(...ORGS)
const id = fc.constantFrom(...PROJECTS)
const roleKey = fc.constantFrom(...ROLES)
const userId = fc.constantFrom(...USERS)
const roleKeys = fc.uniqueArray(roleKey, { minLength: 1, maxLength: 2 })
const flag = fc.boolean()
const permissions = fc.option(fc.subarray([...PERMISSIONS]), { nil: undefined })

const roles = fc
  .uniqueArray(fc.record({ roleKey, end: fc.constantFrom(0, 1, 2) }), {
    minLength: 1,
    maxLength: 2,
    selector: (role) => role.roleKey,
  })
  .map((all) =>
    all.map(({ roleKey, end }) => ({ roleKey, ...(ENDS[end] && { expiresAt: ENDS[end] }) })),
  )

const resource = fc.constantFrom(...RESOURCES)

/** About the whole project, or about a resource. */
const onResource = <Fields extends object>(
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) =>
  fc
    .tuple(fc.record(fields), fc.option(resource, { nil: undefined }))
    .map(([given, on]) => ({ ...given, ...(on !== undefined && { resource: on }) }))

/** A call that may well be refused; another context than the usual one makes it a dry run. */
export type Step = (iam: Iam, within?: typeof context) => unknown

const ids = onResource({ userId, projectId: id, projectOrgId: org })
const grant = fc.record({ projectId: id, grantedOrgId: org })

const inOrg = <Input>(
  input: fc.Arbitrary<Input>,
  call: (iam: Iam, input: Input, at: typeof context) => unknown,
): fc.Arbitrary<Step> =>
  fc.tuple(org, input).map(
    ([orgId, given]) =>
      (iam: Iam, within = context) =>
        call(iam, given, { ...within, orgId }),
  )

const idpId = fc.constantFrom(...PROVIDERS)
const group = fc.constantFrom(...GROUPS)

const mapping = fc.record(
  {
    idpId,
    group,
    projectId: id,
    projectOrgId: org,
    roleKeys,
    validFor: fc.constantFrom(24, 72, 480),
    resource,
  },
  { requiredKeys: ['idpId', 'group', 'projectId', 'projectOrgId', 'roleKeys'] },
)

const report = fc.record({ idpId, userId, groups: fc.subarray([...GROUPS, 'unmapped']) })

const twoThirds = <Value>(often: fc.Arbitrary<Value>, seldom: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 2, arbitrary: often }, { weight: 1, arbitrary: seldom })

/** Calls that build up and take down projects, roles and grants. */
export const anyStep: fc.Arbitrary<Step> = twoThirds(
  fc.oneof(
    inOrg(fc.record({ id, projectRoleCheck: flag, hasProjectCheck: flag }), (iam, input, at) =>
      iam.projects.add({ ...input, name: input.id }, at),
    ),
    inOrg(fc.record({ projectId: id, roleKey, permissions }), (iam, input, at) =>
      iam.projectRoles.add({ ...input, displayName: `The ${input.roleKey}`, group: 'g' }, at),
    ),
    inOrg(fc.record({ projectId: id, grantedOrgId: org, roleKeys }), (iam, input, at) =>
      iam.projectGrants.add(input, at),
    ),
    inOrg(onResource({ userId, projectId: id, projectOrgId: org, roles }), (iam, input, at) =>
      iam.userGrants.add(input, at),
    ),
    inOrg(onResource({ userId, projectId: id, projectOrgId: org, roles }), (iam, input, at) =>
      iam.userGrants.addRoles(input, at),
    ),
    inOrg(mapping, (iam, input, at) => iam.roleMappings.add(input, at)),
    inOrg(report, (iam, input, at) => iam.memberships.report(input, at)),
    inOrg(report, (iam, input, at) => iam.memberships.report(input, at)),
  ),
  fc.oneof(
    inOrg(fc.record({ projectId: id, roleKey, permissions }), (iam, input, at) =>
      iam.projectRoles.patch(input, at),
    ),
    inOrg(fc.record({ projectId: id, roleKey, permissions }), (iam, input, at) =>
      iam.projectRoles.update({ ...input, displayName: 'Updated', group: '' }, at),
    ),
    inOrg(fc.record({ projectId: id, grantedOrgId: org, roleKeys }), (iam, input, at) =>
      iam.projectGrants.update(input, at),
    ),
    inOrg(onResource({ userId, projectId: id, projectOrgId: org, roles }), (iam, input, at) =>
      iam.userGrants.update(input, at),
    ),
    inOrg(onResource({ userId, projectId: id, projectOrgId: org, roleKeys }), (iam, input, at) =>
      iam.userGrants.removeRoles(input, at),
    ),
    inOrg(fc.record({ projectId: id, roleKey }), (iam, input, at) =>
      iam.projectRoles.remove(input, at),
    ),
    inOrg(grant, (iam, input, at) => iam.projectGrants.remove(input, at)),
    inOrg(grant, (iam, input, at) => iam.projectGrants.deactivate(input, at)),
    inOrg(grant, (iam, input, at) => iam.projectGrants.reactivate(input, at)),
    inOrg(ids, (iam, input, at) => iam.userGrants.remove(input, at)),
    inOrg(ids, (iam, input, at) => iam.userGrants.deactivate(input, at)),
    inOrg(ids, (iam, input, at) => iam.userGrants.reactivate(input, at)),
    inOrg(mapping, (iam, input, at) => iam.roleMappings.update(input, at)),
    inOrg(mapping, (iam, { validFor: _, ...input }, at) => iam.roleMappings.addRoles(input, at)),
    inOrg(mapping, (iam, { validFor: _, ...input }, at) => iam.roleMappings.removeRoles(input, at)),
    inOrg(mapping, (iam, { validFor: _, roleKeys: __, ...input }, at) =>
      iam.roleMappings.remove(input, at),
    ),
    inOrg(fc.record({ idpId, userId }), (iam, input, at) => iam.memberships.remove(input, at)),
    inOrg(fc.record({ idpId }), (iam, input, at) => iam.identityProviders.deactivate(input, at)),
    inOrg(fc.record({ idpId }), (iam, input, at) => iam.identityProviders.reactivate(input, at)),
    inOrg(fc.record({ idpId, seldom: fc.nat(5) }), async (iam, { idpId, seldom }, at) =>
      seldom === 0 ? iam.identityProviders.remove({ idpId }, at) : undefined,
    ),
    inOrg(fc.record({ id }), (iam, input, at) => iam.projects.deactivate(input, at)),
    inOrg(fc.record({ id }), (iam, input, at) => iam.projects.reactivate(input, at)),
    inOrg(fc.record({ id, seldom: fc.nat(7) }), async (iam, { id, seldom }, at) =>
      seldom === 0 ? iam.projects.remove({ id }, at) : undefined,
    ),
    inOrg(fc.record({ userId, seldom: fc.nat(3) }), async (iam, { userId, seldom }, at) =>
      seldom === 0 ? iam.userGrants.removeAllOfUser({ userId }, at) : undefined,
    ),
    inOrg(
      fc.record({ projectId: id, projectOrgId: org, resource, seldom: fc.nat(2) }),
      async (iam, { seldom, ...input }, at) =>
        seldom === 0 ? iam.userGrants.removeAllOfResource(input, at) : undefined,
    ),
  ),
)

/** Projects with roles and grants, so that most of what follows is not refused. */
const projects: readonly Step[] = ORGS.flatMap((orgId) =>
  PROJECTS.flatMap((projectId): Step[] => {
    const at = { ...context, orgId }
    return [
      (iam) =>
        iam.projects.add(
          { id: projectId, name: projectId, projectRoleCheck: projectId === 'portal' },
          at,
        ),
      ...ROLES.map(
        (roleKey): Step =>
          (iam) =>
            iam.projectRoles.add(
              { projectId, roleKey, displayName: roleKey, permissions: ['a.read'] },
              at,
            ),
      ),
      ...ORGS.filter((other) => other !== orgId).map(
        (grantedOrgId): Step =>
          (iam) =>
            iam.projectGrants.add({ projectId, grantedOrgId, roleKeys: [...ROLES] }, at),
      ),
    ]
  }),
)

const userGrants: readonly Step[] = ORGS.flatMap((orgId) =>
  ORGS.flatMap((projectOrgId) =>
    PROJECTS.flatMap((projectId) =>
      USERS.map((userId): Step => {
        const roles = ROLES.map((roleKey) => ({ roleKey }))
        const grant = { userId, projectId, projectOrgId, roles }
        return async (iam) => {
          await iam.userGrants.add(grant, { ...context, orgId })
          const [resource] = RESOURCES
          await iam.userGrants.add({ ...grant, resource }, { ...context, orgId })
        }
      }),
    ),
  ),
)

const mappings: readonly Step[] = ORGS.flatMap((orgId) =>
  PROVIDERS.flatMap((idpId): Step[] => {
    const at = { ...context, orgId }
    const add: Step = (iam) =>
      iam.identityProviders.addOidc(
        {
          idpId,
          name: idpId,
          clientId: 'client',
          clientSecret: 'secret',
          issuer: 'https://idp.example',
        },
        at,
      )
    const ofProjects = ORGS.flatMap((projectOrgId) =>
      PROJECTS.map((projectId): Step => {
        const input = { idpId, group: 'staff', projectId, projectOrgId, roleKeys: ['reader'] }
        return (iam) => iam.roleMappings.add(input, at)
      }),
    )
    const reports = USERS.map(
      (userId): Step =>
        (iam) =>
          iam.memberships.report({ idpId, userId, groups: ['staff'] }, at),
    )
    return [add, ...ofProjects, ...reports]
  }),
)

/** Projects alone, and with grants to users. */
export const onlyProjects = projects
export const onlyGrants: readonly Step[] = [...projects, ...userGrants]

/** What stands before a history begins. */
export const foundation: readonly Step[] = [...onlyGrants, ...mappings]
