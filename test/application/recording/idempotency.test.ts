import { beforeEach, describe, expect, it } from 'vitest'
import { type Context, type EventStore, toStatus, type Written } from '../../../src/index.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS, PROVIDER_DEFAULTS } from '../../defaults.js'
import {
  addAllSamples,
  caller,
  context,
  everything,
  good,
  type Iam,
  iamOn,
  inGlobex,
  logOf,
  newCipher,
  oidc,
  refusal,
  secret,
  start,
} from '../host.js'
import { type Method, writes } from '../method/methods.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addAllSamples(iam)
})

const once: Context = { ...context, idempotencyKey: 'request 1' }
const reused = { kind: 'IdempotencyKeyReused', idempotencyKey: 'request 1' }

const granted = { projectId: 'portal', grantedOrgId: 'initech' }
const bob = { userId: 'bob', projectId: 'portal' }

/** What has to be done first for a write to change something. */
const prepare = async ({ name }: Method): Promise<void> => {
  if (name === 'projects.reactivate') await good(iam.projects.deactivate({ id: 'portal' }, context))
  if (name === 'identityProviders.reactivate')
    await good(iam.identityProviders.deactivate({ idpId: 'google' }, context))
  if (name === 'projectGrants.reactivate')
    await good(iam.projectGrants.deactivate(granted, context))
  if (name === 'userGrants.reactivate') await good(iam.userGrants.deactivate(bob, context))
}

/** A key cannot repeat the token of a link, so issuing one refuses keys. */
const keyed = writes.filter(({ refuses = [] }) => !refuses.includes('idempotencyKey'))

describe.each(keyed)('$name under an idempotency key', (method) => {
  const { of, input } = method

  it('answers a repeat with the first outcome, in every process, and records it once', async () => {
    await prepare(method)
    const first = await good(of(iam)(input, once))
    const log = await logOf(store)
    for (const process of [iam, iam, iamOn(store), iamOn(store, { secrets: newCipher })])
      expect(await good(of(process)(input, once))).toEqual(first)
    expect(await logOf(store)).toEqual(log)
  })

  it('answers so after everything has moved on', async () => {
    await prepare(method)
    const first = await good(of(iam)(input, once))
    const before = iamOn(store)
    await of(before)(input, { ...context, dryRun: true })
    for (const idpId of ['google', 'new'])
      await iam.identityProviders.update({ ...PROVIDER_DEFAULTS, idpId, name: 'moved' }, context)
    for (const id of ['portal', 'new'])
      await iam.projects.update({ ...PROJECT_DEFAULTS, id, name: 'moved' }, context)
    for (const userId of ['bob', 'new']) await iam.userGrants.remove({ ...bob, userId }, context)
    for (const grantedOrgId of ['initech', 'new'])
      await iam.projectGrants.remove({ ...granted, grantedOrgId }, context)
    for (const roleKey of ['editor', 'new']) {
      const role = { projectId: 'portal', roleKey }
      await iam.projectRoles.update({ group: '', ...role, displayName: 'moved' }, context)
      expect(await good(of(before)(input, once))).toEqual(first)
      await iam.projectRoles.remove(role, context)
    }
    await iam.projects.remove({ id: 'portal' }, context)
    await iam.identityProviders.remove({ idpId: 'google' }, context)
    for (const process of [iam, before, iamOn(store)])
      expect(await good(of(process)(input, once))).toEqual(first)
  })

  it('takes effect once when called twice at the same time, by one process or two', async () => {
    await prepare(method)
    const count = (await logOf(store)).length
    const other = iamOn(store)
    const calls = [iam, iam, other, other].map((process) => good(of(process)(input, once)))
    const [first, ...rest] = await Promise.all(calls)
    for (const outcome of rest) expect(outcome).toEqual(first)
    const { events } = first as Written
    expect(await logOf(store)).toHaveLength(count + events.length)
  })

  it('is refused for another command', async () => {
    await prepare(method)
    await good(of(iam)(input, once))
    const log = await logOf(store)
    const others = keyed.filter((other) => other !== method)
    for (const other of others)
      for (const process of [iam, iamOn(store)])
        expect(await refusal(other.of(process)(other.input, once)), other.name).toEqual(reused)
    expect(await logOf(store)).toEqual(log)
  })

  it('is another key in another organization', async () => {
    await addAllSamples(iam, inGlobex)
    await prepare(method)
    const first = await good(of(iam)(input, once))
    const log = (await logOf(store)).length
    // Only one organization can verify a domain.
    if (/reactivate|domains.verify/.test(method.name)) return
    const own = { ...inGlobex, idempotencyKey: 'request 1' }
    const other = await good(of(iam)(input, own))
    expect(other).not.toEqual(first)
    expect(await logOf(store)).toHaveLength(log + 1)
  })

  it('lets a dry run tell that a repeat would change nothing, and another command be refused', async () => {
    await prepare(method)
    const { details, warnings } = (await good(of(iam)(input, once))) as Written
    const dry = { ...once, dryRun: true }
    for (const process of [iam, iamOn(store)]) {
      const planned = {
        changed: false,
        events: [],
        changes: [],
        details,
        ...(warnings && { warnings }),
      }
      expect(await good(of(process)(input, dry))).toEqual(planned)
      const other = process.projects.update(
        { ...PROJECT_DEFAULTS, id: 'portal', name: 'other' },
        dry as never,
      )
      expect(await refusal(other)).toEqual(reused)
    }
  })

  it('is not used up by a dry run, nor by a refusal', async () => {
    await prepare(method)
    await good(of(iam)(input, { ...once, dryRun: true }))
    await refusal(of(iam)({ ...input, nonsense: 1 }, once))
    await refusal(of(iam)(input, { ...once, caller: { ...caller, permissions: [] } }))
    await refusal(iam.projects.remove({ id: 'absent' }, once))
    await refusal(iam.projects.add({ id: 'portal', name: 'taken' }, once))
    expect(await good(of(iam)(input, once))).toMatchObject({ changed: true })
  })
})

