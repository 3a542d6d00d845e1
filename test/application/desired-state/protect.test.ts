import type { ResultAsync } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import {
  type DesiredAccess,
  type Iam,
  type IamError,
  readAccess,
  toStatus,
} from '../../../src/index.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS } from '../../defaults.js'
import {
  context,
  good,
  iamOn,
  inGlobex,
  logOf,
  newCipher,
  refusal,
  start,
  withAppend,
} from '../host.js'

const editor = { roleKey: 'editor', displayName: 'Editor' }
const viewer = { roleKey: 'viewer', displayName: 'Viewer' }
const portal = {
  id: 'portal',
  name: 'Portal',
  roles: [editor, viewer],
  grants: [{ grantedOrgId: 'globex', roleKeys: ['editor'] }],
}
const google = {
  idpId: 'google',
  name: 'Google',
  clientId: 'c',
  clientSecret: 's',
  issuer: 'https://accounts.example.com',
}

const declared: DesiredAccess = {
  managedBy: 'code',
  protect: true,
  projects: [portal],
  identityProviders: [google],
}

const role = { projectId: 'portal', roleKey: 'editor' }
const grant = { projectId: 'portal', grantedOrgId: 'globex' }
const refused = { kind: 'Protected', managedBy: 'code' }

/** Every write of an object that exists and can be declared. */
const writes: readonly (readonly [string, (iam: Iam) => ResultAsync<unknown, IamError>])[] = [
  [
    'projects.update',
    ({ projects }) => projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'N' }, context),
  ],
  ['projects.patch', ({ projects }) => projects.patch({ id: 'portal', name: 'N' }, context)],
  ['projects.deactivate', ({ projects }) => projects.deactivate({ id: 'portal' }, context)],
  ['projects.remove', ({ projects }) => projects.remove({ id: 'portal' }, context)],
  [
    'projectRoles.update',
    ({ projectRoles }) => projectRoles.update({ ...role, displayName: 'N', group: '' }, context),
  ],
  [
    'projectRoles.patch',
    ({ projectRoles }) => projectRoles.patch({ ...role, group: 'g' }, context),
  ],
  ['projectRoles.remove', ({ projectRoles }) => projectRoles.remove(role, context)],
  [
    'projectGrants.update',
    ({ projectGrants }) => projectGrants.update({ ...grant, roleKeys: ['viewer'] }, context),
  ],
  ['projectGrants.deactivate', ({ projectGrants }) => projectGrants.deactivate(grant, context)],
  ['projectGrants.remove', ({ projectGrants }) => projectGrants.remove(grant, context)],
  [
    'identityProviders.update',
    ({ identityProviders }) =>
      identityProviders.update(
        { idpId: 'google', name: 'N', stylingType: 'STYLING_TYPE_GOOGLE', autoRegister: true },
        context,
      ),
  ],
  [
    'identityProviders.patch',
    ({ identityProviders }) => identityProviders.patch({ idpId: 'google', name: 'N' }, context),
  ],
  [
    'identityProviders.updateOidcConfig',
    ({ identityProviders }) =>
      identityProviders.updateOidcConfig(
        { ...OIDC_DEFAULTS, idpId: 'google', clientId: 'd', clientSecret: 't', issuer: 'i' },
        context,
      ),
  ],
  [
    'identityProviders.deactivate',
    ({ identityProviders }) => identityProviders.deactivate({ idpId: 'google' }, context),
  ],
  [
    'identityProviders.remove',
    ({ identityProviders }) => identityProviders.remove({ idpId: 'google' }, context),
  ],
  [
    'apply of another desired state',
    (iam) => iam.apply({ managedBy: 'x', projects: [{ id: 'portal', name: 'N' }] }, context),
  ],
  [
    'apply without managedBy',
    (iam) =>
      iam.apply(
        { projects: [{ id: 'portal', name: 'Portal', roles: [{ ...editor, group: 'g' }] }] },
        context,
      ),
  ],
  [
    'apply of another desired state that would protect it too',
    (iam) =>
      iam.apply(
        { managedBy: 'x', protect: true, projects: [{ id: 'portal', name: 'Portal' }] },
        context,
      ),
  ],
]

