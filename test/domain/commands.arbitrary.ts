import fc from 'fast-check'
import type { IdentityProviderCommand } from '../../src/domain/identity-provider/command-schemas.js'
import type { ProjectCommand } from '../../src/domain/project/command-schemas.js'
import type { ProjectGrantCommand } from '../../src/domain/project-grant/command-schemas.js'
import type { ProjectRoleCommand } from '../../src/domain/project-role/command-schemas.js'
import type { UserGrantCommand } from '../../src/domain/user-grant/command-schemas.js'
import { SealedSecret } from '../../src/domain/values.js'
import { id as idp } from './identity-provider/examples.js'
import { id as project } from './project/examples.js'
import { role as grantableRole, id as projectGrant } from './project-grant/examples.js'
import { id as role } from './project-role/examples.js'
import { role as givenRole, newYear, id as userGrant } from './user-grant/examples.js'

// Few values each, so that commands often meet the state that an earlier one made.
const name = fc.constantFrom('a', 'b')
const flag = fc.boolean()

const appearance = {
  name,
  stylingType: fc.constantFrom('STYLING_TYPE_UNSPECIFIED', 'STYLING_TYPE_GOOGLE'),
  autoRegister: flag,
} as const

const mapping = fc.constantFrom('OIDC_MAPPING_FIELD_UNSPECIFIED', 'OIDC_MAPPING_FIELD_EMAIL')
const scopes = fc.constantFrom<readonly string[]>([], ['a', 'b'], ['b', 'a'])
const oidc = {
  clientId: fc.constantFrom('c'),
  issuer: name,
  scopes,
  displayNameMapping: fc.constantFrom('OIDC_MAPPING_FIELD_UNSPECIFIED'),
  usernameMapping: mapping,
} as const

const seal = fc.constantFrom('one', 'two').map((text) => SealedSecret.parse(text))

const settings = {
  name,
  projectRoleAssertion: flag,
  projectRoleCheck: fc.constant(false),
  hasProjectCheck: fc.constant(true),
  privateLabelingSetting: fc.constantFrom('PRIVATE_LABELING_SETTING_UNSPECIFIED'),
} as const

const shown = { displayName: name, group: fc.constantFrom('', 'g') }

const keys = ['a', 'b', 'c']

/** One role or several, in any order. */
const someKeys = fc.shuffledSubarray(keys, { minLength: 1 })

const grantableRoles = someKeys.map((some) => some.map((key) => grantableRole(key)))

const expiry = fc.constantFrom(undefined, newYear, '2027-02-01T00:00:00.000Z')
const givenRoles = fc
  .tuple(someKeys, fc.tuple(expiry, expiry, expiry))
  .map(([some, ends]) => some.map((key, index) => givenRole(key, ends[index])))

const message = <const Type extends string, Data>(type: Type, data: fc.Arbitrary<Data>) =>
  data.map((value) => ({ type, data: value }))

/** Any command of one identity provider. */
export const identityProviderCommands: fc.Arbitrary<IdentityProviderCommand> = fc.oneof(
  message(
    'AddOidcIdentityProvider',
    fc.record({ ...appearance, ...oidc, clientSecret: seal }).map((data) => ({ ...idp, ...data })),
  ),
  message(
    'UpdateOidcConfig',
    fc.oneof(
      fc.record(oidc).map((data) => ({ ...idp, ...data })),
      fc.record({ ...oidc, clientSecret: seal }).map((data) => ({ ...idp, ...data })),
    ),
  ),
  message(
    'UpdateIdentityProvider',
    fc.record(appearance).map((data) => ({ ...idp, ...data })),
  ),
  message(
    'PatchIdentityProvider',
    fc
      .record({ ...appearance, ...oidc, clientSecret: seal }, { requiredKeys: [] })
      .map((data) => ({ ...idp, ...data })),
  ),
  message(
    'ConfigureSignIn',
    fc
      .record(
        {
          groups: fc.record({ claim: fc.constantFrom('groups', 'roles') }),
          admit: fc.constantFrom([{ claim: 'hd', values: ['a.example', 'b.example'] }]),
          clientAuthentication: fc.constantFrom('client_secret_post', 'raw_basic'),
          addresses: fc.constantFrom('domain', 'verified'),
          subjectClaim: fc.constantFrom('oid', 'uid'),
          secretExpiresAt: fc.constant('2027-03-31T22:00:00.000Z'),
        },
        { requiredKeys: [] },
      )
      .map((data) => ({ ...idp, ...data })),
  ),
  message('DeactivateIdentityProvider', fc.constant(idp)),
  message('ReactivateIdentityProvider', fc.constant(idp)),
  message('RemoveIdentityProvider', fc.constant(idp)),
  message(
    'ResealClientSecret',
    fc.record({ replaces: seal, clientSecret: seal }).map((data) => ({ ...idp, ...data })),
  ),
)

