import type { Call } from '../call.js'
import {
  addOidc,
  configureSignIn,
  deactivateIdentityProvider,
  patchIdentityProvider,
  reactivateIdentityProvider,
  removeIdentityProvider,
  updateIdentityProvider,
  updateOidcConfig,
} from '../calls/identity-providers.js'
import {
  addProjectRole,
  addProjectRoles,
  patchProjectRole,
  removeProjectRole,
  updateProjectRole,
} from '../calls/project-roles.js'
import {
  addProject,
  deactivateProject,
  getProject,
  patchProject,
  reactivateProject,
  removeProject,
  updateProject,
} from '../calls/projects.js'
import { validating } from '../calls/validating.js'
import { IDP_ID } from '../host.js'
import {
  FIRST_SEQUENCE,
  oidc,
  provider,
  role,
  settings,
  signInSettings,
  stale,
} from '../samples.js'

const EDITOR = ['portal', 'editor'] as const

/** Dry runs of everything that writes. */
export const dryRuns: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'adding',
    validating((details) => addOidc(provider, details)),
    validating((details) => addProject({ id: 'shop', ...settings }, details)),
    validating((details) => addProject({ name: 'Shop' }, details)),
    validating((details) => addProjectRole('portal', role, details)),
    validating((details) =>
      addProjectRoles('portal', { roles: [role, { ...role, roleKey: 'owner' }] }, details),
    ),
  ],
  [
    'updating',
    validating((details) => updateOidcConfig(IDP_ID, { ...oidc, clientSecret: 'new' }, details)),
    validating((details) => updateIdentityProvider(IDP_ID, { name: 'Renamed' }, details)),
    validating((details) => configureSignIn(IDP_ID, signInSettings, details)),
    validating((details) => updateProject('portal', settings, details)),
    validating((details) => updateProjectRole(EDITOR, { displayName: 'Chief' }, details)),
    getProject('portal'),
  ],
  [
    'patching',
    validating((details) =>
      patchIdentityProvider(IDP_ID, { name: 'N', scopes: ['openid'] }, details),
    ),
    validating((details) => patchProject('portal', { hasProjectCheck: true }, details)),
    validating((details) => patchProject('portal', {}, details)),
    validating((details) => patchProjectRole(EDITOR, { group: '' }, details)),
  ],
  [
    'deactivating, reactivating and removing',
    validating((details) => deactivateIdentityProvider(IDP_ID, details)),
    validating((details) => reactivateIdentityProvider(IDP_ID, details)),
    validating((details) => removeIdentityProvider(IDP_ID, details)),
    validating((details) => deactivateProject('portal', details)),
    validating((details) => reactivateProject('portal', details)),
    validating((details) => removeProjectRole(EDITOR, details)),
    validating((details) => removeProject('portal', details)),
  ],
  [
    'under an idempotency key, which it does not use up',
    ...['dry', 'wet', 'again'].map((when) => {
      const keyed = { headers: { 'idempotency-key': 'k' }, context: { idempotencyKey: 'k' } }
      const patch = (details: object) => patchProject('portal', { name: 'Once' }, details)
      return when === 'wet' ? patch(keyed) : validating(patch, keyed)
    }),
  ],
  [
    'with If-Match',
    validating((details) => updateProject('portal', settings, details), {
      headers: { 'if-match': `"${FIRST_SEQUENCE}"` },
      context: { expectedSequence: FIRST_SEQUENCE },
    }),
  ],
]

/** What is refused of a dry run as of the write. */
export const dryRunRefusals: readonly (readonly [
  name: string,
  httpStatus: number,
  ...calls: Call[],
])[] = [
  [
    'a dry run without permission',
    403,
    validating((details) => removeProject('portal', details), { caller: 'guest' }),
  ],
  ['a dry run of nothing', 404, validating((details) => removeProject('nowhere', details))],
  [
    'a dry run of what has changed meanwhile',
    409,
    validating((details) => patchProject('portal', { name: 'X' }, details), stale),
  ],
  ['a dry run that is malformed', 400, validating((details) => addProject({ name: '' }, details))],
]