describe('An idempotency key', () => {
  it('keeps the ids that were drawn under it', async () => {
    const { idpId: _, ...input } = oidc
    const [one, two] = [
      await good(iam.identityProviders.addOidc(input, once)),
      await good(iamOn(store).identityProviders.addOidc(input, once)),
    ]
    expect(two.idpId).toBe(one.idpId)
    const other = { ...context, idempotencyKey: 'request 2' }
    const [three, four] = [
      await good(iam.projects.add({ name: 'n' }, other)),
      await good(iamOn(store).projects.add({ name: 'n' }, other)),
    ]
    expect(four).toEqual(three)
  })

  it('is the same command in any order, with explicit defaults, and for any caller', async () => {
    const first = await good(iam.projects.add({ id: 'p', name: 'n' }, once))
    const same = { hasProjectCheck: false, name: 'n', projectRoleCheck: false, id: 'p' }
    expect(await good(iam.projects.add(same, once))).toEqual(first)
    const other = { userId: 'bob', orgId: 'globex', permissionsIn: { acme: everything } }
    const byOther = {
      ...once,
      caller: other,
      orgId: 'acme',
      correlationId: 'another',
      reason: 'another',
    }
    expect(await good(iam.projects.add(same, byOther))).toEqual(first)
  })

  it('is not used up by a write that changes nothing', async () => {
    const kept = await good(iam.projects.reactivate({ id: 'portal' }, once))
    expect(kept.changed).toBe(false)
    await good(iam.projects.deactivate({ id: 'portal' }, once))
    // The key now belongs to the deactivation.
    expect(await refusal(iam.projects.reactivate({ id: 'portal' }, once))).toEqual(reused)
  })

  it.each(['name', 'id', 'hasProjectCheck'])('is refused for another %s', async (field) => {
    await good(iam.projects.add({ id: 'p', name: 'n' }, once))
    const other = { id: 'p', name: 'n', [field]: field === 'hasProjectCheck' ? true : 'other' }
    const error = await refusal(iam.projects.add(other, once))
    expect(error).toEqual(reused)
    expect(toStatus(error).code).toBe(9)
  })

  it('is refused for another order of roles', async () => {
    const roles = ['a', 'b'].map((roleKey) => ({ roleKey, displayName: 'd' }))
    const first = await good(iam.projectRoles.addMany({ projectId: 'portal', roles }, once))
    const reversed = { projectId: 'portal', roles: roles.toReversed() }
    expect(await refusal(iam.projectRoles.addMany(reversed, once))).toEqual(reused)
    expect(await good(iam.projectRoles.addMany({ projectId: 'portal', roles }, once))).toEqual(
      first,
    )
  })

  it.each(['given', 'drawn'])('is refused for another secret, the id %s', async (id) => {
    const { idpId: _, ...rest } = oidc
    const input = id === 'given' ? { ...rest, idpId: 'new' } : rest
    await good(iam.identityProviders.addOidc(input, once))
    const other = { ...input, clientSecret: 'another' }
    for (const process of [iam, iamOn(store)])
      expect(await refusal(process.identityProviders.addOidc(other, once))).toEqual(reused)
  })

  it('is refused for an update with another secret, with one more and with one less', async () => {
    const input = { ...OIDC_DEFAULTS, idpId: 'google', clientId: 'c', issuer: 'i' }
    const { updateOidcConfig } = iam.identityProviders
    const withKey = (key: string) => ({ ...context, idempotencyKey: key })
    await good(updateOidcConfig({ ...input, clientSecret: secret }, withKey('with')))
    const without = await good(updateOidcConfig({ ...input, clientId: 'd' }, withKey('without')))
    expect(await good(updateOidcConfig({ ...input, clientId: 'd' }, withKey('without')))).toEqual(
      without,
    )
    expect(
      await refusal(updateOidcConfig({ ...input, clientSecret: 'x' }, withKey('with'))),
    ).toMatchObject({ kind: 'IdempotencyKeyReused' })
    expect(await refusal(updateOidcConfig(input, withKey('with')))).toMatchObject({
      kind: 'IdempotencyKeyReused',
    })
    const more = { ...input, clientId: 'd', clientSecret: secret }
    expect(await refusal(updateOidcConfig(more, withKey('without')))).toMatchObject({
      kind: 'IdempotencyKeyReused',
    })
  })

  it('repeats a write that named the sequence it then moved on from', async () => {
    const { details } = await good(iam.projects.get({ id: 'portal' }, context))
    const conditional = { ...once, expectedSequence: details.sequence }
    const first = await good(
      iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'n' }, conditional),
    )
    const again = await good(
      iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'n' }, conditional),
    )
    expect(again).toEqual(first)
  })

  it('reaches the store as organization and key, with the hash of what it was used for', async () => {
    const { events }: Written = await good(iam.projects.remove({ id: 'portal' }, once))
    expect(events[0]?.metadata).toEqual({
      actor: { userId: 'alice', orgId: 'acme' },
      resourceOwner: 'acme',
      idempotencyKey: 'acme+request 1',
      commandHash: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it('that recorded events which cannot be read is refused for that, for any command', async () => {
    await good(iam.projects.add({ id: 'p', name: 'n' }, once))
    const process = iamOn({
      ...store,
      findAppend: async (by) =>
        (await store.findAppend(by)).map((event) => ({ ...event, schemaVersion: 99 })),
    })
    for (const name of ['n', 'other'])
      expect(await refusal(process.projects.add({ id: 'p', name }, once))).toMatchObject({
        kind: 'UnknownEvent',
      })
  })

  it('that was used is looked up no longer than the call lasts', async () => {
    await good(iam.projects.add({ name: 'n' }, once))
    const controller = new AbortController()
    const process = iamOn({
      ...store,
      findAppend: () => {
        controller.abort()
        return new Promise(() => undefined)
      },
    })
    const within = { ...once, signal: controller.signal }
    expect(await refusal(process.projects.add({ name: 'n' }, within))).toEqual({
      kind: 'Cancelled',
    })
  })

  it('may have 255 printable characters', async () => {
    const idempotencyKey = ` ~${'+'.repeat(253)}`
    const first = await good(iam.projects.add({ name: 'n' }, { ...context, idempotencyKey }))
    const again = await good(iam.projects.add({ name: 'n' }, { ...context, idempotencyKey }))
    expect(again).toEqual(first)
  })
})
