// Grants, versions and protection in a desired state.
import assert from 'node:assert/strict'
import {
  aesGcmCipher,
  type Context,
  createIam,
  type DesiredAccess,
  defineAccess,
  formatPlan,
  type Iam,
  memoryEventStore,
  orThrow,
  permissionsFromCaller,
} from 'claviger'

const openIam = (): Iam =>
  createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } }),
    authorize: permissionsFromCaller,
  })

const context: Context = {
  caller: {
    userId: 'deployment',
    orgId: 'acme',
    permissions: [
      'desired_state.write',
      'project.read',
      'project.write',
      'project.role.read',
      'project.role.write',
      'project.grant.read',
      'project.grant.write',
      'role_mapping.read',
      'role_mapping.write',
      'identity_provider.read',
      'identity_provider.write',
    ],
  },
}

/** Applies a desired state and prints what was done. */
const applied = async (iam: Iam, access: DesiredAccess): Promise<string> => {
  const shown = formatPlan(await orThrow(iam.apply(access, context)))
  console.log(`${shown}\n`)
  return shown
}

const editor = { roleKey: 'editor', displayName: 'Editor' }

const granted = defineAccess({
  managedBy: 'portal-code',
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      roles: [editor],
      grants: [{ grantedOrgId: 'globex', roleKeys: ['editor'] }],
    },
  ],
})
assert.match(await applied(openIam(), granted), /^\+ project grant portal "globex"$/m)

const mapped = defineAccess({
  managedBy: 'portal-code',
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      roles: [editor],
      mappings: [{ idpId: 'entra', group: 'staff', roleKeys: ['editor'], validFor: 24 }],
    },
  ],
  identityProviders: [
    {
      idpId: 'entra',
      name: 'Entra ID',
      clientId: 'client',
      clientSecret: 'secret',
      issuer: 'https://idp.example',
    },
  ],
})
assert.match(await applied(openIam(), mapped), /^\+ role mapping /m)

const release = (version: number, ...roleKeys: string[]): DesiredAccess => ({
  managedBy: 'portal-code',
  version, // raise it with each change, or use the build number
  prune: true,
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      roles: roleKeys.map((roleKey) => ({ roleKey, displayName: roleKey })),
    },
  ],
})

const rolling = openIam()
await applied(rolling, release(11, 'editor', 'author'))
await applied(rolling, release(12, 'editor', 'publisher'))

// An instance of release 11 starts again: it changes nothing that release 12 has changed.
const late = await applied(rolling, release(11, 'editor', 'author'))
assert.equal(
  late,
  `^ role portal "author" is superseded by a newer version
^ role portal "publisher" is superseded by a newer version
0 to add, 0 to update, 0 to remove, 2 unchanged, 2 superseded`,
)

const guarded = openIam()
const mine = defineAccess({
  managedBy: 'portal-code',
  protect: true,
  projects: [{ id: 'portal', name: 'Portal', roles: [editor] }],
})
await applied(guarded, mine)

const refused = await guarded.projectRoles.remove(
  { projectId: 'portal', roleKey: 'editor' },
  context,
)
assert(refused.isErr() && refused.error.kind === 'Protected')
assert.equal(refused.error.managedBy, 'portal-code')

// Admins can still add roles of their own.
const own = { projectId: 'portal', roleKey: 'auditor', displayName: 'Auditor' }
await orThrow(guarded.projectRoles.add(own, context))

// The id of a removed project cannot be used again. Declare the project under a new id.
const removing = openIam()
const declared = (id: string): DesiredAccess => ({ projects: [{ id, name: 'Portal' }] })
await applied(removing, declared('portal'))
await orThrow(removing.projects.remove({ id: 'portal' }, context))
assert.match(await applied(removing, declared('portal')), /^! project portal is blocked/)
assert.match(await applied(removing, declared('portal-2')), /^\+ project portal-2$/m)