/** Those of {@link writes} under another name, which stay refused. */
const OTHER_NAMES = [
  'apply of another desired state',
  'apply of another desired state that would protect it too',
]

describe.each(writes)('%s', (name, write) => {
  it('is refused of what is protected, and free once that is lifted', async () => {
    const { iam, store } = start()
    await good(iam.apply(declared, context))
    const before = await logOf(store)
    expect(await refusal(write(iam))).toEqual(refused)
    // Another process, which has cached nothing.
    expect(await refusal(write(iamOn(store)))).toEqual(refused)
    expect(await logOf(store)).toEqual(before)
    await good(iam.apply({ ...declared, protect: false }, context))
    // What a name has applied belongs to it.
    if (OTHER_NAMES.includes(name)) expect(await refusal(write(iam))).toEqual(refused)
    else await good(write(iam))
  })
})

it('A dry run, and a plan of another desired state, are refused likewise', async () => {
  const { iam } = start()
  await good(iam.apply(declared, context))
  const patch = iam.projects.patch({ id: 'portal', name: 'N' }, { ...context, dryRun: true })
  expect(await refusal(patch)).toEqual(refused)
  const plan = iam.plan({ projects: [{ id: 'portal', name: 'N' }] }, context)
  expect(await refusal(plan)).toEqual(refused)
})

it('What changes nothing succeeds', async () => {
  const { iam } = start()
  await good(iam.apply(declared, context))
  expect(await good(iam.projects.patch({ id: 'portal', name: 'Portal' }, context))).toMatchObject({
    changed: false,
  })
  const others = { managedBy: 'x', projects: [{ id: 'portal', name: 'Portal' }] }
  expect((await good(iam.apply(others, context))).counts).toMatchObject({ unchanged: 1 })
})

it('Adding roles that are not declared, changing them, and giving declared ones stays free', async () => {
  const { iam } = start()
  await good(iam.apply(declared, context))
  const own = { projectId: 'portal', roleKey: 'own' }
  await good(iam.projectRoles.add({ ...own, displayName: 'Own' }, context))
  await good(iam.projectRoles.patch({ ...own, displayName: 'O' }, context))
  await good(
    iam.projectRoles.addMany(
      { projectId: 'portal', roles: [{ ...viewer, roleKey: 'b' }] },
      context,
    ),
  )
  const others = {
    managedBy: 'x',
    projects: [{ id: 'portal', name: 'Portal', roles: [{ ...viewer, roleKey: 'c' }] }],
  }
  await good(iam.apply(others, context))
  const bob = { userId: 'bob', projectId: 'portal' }
  await good(
    iam.userGrants.add({ ...bob, roles: [{ roleKey: 'editor' }, { roleKey: 'own' }] }, context),
  )
  await good(iam.projectRoles.remove(own, context))
  await good(iam.userGrants.remove(bob, context))
  const dave = {
    userId: 'dave',
    projectId: 'portal',
    projectOrgId: 'acme',
    roles: [{ roleKey: 'editor' }],
  }
  await good(iam.userGrants.add(dave, inGlobex))
  const initech = { projectId: 'portal', grantedOrgId: 'initech', roleKeys: ['viewer'] }
  await good(iam.projectGrants.add(initech, context))
})

