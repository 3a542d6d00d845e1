import fc from 'fast-check'
import type {
  DesiredAccess,
  DesiredIdentityProvider,
} from '../../../src/application/desired-state/declared/desired-access.js'
import type {
  DesiredGrant,
  DesiredProject,
  DesiredRole,
} from '../../../src/application/desired-state/declared/desired-project.js'

const text = fc.constantFrom('Editor', 'Viewer', 'Ädmin 🙂', ' ')
const roleKey = fc.constantFrom('editor', 'viewer', 'a/b+c', '🙂', 'constructor')
const branding = fc.constantFrom(
  'PRIVATE_LABELING_SETTING_UNSPECIFIED' as const,
  'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY' as const,
)
const IDS = ['portal', 'shop']

const roles = (
  requiredKeys: ('roleKey' | 'displayName' | 'group')[],
): fc.Arbitrary<DesiredRole[]> =>
  fc.uniqueArray(fc.record({ roleKey, displayName: text, group: text }, { requiredKeys }), {
    selector: ({ roleKey }) => roleKey,
    maxLength: 5,
  }) as fc.Arbitrary<DesiredRole[]>

const grantedOrgId = fc.constantFrom('globex', 'initech')

/** `project` with grants of roles that it declares, or with none. */
const withGrants = (project: DesiredProject): fc.Arbitrary<DesiredProject> => {
  const keys = project.roles?.map(({ roleKey }) => roleKey) ?? []
  if (keys.length === 0) return fc.constantFrom(project, { ...project, grants: [] })
  const grants: fc.Arbitrary<DesiredGrant[]> = fc.uniqueArray(
    fc.record({ grantedOrgId, roleKeys: fc.shuffledSubarray(keys, { minLength: 1 }) }),
    { selector: (grant) => grant.grantedOrgId },
  )
  return grants.map((grants) => ({ ...project, grants }))
}

const settings = {
  projectRoleAssertion: fc.boolean(),
  projectRoleCheck: fc.boolean(),
  hasProjectCheck: fc.boolean(),
  privateLabelingSetting: branding,
}

/** Two projects, everything of them declared, and what is no longer declared removed. */
export const whole: fc.Arbitrary<DesiredAccess> = fc
  .tuple(
    ...IDS.map((id) =>
      fc.record({
        id: fc.constant(id),
        name: text,
        settings: fc.record(settings),
        roles: roles(['roleKey', 'displayName', 'group']),
      }),
    ),
  )
  .chain((projects) => fc.tuple(...projects.map(withGrants)))
  .map((projects) => projects.map((project) => ({ grants: [], ...project })))
  .map((projects) => ({ projects, prune: true, managedBy: 'code' }))

const project = (id: string): fc.Arbitrary<DesiredProject> =>
  fc.record(
    {
      id: fc.constant(id),
      name: text,
      settings: fc.record(settings, { requiredKeys: [] }),
      roles: roles(['roleKey', 'displayName']),
    },
    { requiredKeys: ['id', 'name'] },
  )

const provider = (idpId: string): fc.Arbitrary<DesiredIdentityProvider> =>
  fc.record(
    {
      idpId: fc.constant(idpId),
      name: text,
      clientId: text,
      issuer: text,
      clientSecret: fc.constantFrom('secret one', 'secret two'),
      scopes: fc.constantFrom<string[]>([], ['email'], ['email', 'profile']),
      autoRegister: fc.boolean(),
      initialState: fc.constantFrom('active' as const, 'inactive' as const),
    },
    { requiredKeys: ['idpId', 'name', 'clientId', 'issuer', 'clientSecret'] },
  )

/** Any of two projects and a provider, with any of what may be declared. */
export const partial: fc.Arbitrary<DesiredAccess> = fc.record({
  projects: fc
    .tuple(...IDS.map((id) => fc.option(project(id))))
    .map((projects) => projects.filter((project) => project !== null))
    .chain((projects) =>
      fc.tuple(...projects.map((each) => fc.oneof(fc.constant(each), withGrants(each)))),
    ),
  identityProviders: fc.option(provider('google')).map((found) => (found ? [found] : [])),
  prune: fc.boolean(),
  managedBy: fc.constantFrom('code', 'elsewhere'),
})

/** Something done by hand, which may be refused. */
export const byHand = fc.oneof(
  fc.record({
    what: fc.constantFrom('addRole' as const, 'updateRole' as const, 'removeRole' as const),
    projectId: fc.constantFrom(...IDS),
    roleKey,
    displayName: text,
  }),
  fc.record({
    what: fc.constantFrom('grant' as const, 'narrowGrant' as const, 'removeGrant' as const),
    projectId: fc.constantFrom(...IDS),
    grantedOrgId,
    roleKey,
  }),
  fc.record({
    what: fc.constantFrom('updateProject' as const, 'deactivateProject' as const),
    projectId: fc.constantFrom(...IDS),
  }),
)
export type ByHand = typeof byHand extends fc.Arbitrary<infer Deed> ? Deed : never