/** Any command of one project. */
export const projectCommands: fc.Arbitrary<ProjectCommand> = fc.oneof(
  message(
    'AddProject',
    fc.record(settings).map((data) => ({ ...project, ...data })),
  ),
  message(
    'UpdateProject',
    fc.record(settings).map((data) => ({ ...project, ...data })),
  ),
  message(
    'PatchProject',
    fc.record(settings, { requiredKeys: [] }).map((data) => ({ ...project, ...data })),
  ),
  message('DeactivateProject', fc.constant(project)),
  message('ReactivateProject', fc.constant(project)),
  message('RemoveProject', fc.constant(project)),
)

const permissions = fc.option(fc.subarray(['a', 'b', 'c']), { nil: undefined })

/** Any command of one role. */
export const projectRoleCommands: fc.Arbitrary<ProjectRoleCommand> = fc.oneof(
  message(
    'AddProjectRole',
    fc.record({ ...shown, permissions }).map((data) => ({ ...role, ...data })),
  ),
  message(
    'UpdateProjectRole',
    fc.record({ ...shown, permissions }).map((data) => ({ ...role, ...data })),
  ),
  message(
    'PatchProjectRole',
    fc
      .record({ ...shown, permissions }, { requiredKeys: [] })
      .map((data) => ({ ...role, ...data })),
  ),
  message('RemoveProjectRole', fc.constant(role)),
)

/** Any command of one grant of a project. */
export const projectGrantCommands: fc.Arbitrary<ProjectGrantCommand> = fc.oneof(
  message(
    'AddProjectGrant',
    grantableRoles.map((roles) => ({ ...projectGrant, roles })),
  ),
  message(
    'UpdateProjectGrant',
    grantableRoles.map((roles) => ({ ...projectGrant, roles })),
  ),
  message('DeactivateProjectGrant', fc.constant(projectGrant)),
  message('ReactivateProjectGrant', fc.constant(projectGrant)),
  message('RemoveProjectGrant', fc.constant(projectGrant)),
)

/** Any command of one grant to a user. */
export const userGrantCommands: fc.Arbitrary<UserGrantCommand> = fc.oneof(
  message(
    'AddUserGrant',
    givenRoles.map((roles) => ({ ...userGrant, roles })),
  ),
  message(
    'UpdateUserGrant',
    givenRoles.map((roles) => ({ ...userGrant, roles })),
  ),
  message(
    'AddUserGrantRoles',
    givenRoles.map((roles) => ({ ...userGrant, roles })),
  ),
  message(
    'RemoveUserGrantRoles',
    givenRoles.map((roles) => ({ ...userGrant, roleKeys: roles.map(({ roleKey }) => roleKey) })),
  ),
  message('DeactivateUserGrant', fc.constant(userGrant)),
  message('ReactivateUserGrant', fc.constant(userGrant)),
  message('RemoveUserGrant', fc.constant(userGrant)),
)