it('Objects are shown with the desired state that protects them, in history too', async () => {
  const { iam } = start()
  await good(iam.apply({ ...declared, protect: false }, context))
  const read = async (on: Iam) => [
    (await good(on.projects.get({ id: 'portal' }, context))).protectedBy,
    (await good(on.projectRoles.get(role, context))).protectedBy,
    (await good(on.projectGrants.get(grant, context))).protectedBy,
    (await good(on.identityProviders.get({ idpId: 'google' }, context))).protectedBy,
  ]
  expect(await read(iam)).toEqual([undefined, undefined, undefined, undefined])
  const roleBefore = await good(iam.projectRoles.get(role, context))
  const { counts, changes } = await good(iam.plan(declared, context))
  expect(counts).toEqual({ add: 0, update: 5, remove: 0, unchanged: 0 })
  for (const { fields } of changes)
    expect(fields).toContainEqual({ field: 'protectedBy', from: '', to: 'code' })
  await good(iam.apply(declared, context))
  expect(await read(iam)).toEqual(['code', 'code', 'code', 'code'])
  const { items } = await good(iam.history.list({ order: 'desc', limit: 5 }, context))
  for (const { changes } of items)
    expect(changes).toEqual([{ field: 'protectedBy', from: undefined, to: 'code' }])
  const roleAfter = await good(iam.projectRoles.get(role, context))
  expect(roleAfter).toEqual({ ...roleBefore, protectedBy: 'code', details: roleAfter.details })
  expect((await good(iam.apply(declared, context))).counts).toEqual({
    add: 0,
    update: 0,
    remove: 0,
    unchanged: 5,
  })
  const lifted = await good(iam.apply({ ...declared, protect: false }, context))
  expect(lifted.counts.update).toBe(5)
  expect(await read(iam)).toEqual([undefined, undefined, undefined, undefined])
  expect(Object.keys(await good(iam.projects.get({ id: 'portal' }, context)))).not.toContain(
    'protectedBy',
  )
})

it('Protecting a grant takes no role from anybody', async () => {
  const { iam } = start()
  await good(iam.apply({ ...declared, protect: false }, context))
  const dave = { userId: 'dave', projectId: 'portal', projectOrgId: 'acme' }
  await good(iam.userGrants.add({ ...dave, roles: [{ roleKey: 'editor' }] }, inGlobex))
  const check = { ...dave, roleKey: 'editor' }
  const { items } = await good(iam.access.whoHas({ projectId: 'portal' }, context))
  await good(iam.apply(declared, context))
  expect((await good(iam.access.check(check, inGlobex))).allowed).toBe(true)
  await good(iam.apply({ ...declared, protect: false }, context))
  expect((await good(iam.access.check(check, inGlobex))).allowed).toBe(true)
  expect(await good(iam.access.whoHas({ projectId: 'portal' }, context))).toMatchObject({ items })
})

it('A caller who may not use the name lifts, changes and takes nothing under it', async () => {
  const { iam, store } = start()
  await good(iam.apply(declared, context))
  const asked: unknown[] = []
  const tenant = iamOn(store, {
    authorize: ({ permission, object }) => {
      if (permission !== 'desired_state.write') return true
      asked.push(object)
      return object?.type === 'desired_state' && object.managedBy === 'mine'
    },
  })
  const before = await logOf(store)
  const lifting = { ...declared, protect: false }
  const plan = await good(tenant.plan(lifting, context))
  for (const given of [lifting, plan, { managedBy: 'code', projects: [], identityProviders: [] }])
    expect(await refusal(tenant.apply(given, context))).toEqual({
      kind: 'PermissionDenied',
      permission: 'desired_state.write',
      orgId: 'acme',
    })
  expect(asked).toEqual(Array(3).fill({ type: 'desired_state', managedBy: 'code' }))
  expect(await logOf(store)).toEqual(before)
})

