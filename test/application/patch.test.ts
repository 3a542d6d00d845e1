import { beforeEach, describe, expect, it } from 'vitest'
import type { Context, EventStore, IamError } from '../../src/index.js'
import {
  addSamples,
  badFields,
  context,
  good,
  type Iam,
  iamOn,
  oidc,
  refusal,
  start,
} from './host.js'
import type { Call } from './method/methods.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
})

const role = { projectId: 'portal', roleKey: 'editor' }

const eventsOf = async (stream: `${string}-${string}`) =>
  (await store.readStream(stream)).map(({ type, data }) => ({ type, data }))

describe('A patch of a project', () => {
  const everything = {
    name: 'Patched',
    projectRoleAssertion: true,
    projectRoleCheck: true,
    hasProjectCheck: true,
    privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
  } as const

  it.each(Object.entries(everything))('changes %s alone', async (field, value) => {
    const before = await good(iam.projects.get({ id: 'portal' }, context))
    const patched = await good(iam.projects.patch({ id: 'portal', [field]: value }, context))
    expect(patched).toMatchObject({ changed: true, projectId: 'portal' })
    const after = await good(iam.projects.get({ id: 'portal' }, context))
    expect(after).toEqual({ ...before, [field]: value, details: patched.details })
  })

  it('is recorded as an update in full', async () => {
    await good(iam.projects.update({ id: 'portal', ...everything }, context))
    await good(iam.projects.patch({ id: 'portal', hasProjectCheck: false }, context))
    expect((await eventsOf('project-acme+portal')).at(-1)).toEqual({
      type: 'project.updated',
      data: { id: 'portal', ...everything, hasProjectCheck: false },
    })
  })

  it('leaves an inactive project inactive', async () => {
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    await good(iam.projects.patch({ id: 'portal', name: 'Other' }, context))
    expect(await good(iam.projects.get({ id: 'portal' }, context))).toMatchObject({
      name: 'Other',
      state: 'inactive',
    })
  })
})

describe('A patch of a role', () => {
  it('changes the display name and keeps the group, and the other way round', async () => {
    await good(iam.projectRoles.patch({ ...role, displayName: 'Patched' }, context))
    expect(await good(iam.projectRoles.get(role, context))).toMatchObject({
      displayName: 'Patched',
      group: 'content',
    })
    await good(iam.projectRoles.patch({ ...role, group: '' }, context))
    expect((await eventsOf('project_role-acme+portal+editor')).at(-1)).toEqual({
      type: 'project_role.updated',
      data: { ...role, displayName: 'Patched', group: '', permissions: [] },
    })
  })

  it('is refused when its project was removed', async () => {
    await good(iam.projects.remove({ id: 'portal' }, context))
    const error = await refusal(iam.projectRoles.patch({ ...role, group: 'g' }, context))
    expect(error).toEqual({ kind: 'NotFound', object: { type: 'project', id: 'portal' } })
  })
})

describe('A patch of an identity provider', () => {
  const google = { idpId: 'google' }
  const reveal = async () =>
    (await good(iam.identityProviders.revealClientSecret(google, context))).clientSecret

  it.each([
    ['name', 'Patched'],
    ['stylingType', 'STYLING_TYPE_GOOGLE'],
    ['autoRegister', true],
    ['clientId', 'patched'],
    ['issuer', 'https://patched.example'],
    ['scopes', []],
    ['displayNameMapping', 'OIDC_MAPPING_FIELD_EMAIL'],
    ['usernameMapping', 'OIDC_MAPPING_FIELD_EMAIL'],
  ])('changes %s alone, and keeps the secret', async (field, value) => {
    const before = await good(iam.identityProviders.get(google, context))
    const patched = await good(iam.identityProviders.patch({ ...google, [field]: value }, context))
    expect(patched.events).toHaveLength(1)
    const after = await good(iam.identityProviders.get(google, context))
    expect(after).toEqual({ ...before, [field]: value, details: patched.details })
    expect(await reveal()).toBe(oidc.clientSecret)
  })

  it('records one event for the appearance and one for the OIDC configuration, in one append', async () => {
    const both = { ...google, name: 'Patched', clientId: 'patched' }
    const { events, details } = await good(iam.identityProviders.patch(both, context))
    expect(events.map(({ type }) => type)).toEqual([
      'identity_provider.updated',
      'identity_provider.oidc_config_updated',
    ])
    expect(new Set(events.map(({ appendId }) => appendId)).size).toBe(1)
    expect(details.sequence).toBe(events[1]?.position)
  })

  it('sets the secret that is given, sealed, and keeps it when an empty one is given', async () => {
    await good(iam.identityProviders.patch({ ...google, clientSecret: 'rotated' }, context))
    expect(await reveal()).toBe('rotated')
    expect(JSON.stringify(await eventsOf('identity_provider-acme+google'))).not.toContain('rotated')
    const kept = await good(iam.identityProviders.patch({ ...google, clientSecret: '' }, context))
    expect(kept.changed).toBe(false)
    expect(await reveal()).toBe('rotated')
  })

  it('leaves an issuer empty that was added so, while other fields change', async () => {
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'bare', issuer: '' }, context))
    await good(iam.identityProviders.patch({ idpId: 'bare', scopes: ['email'] }, context))
    expect(await good(iam.identityProviders.get({ idpId: 'bare' }, context))).toMatchObject({
      issuer: '',
      scopes: ['email'],
    })
    const emptied = iam.identityProviders.patch({ ...google, issuer: '' }, context)
    expect(await badFields(emptied)).toEqual(['issuer'])
  })
})

