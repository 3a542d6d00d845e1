import type { ResultAsync } from 'neverthrow'
import { describe, expect, it, vi } from 'vitest'
import {
  type Context,
  copyEvents,
  type IamOptions,
  memoryEventStore,
  memoryReadModel,
  type ReadModel,
  verify,
} from '../../../src/index.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addAllSamples,
  context,
  good,
  type Iam,
  iamOn,
  logOf,
  newCipher,
  oidc,
  oldCipher,
  withReads,
} from '../host.js'

/** Neither answers nor fails; records that it was called. */
type Silent = () => Promise<never>

/** Options with a port that is silent. */
type Options = (silent: Silent) => Partial<IamOptions>

/** A call within a context; `catchUp` takes the signal of it. */
type Call = (iam: Iam, within: Context) => ResultAsync<unknown, { readonly kind: string }>

const store = memoryEventStore()
await addAllSamples(iamOn(store))
const portal = { id: 'portal' }
const bob = { userId: 'bob', projectId: 'portal' }
const unchanged = { ...PROJECT_DEFAULTS, ...portal, name: 'Portal' }
const keyed = { ...oidc, idpId: 'keyed' }
const idempotencyKey = 'k1'
await good(iamOn(store).identityProviders.addOidc(keyed, { ...context, idempotencyKey }))
const desired = { projects: [{ ...portal, name: 'Another' }] }
const plan = await good(iamOn(store).plan(desired, context))

const storeWithout =
  (method: 'readAll' | 'readStream' | 'lastPosition' | 'findAppend'): Options =>
  (silent) => ({
    store: method === 'readStream' ? withReads(store, silent) : { ...store, [method]: silent },
  })

/** Whether the caller may read all projects is what `authorize` has no answer to. */
const ofAllSilent: Options = (silent) => ({
  authorize: ({ object }) => (object ? true : silent()),
})

const readModelWithout =
  (method: keyof ReadModel): Options =>
  (silent) => ({ readModel: { ...memoryReadModel(), [method]: silent } })

const cipherWithout =
  (method: 'seal' | 'open'): Options =>
  (silent) => ({ secrets: { ...oldCipher, [method]: silent } })

/** Holds every secret to be sealed under a key of before. */
const newCipherWithout =
  (method: 'seal' | 'open'): Options =>
  (silent) => ({ secrets: { ...newCipher, [method]: silent } })

const get: Call = ({ projects }, within) => projects.get(portal, within)
const update: Call = ({ projects }, within) =>
  projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'n' }, within)

const addAgain: Call = ({ identityProviders }, within) =>
  identityProviders.addOidc(keyed, { ...within, idempotencyKey })

const reseal: Call = ({ identityProviders }, within) =>
  identityProviders.resealSecrets({ idpId: keyed.idpId }, within)

const resealAll: Call = ({ identityProviders }, within) =>
  identityProviders.resealSecrets({}, within)

