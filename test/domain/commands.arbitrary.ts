import fc from 'fast-check'
import type { IdentityProviderCommand } from '../../src/domain/identity-provider/commands.js'
import type { ProjectCommand } from '../../src/domain/project/commands.js'
import type { ProjectRoleCommand } from '../../src/domain/project-role/commands.js'
import { SealedSecret } from '../../src/domain/values.js'
import { id as idp } from './identity-provider/examples.js'
import { id as project } from './project/examples.js'
import { id as role } from './project-role/examples.js'

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

/** Any command of one role. */
export const projectRoleCommands: fc.Arbitrary<ProjectRoleCommand> = fc.oneof(
  message(
    'AddProjectRole',
    fc.record(shown).map((data) => ({ ...role, ...data })),
  ),
  message(
    'UpdateProjectRole',
    fc.record(shown).map((data) => ({ ...role, ...data })),
  ),
  message(
    'PatchProjectRole',
    fc.record(shown, { requiredKeys: [] }).map((data) => ({ ...role, ...data })),
  ),
  message('RemoveProjectRole', fc.constant(role)),
)