it('Another name takes nothing that a name manages, and the name goes on applying', async () => {
  const { iam, store } = start()
  const unprotected = { ...declared, protect: false }
  await good(iam.apply(unprotected, context))
  const before = await logOf(store)
  for (const mine of [
    { ...declared, managedBy: 'mine' },
    { managedBy: 'mine', protect: true, projects: [{ id: 'portal', name: 'Portal' }] },
    {
      managedBy: 'mine',
      projects: [{ id: 'portal', name: 'Portal', roles: [{ ...editor, group: 'g' }] }],
    },
    { managedBy: 'mine', protect: true, projects: [], identityProviders: [google] },
  ])
    for (const call of [iam.plan, iam.apply])
      expect(await refusal(call(mine, context))).toEqual(refused)
  // Pruning under another name removes nothing either.
  const pruning = {
    managedBy: 'mine',
    prune: true,
    projects: [{ ...portal, roles: [], grants: [] }],
  }
  expect((await good(iam.apply(pruning, context))).counts).toMatchObject({ remove: 0, update: 0 })
  expect(await logOf(store)).toEqual(before)
  expect((await good(iam.apply(declared, context))).counts.update).toBe(5)
})

it('Another name that races takes nothing', async () => {
  const { iam, store } = start()
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  let isRaced = false
  const racing = iamOn(
    withAppend(store, async (append, send) => {
      if (!isRaced) {
        isRaced = true
        await good(
          iam.apply({ managedBy: 'code', projects: [{ id: 'portal', name: 'N' }] }, context),
        )
      }
      return send(append)
    }),
  )
  const mine = { managedBy: 'mine', projects: [{ id: 'portal', name: 'M' }] }
  expect(await refusal(racing.apply(mine, context))).toEqual(refused)
  expect((await good(iam.projects.get({ id: 'portal' }, context))).name).toBe('N')
})

it('What leaves the declaration is protected no longer; with prune, roles and grants of declared projects go', async () => {
  const { iam } = start()
  const shop = {
    id: 'shop',
    name: 'Shop',
    roles: [viewer],
    grants: portal.grants.map((each) => ({ ...each, roleKeys: ['viewer'] })),
  }
  await good(iam.apply({ ...declared, projects: [portal, shop] }, context))
  const fewer = { ...declared, projects: [{ ...portal, roles: [editor] }], identityProviders: [] }
  const planned = await good(iam.plan(fewer, context))
  expect(planned.counts).toEqual({ add: 0, update: 5, remove: 0, unchanged: 3 })
  const applied = await good(iam.apply(planned, context))
  expect(
    applied.changes.filter(({ action }) => action === 'update').map(({ object }) => object),
  ).toEqual([
    { type: 'project_role', projectId: 'portal', roleKey: 'viewer' },
    { type: 'project', id: 'shop' },
    { type: 'project_role', projectId: 'shop', roleKey: 'viewer' },
    { type: 'project_grant', projectId: 'shop', grantedOrgId: 'globex' },
    { type: 'identity_provider', idpId: 'google' },
  ])
  await good(iam.projectRoles.remove({ ...role, roleKey: 'viewer' }, context))
  await good(iam.projects.remove({ id: 'shop' }, context))
  await good(iam.identityProviders.remove({ idpId: 'google' }, context))
  expect(await refusal(iam.projectRoles.remove(role, context))).toEqual(refused)
  expect((await good(iam.apply(fewer, context))).counts.update).toBe(0)
  const pruning = { ...fewer, prune: true, projects: [{ ...portal, roles: [], grants: [] }] }
  expect((await good(iam.apply(pruning, context))).counts).toEqual({
    add: 0,
    update: 0,
    remove: 2,
    unchanged: 1,
  })
})

it('A list that is absent says nothing of its objects, which stay protected', async () => {
  const { iam } = start()
  await good(iam.apply(declared, context))
  await good(
    iam.apply(
      { managedBy: 'code', protect: true, projects: [{ id: 'portal', name: 'Portal' }] },
      context,
    ),
  )
  expect(await refusal(iam.projectRoles.remove(role, context))).toEqual(refused)
  expect(await refusal(iam.identityProviders.remove({ idpId: 'google' }, context))).toEqual(refused)
})