describe.each([
  ['projects', { id: 'portal' }, { name: 'Patched' }],
  ['projectRoles', role, { displayName: 'Patched' }],
  ['identityProviders', { idpId: 'google' }, { name: 'Patched' }],
] as const)('A patch: %s', (group, name, change) => {
  /** Casts: the three inputs have no common type. */
  const patch = (on: Iam, input: object, within: Context = context) =>
    (on[group].patch as unknown as Call)({ ...name, ...input }, within)

  it('changes nothing when nothing is given', async () => {
    const before = (await store.readAll(0n, 100)).length
    expect(await good(patch(iam, {}))).toMatchObject({ changed: false, events: [] })
    const absent = Object.fromEntries(Object.keys(change).map((field) => [field, undefined]))
    expect(await good(patch(iam, absent))).toMatchObject({ changed: false, events: [] })
    expect(await store.readAll(0n, 100)).toHaveLength(before)
  })

  it('of what is not there is not found', async () => {
    const elsewhere: IamError = await refusal(patch(iam, change, { ...context, orgId: 'globex' }))
    expect(elsewhere.kind).toBe('NotFound')
  })

  it('plans without recording, and refuses another sequence than expected', async () => {
    const before = (await store.readAll(0n, 100)).length
    const dry = await patch(iam, change, { ...context, dryRun: true } as never)
    expect(dry._unsafeUnwrap()).toMatchObject({ changed: true })
    const late = { ...context, expectedSequence: 1n }
    expect(await refusal(patch(iam, change, late))).toMatchObject({ kind: 'SequenceMismatch' })
    expect(await store.readAll(0n, 100)).toHaveLength(before)
  })

  it('answers what it first did under an idempotency key, which counts what is given alone', async () => {
    const keyed = { ...context, idempotencyKey: 'key-1' }
    const first = await good(patch(iam, change, keyed))
    await good(patch(iam, Object.fromEntries(Object.keys(change).map((field) => [field, 'Later']))))
    expect(await good(patch(iam, change, keyed))).toEqual(first)
    const more = {
      ...change,
      ...(group === 'projects' ? { hasProjectCheck: false } : EMPTY[group]),
    }
    expect(await refusal(patch(iam, more, keyed))).toMatchObject({ kind: 'IdempotencyKeyReused' })
  })
})

/** Fields at their defaults: to give one is not to leave it out. */
const EMPTY = { projectRoles: { group: '' }, identityProviders: { autoRegister: false } }

describe('Patches of different fields that race', () => {
  it('both take effect: each is decided on what the other left', async () => {
    const other = iamOn(store)
    await good(other.projects.patch({ id: 'portal' }, context))
    await good(iam.projects.patch({ id: 'portal', name: 'One' }, context))
    await good(other.projects.patch({ id: 'portal', hasProjectCheck: true }, context))
    expect(await good(iam.projects.get({ id: 'portal' }, context))).toMatchObject({
      name: 'One',
      hasProjectCheck: true,
    })
  })
})