const CASES: readonly (readonly [what: string, options: Options, call: Call])[] = [
  ['a read, for permission', (silent) => ({ authorize: silent }), get],
  ['a write, for permission', (silent) => ({ authorize: silent }), update],
  ['a read, for the head of the log', storeWithout('lastPosition'), get],
  ['a read, for its catch-up', storeWithout('readAll'), get],
  ['a read, for the checkpoint', readModelWithout('checkpoint'), get],
  ['get', readModelWithout('get'), get],
  ['list', readModelWithout('list'), ({ projects }, within) => projects.list({}, within)],
  ['access.check', readModelWithout('access'), ({ access }, within) => access.check(bob, within)],
  [
    'roleClaims',
    readModelWithout('access'),
    ({ projects }, within) =>
      projects.roleClaims({ ...portal, userId: 'bob', userOrgId: 'acme' }, within),
  ],
  [
    'access.rolesOf',
    readModelWithout('heldRoles'),
    ({ access }, within) => access.rolesOf({ userId: 'bob' }, within),
  ],
  [
    'access.scopesOf',
    readModelWithout('heldRoles'),
    ({ access }, within) => access.scopesOf({ userId: 'bob', permission: 'read' }, within),
  ],
  [
    'access.whoHas',
    readModelWithout('holders'),
    ({ access }, within) => access.whoHas({ projectId: 'portal' }, within),
  ],
  ['access.users', readModelWithout('users'), ({ access }, within) => access.users({}, within)],
  [
    'stateAt of a grant',
    storeWithout('readStream'),
    ({ history }, within) =>
      history.stateAt({ object: { type: 'user_grant', ...bob }, sequence: 2n ** 60n }, within),
  ],
  [
    'a dry run of a grant',
    storeWithout('readStream'),
    ({ userGrants }, within) => userGrants.remove(bob, { ...within, dryRun: true }),
  ],
  [
    'removeAllOfUser, for the list',
    readModelWithout('list'),
    ({ userGrants }, within) => userGrants.removeAllOfUser({ userId: 'bob' }, within),
  ],
  [
    'removeAllOfUser, for the streams',
    storeWithout('readStream'),
    ({ userGrants }, within) => userGrants.removeAllOfUser({ userId: 'bob' }, within),
  ],
  [
    'an import of grants, for the streams',
    storeWithout('readStream'),
    ({ userGrants }, within) =>
      userGrants.import({ grants: [{ ...bob, roles: [{ roleKey: 'editor' }] }] }, within),
  ],
  ['history', readModelWithout('history'), ({ history }, within) => history.list({}, within)],
  [
    'stateAt',
    storeWithout('readStream'),
    ({ history }, within) =>
      history.stateAt({ object: { type: 'project', ...portal }, sequence: 1n }, within),
  ],
  [
    'revealClientSecret',
    cipherWithout('open'),
    ({ identityProviders }, within) =>
      identityProviders.revealClientSecret({ idpId: oidc.idpId }, within),
  ],
  ['a write, for its stream', storeWithout('readStream'), update],
  [
    'addOidc, for the seal',
    cipherWithout('seal'),
    ({ identityProviders }, within) => identityProviders.addOidc({ ...oidc, idpId: 'x' }, within),
  ],
  [
    'updateOidcConfig, for the seal',
    cipherWithout('seal'),
    ({ identityProviders: { updateOidcConfig } }, within) => {
      const { name, ...config } = oidc
      return updateOidcConfig({ ...OIDC_DEFAULTS, ...config }, within)
    },
  ],
  [
    'a no-op under a key, for what was recorded under it',
    storeWithout('findAppend'),
    ({ projects }, within) =>
      projects.update(unchanged, { ...within, idempotencyKey: 'of nothing' }),
  ],
  ['a repeat under a key, for what was recorded under it', storeWithout('findAppend'), addAgain],
  ['a repeat under a key, for the secret', cipherWithout('open'), addAgain],
  ['a repeat under a key, for the object as it was', storeWithout('readStream'), addAgain],
  ['resealSecrets of one, for its stream', storeWithout('readStream'), reseal],
  ['resealSecrets of one, for the secret', newCipherWithout('open'), reseal],
  ['resealSecrets of one, for the seal', newCipherWithout('seal'), reseal],
  ['resealSecrets of all, for the head of the log', storeWithout('lastPosition'), resealAll],
  ['resealSecrets of all, for the list', readModelWithout('list'), resealAll],
  ['resealSecrets of all, for a secret', newCipherWithout('open'), resealAll],
  ['plan', storeWithout('readStream'), (iam, within) => iam.plan(desired, within)],
  ['apply', storeWithout('readStream'), (iam, within) => iam.apply(desired, within)],
  [
    'apply, for the head',
    storeWithout('lastPosition'),
    (iam, within) => iam.apply(desired, within),
  ],
  ['apply, for who may see the rest', ofAllSilent, (iam, within) => iam.apply(desired, within)],
  ['apply, for the rest', readModelWithout('list'), (iam, within) => iam.apply(desired, within)],
  ['apply of a plan', readModelWithout('list'), (iam, within) => iam.apply(plan, within)],
  [
    'catchUp',
    storeWithout('lastPosition'),
    (iam, { signal }) => iam.catchUp(memoryReadModel(), { signal }),
  ],
  [
    'catchUp, for events',
    storeWithout('readAll'),
    (iam, { signal }) => iam.catchUp(memoryReadModel(), { signal }),
  ],
]