it('An older version lifts nothing that a newer one protects', async () => {
  const { iam } = start()
  const shop = { id: 'shop', name: 'Shop', roles: [viewer] }
  await good(iam.apply({ ...declared, version: 2, projects: [portal, shop] }, context))
  const older = {
    ...declared,
    version: 1,
    protect: false,
    projects: [{ ...portal, roles: [editor], grants: [] }],
  }
  const { counts } = await good(iam.apply(older, context))
  expect(counts).toMatchObject({ update: 0, superseded: 7 })
  for (const id of ['portal', 'shop'])
    expect(await refusal(iam.projects.remove({ id }, context))).toEqual(refused)
})

it('Lifting the protection of what is declared no longer needs the permissions on it', async () => {
  const { iam, store } = start()
  await good(
    iam.apply(
      { ...declared, projects: [portal, { id: 'shop', name: 'Shop', roles: [viewer] }] },
      context,
    ),
  )
  const fewer = { managedBy: 'code', protect: true, projects: [portal] }
  for (const permission of ['project.write', 'project.role.write'] as const) {
    const limited = iamOn(store, {
      authorize: (question) => question.permission !== permission || question.object?.id !== 'shop',
    })
    await good(limited.plan(fewer, context))
    expect(await refusal(limited.apply(fewer, context))).toEqual({
      kind: 'PermissionDenied',
      permission,
      orgId: 'acme',
    })
  }
})

it('Secrets are sealed anew, and the provider stays protected', async () => {
  const { iam, store } = start()
  await good(iam.apply(declared, context))
  const rotating = iamOn(store, { secrets: newCipher })
  const { resealed } = await good(rotating.identityProviders.resealSecrets({}, context))
  expect(resealed).toEqual(['google'])
  expect(await refusal(iam.identityProviders.remove({ idpId: 'google' }, context))).toEqual(refused)
})

it('A project is protected before what lies in it, and lifted after that, however many roles there are', async () => {
  const { iam, store } = start()
  const roles = Array.from({ length: 2_500 }, (_, n) => ({ roleKey: `r${n}`, displayName: 'R' }))
  const large = { managedBy: 'code', projects: [{ ...portal, roles, grants: [] }] }
  await good(iam.apply(large, context))
  const marked = async (protect: boolean) => {
    const before = (await logOf(store)).length
    await good(iam.apply({ ...large, protect }, context))
    return (await logOf(store)).slice(before).map(({ stream }) => stream)
  }
  expect((await marked(true))[0]).toBe('project-acme+portal')
  expect((await marked(false)).at(-1)).toBe('project-acme+portal')
  await good(iam.apply({ ...large, protect: true }, context))
  const before = (await logOf(store)).length
  await good(iam.apply({ managedBy: 'code', protect: true, projects: [] }, context))
  const lifted = (await logOf(store)).slice(before)
  expect(lifted.length).toBe(2_501)
  expect(lifted.at(-1)?.stream).toBe('project-acme+portal')
})

it('The refusal says what to do, and names the object', async () => {
  const { iam } = start()
  await good(iam.apply(declared, context))
  const error = await refusal(iam.projects.remove({ id: 'portal' }, context))
  expect(toStatus(error)).toMatchObject({
    code: 9,
    details: [
      { reason: 'PROTECTED', metadata: { managedBy: 'code' } },
      {},
      { resourceType: 'project', resourceName: 'portal' },
    ],
  })
})

it.each([
  [{ protect: true }, 'managedBy', 'is required with protect'],
  [{ ...declared, protect: 'yes' }, 'protect', 'must be true or false'],
  [
    {
      ...declared,
      projects: [{ ...portal, mappings: [{ idpId: 'other', group: 'g', roleKeys: ['editor'] }] }],
    },
    'projects[0].mappings[0].idpId',
    'must be a declared identity provider, with protect',
  ],
  [
    { ...declared, projects: [{ ...portal, roles: [viewer] }] },
    'projects[0].grants[0].roleKeys[0]',
    'must be a declared role of the project, with protect',
  ],
])('A desired state %j is refused', (access, field, description) => {
  expect(readAccess(access)._unsafeUnwrapErr()).toMatchObject({
    violations: [{ field, description }],
  })
})
