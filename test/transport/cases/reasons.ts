import type { Call } from '../call.js'
import { applyAccess } from '../calls/access.js'
import { addDomain, removeDomain, verifyDomain } from '../calls/domains.js'
import {
  addOidc,
  configureSignIn,
  deactivateIdentityProvider,
  patchIdentityProvider,
  updateOidcConfig,
} from '../calls/identity-providers.js'
import { addProjectGrant, removeProjectGrant, updateProjectGrant } from '../calls/project-grants.js'
import {
  addProjectRole,
  addProjectRoles,
  patchProjectRole,
  removeProjectRole,
} from '../calls/project-roles.js'
import { addProject, deactivateProject, patchProject, removeProject } from '../calls/projects.js'
import { reasoned } from '../calls/reasoned.js'
import {
  addUserGrant,
  addUserGrantRoles,
  deactivateUserGrant,
  removeAllUserGrants,
  removeUserGrant,
  removeUserGrantRoles,
  updateUserGrant,
} from '../calls/user-grants.js'
import { validating } from '../calls/validating.js'
import { IDP_ID } from '../host.js'
import { oidc, provider, role, settings } from '../samples.js'

const EDITOR = ['portal', 'editor'] as const
const why = (make: Parameters<typeof reasoned>[1]) => reasoned('Ticket 4711: “größer” 😀', make)

const GLOBEX = ['portal', 'globex'] as const
const CAROL = ['carol', 'portal'] as const
const editor = { roleKey: 'editor' }
const OWN = 'published.example'

/** Everything that writes, with a reason. Every case compares the history, which shows it. */
export const reasons: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'of changes of projects and their roles',
    why((details) => addProject(settings, details)),
    why((details) => patchProject('portal', { name: 'Renamed' }, details)),
    why((details) => deactivateProject('portal', details)),
    why((details) => addProjectRole('portal', role, details)),
    why((details) =>
      addProjectRoles('portal', { roles: [{ ...role, roleKey: 'owner' }] }, details),
    ),
    why((details) => patchProjectRole(EDITOR, { group: '' }, details)),
    why((details) => removeProjectRole(EDITOR, details)),
    why((details) => removeProject('portal', details)),
  ],
  [
    'of changes of identity providers and domains',
    why((details) => addOidc(provider, details)),
    why((details) => updateOidcConfig(IDP_ID, oidc, details)),
    why((details) => patchIdentityProvider(IDP_ID, { name: 'N' }, details)),
    why((details) => configureSignIn(IDP_ID, { addresses: 'verified' }, details)),
    why((details) => deactivateIdentityProvider(IDP_ID, details)),
    why((details) => addDomain(OWN, details)),
    why((details) => verifyDomain(OWN, details)),
    why((details) => removeDomain(OWN, details)),
  ],
  [
    'of changes of grants',
    why((details) =>
      addProjectGrant('portal', { grantedOrgId: 'globex', roleKeys: ['editor'] }, details),
    ),
    why((details) => addProjectRole('portal', { ...role, roleKey: 'owner' }, details)),
    why((details) => updateProjectGrant(GLOBEX, { roleKeys: ['editor', 'owner'] }, details)),
    why((details) => removeProjectGrant(GLOBEX, details)),
    why((details) =>
      addUserGrant({ userId: 'carol', projectId: 'portal', roles: [editor] }, details),
    ),
    why((details) => addUserGrantRoles(CAROL, { roles: [{ roleKey: 'owner' }] }, details)),
    why((details) => removeUserGrantRoles(CAROL, { roleKeys: ['owner'] }, details)),
    why((details) => updateUserGrant(CAROL, { roles: [{ roleKey: 'owner' }] }, details)),
    why((details) => deactivateUserGrant(CAROL, details)),
    why((details) => removeUserGrant(CAROL, details)),
    why((details) =>
      addUserGrant({ userId: 'carol', projectId: 'portal', roles: [editor] }, details),
    ),
    why((details) => removeAllUserGrants('carol', details)),
  ],
  [
    'of a desired state',
    why((details) =>
      applyAccess({ projects: [{ id: 'shop', name: 'Shop', roles: [role] }] }, details),
    ),
  ],
  [
    'of a dry run, which records none',
    why((details) =>
      validating((inDryRun) => patchProject('portal', { name: 'Shop' }, inDryRun), details),
    ),
  ],
  [
    'that are empty count as absent',
    reasoned('', (details) => patchProject('portal', { name: 'Shop' }, details)),
    reasoned('', (details) => deactivateProject('portal', details)),
    reasoned('', (details) => removeProject('portal', details)),
  ],
]

const LONG = 'x'.repeat(501)

/** What is refused of a reason. */
export const reasonRefusals: readonly (readonly [
  name: string,
  status: number,
  ...calls: Call[],
])[] = [
  [
    'a reason that is too long',
    400,
    reasoned(LONG, (details) => patchProject('portal', { name: 'Shop' }, details)),
    reasoned(LONG, (details) => removeProject('portal', details)),
    reasoned(LONG, (details) => removeAllUserGrants('carol', details)),
    reasoned(LONG, (details) => applyAccess({ projects: [{ id: 'a', name: 'A' }] }, details)),
  ],
]