/** A port that does not answer, and the signal of who waits for it, which aborts once it was asked. */
const silence = () => {
  const end = new AbortController()
  const silent: Silent = () => {
    // Not at once: it is waited for by then.
    queueMicrotask(() => queueMicrotask(() => end.abort()))
    return new Promise(() => undefined)
  }
  return { signal: end.signal, silent }
}

describe('An abort ends a call that waits for a port', () => {
  it.each(CASES)('%s', async (_, options, call) => {
    const { signal, silent } = silence()
    const iam = iamOn(store, options(silent))
    const before = await logOf(store)
    const refused = await call(iam, { ...context, signal })
    expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    expect(await logOf(store)).toEqual(before)
  })

  it('catchUp, for the count of events', async () => {
    const { signal, silent } = silence()
    const iam = iamOn({ ...store, ...{ countAfter: silent } })
    const caught = await iam.catchUp(memoryReadModel(), { signal, onProgress: () => undefined })
    expect(caught._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  })

  it('catchUp, for the checkpoint after a batch', async () => {
    const { signal, silent } = silence()
    const readModel = memoryReadModel()
    const checkpoint = vi
      .fn<() => Promise<bigint>>(silent)
      .mockImplementationOnce(readModel.checkpoint)
    const caught = await iamOn(store).catchUp({ ...readModel, checkpoint }, { signal })
    expect(caught._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    expect(await readModel.checkpoint()).toBe(await store.lastPosition())
  })

  it('run, with the position reached', async () => {
    const { signal, silent } = silence()
    const iam = iamOn({ ...store, readAll: silent })
    expect(await good(iam.run(memoryReadModel(), { signal }))).toBe(0n)
  })

  it('run, for a projection that does not answer its checkpoint', async () => {
    const { signal, silent } = silence()
    const iam = iamOn(store)
    const running = iam.run({ ...memoryReadModel(), checkpoint: silent }, { signal })
    expect((await running)._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  })

  it('subscribe', async () => {
    const { signal, silent } = silence()
    const seen = []
    for await (const event of iamOn({ ...store, readAll: silent }).subscribe({ signal }))
      seen.push(event)
    expect(seen).toEqual([])
  })

  it('verify', async () => {
    const { signal, silent } = silence()
    const verified = await verify({ ...store, readAll: silent }, { signal })
    expect(verified._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  })

  it('verify, for a secret', async () => {
    const { signal, silent } = silence()
    const verified = await verify(store, { secrets: { ...oldCipher, open: silent }, signal })
    expect(verified._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  })

  it('copyEvents, for either store', async () => {
    const [source, target] = [silence(), silence()]
    const from = { ...store, readAll: source.silent }
    const copied = await copyEvents(from, memoryEventStore(), { signal: source.signal })
    expect(copied._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    const to = { ...memoryEventStore(), lastPosition: target.silent }
    const begun = await copyEvents(store, to, { signal: target.signal })
    expect(begun._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  })

  it('copyEvents, for the events where both end', async () => {
    const [source, target] = [silence(), silence()]
    const to = memoryEventStore()
    await to.restore(await store.readAll(0n, 1))
    const from = { ...store, readAll: source.silent }
    const copied = await copyEvents(from, to, { signal: source.signal })
    expect(copied._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    const silentTo = { ...to, readAll: target.silent }
    const begun = await copyEvents(store, silentTo, { signal: target.signal })
    expect(begun._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  })

  it('a command, and lets the next one of its object proceed', async () => {
    const { signal, silent } = silence()
    const iam = iamOn({ ...store, findAppend: silent })
    const within = { ...context, idempotencyKey: 'of nothing', signal }
    const ended = iam.projects.update(unchanged, within)
    const next = iam.projects.update(unchanged, context)
    expect((await ended)._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    expect(await good(next)).toMatchObject({ changed: false })
  })
})
