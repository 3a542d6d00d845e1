import type { ResultAsync } from 'neverthrow'
import {
  type Append,
  aesGcmCipher,
  type Context,
  createIam,
  type EventStore,
  type IamError,
  type IamOptions,
  memoryEventStore,
  type Permission,
  permissionsFromCaller,
  type RecordedEvent,
} from '../../src/index.js'
import { fixedClock } from '../../src/testing/index.js'

/** Every right there is. */
export const everything: readonly Permission[] = [
  'identity_provider.read',
  'identity_provider.write',
  'membership.read',
  'membership.write',
  'identity_provider.secret.read',
  'project.read',
  'project.write',
  'project.role.read',
  'desired_state.write',
  'project.role.write',
  'project.grant.read',
  'project.grant.write',
  'role_mapping.read',
  'role_mapping.write',
  'user.grant.read',
  'user.grant.write',
  'domain.read',
  'domain.write',
  'setup_link.read',
  'setup_link.write',
  'event.read',
]

/** Who may do everything in `acme`, and in `globex` too. */
export const caller = {
  userId: 'alice',
  orgId: 'acme',
  permissions: everything,
  permissionsIn: { globex: everything },
}

export const context: Context = { caller }

/** The same caller on the objects of another organization. */
export const inGlobex: Context = { caller, orgId: 'globex' }

/** A caller of another organization. */
export const inHooli: Context = { caller: { ...caller, orgId: 'hooli' } }

const key = (byte: number) => new Uint8Array(32).fill(byte)
const keys = { k1: key(1), k2: key(2) }

/** A cipher that seals with the key k1. */
export const oldCipher = aesGcmCipher({ current: 'k1', keys: { k1: keys.k1 } })

/** One that seals with k2 and still opens what k1 sealed. */
export const newCipher = aesGcmCipher({ current: 'k2', keys })

/** One that knows k2 alone. */
export const forgetfulCipher = aesGcmCipher({ current: 'k2', keys: { k2: keys.k2 } })

export const startOfTime = new Date('2024-05-06T07:08:09.010Z')

/** A store that stands still in time until it is told otherwise. */
export const clockedStore = () => {
  const clock = fixedClock(startOfTime)
  return { clock, store: memoryEventStore({ now: clock }) }
}

/** The library on a store; each call has a memory of its own, as another process would. */
export const iamOn = (store: EventStore, options: Partial<IamOptions> = {}) =>
  createIam({
    store,
    secrets: oldCipher,
    authorize: permissionsFromCaller,
    domains: { isPublicSuffix: () => false, resolveTxt: async () => published },
    ...options,
  })

/** The TXT records that the DNS of {@link iamOn} finds at every name. */
const published: string[][] = []

/** The library on a store of its own. */
export const start = (options: Partial<IamOptions> = {}) => {
  const { clock, store } = clockedStore()
  return { clock, store, iam: iamOn(store, options) }
}

/** The ways to reach each group of methods. */
export type Iam = ReturnType<typeof createIam>

/** Everything recorded, oldest first. */
export const logOf = (store: EventStore): Promise<readonly RecordedEvent[]> =>
  store.readAll(0n, 1_000_000)

/** What a call answered; fails the test when it was refused. */
export const good = async <Value>(call: ResultAsync<Value, IamError>): Promise<Value> =>
  (await call).match(
    (value) => value,
    (error) => {
      throw new Error(`Refused: ${error.kind}`, { cause: error })
    },
  )

/** Why a call was refused; fails the test when it was not. */
export const refusal = async (call: ResultAsync<unknown, IamError>): Promise<IamError> =>
  (await call)._unsafeUnwrapErr({ withStackTrace: true })

/** The fields that a call found malformed. */
export const badFields = async (
  call: ResultAsync<unknown, IamError>,
): Promise<readonly string[]> => {
  const error = await refusal(call)
  if (error.kind !== 'InvalidArgument') throw new Error(`Refused otherwise: ${error.kind}`)
  return error.violations.map(({ field }) => field)
}

export const secret = 'a client secret of no interest'

/** What an identity provider is added with. */
export const oidc = {
  idpId: 'google',
  name: 'Google',
  clientId: 'client-1',
  clientSecret: secret,
  issuer: 'https://accounts.example.com',
  scopes: ['openid', 'email'],
}

/** Adds the provider `google`, the project `portal` and its role `editor`. */
export const addSamples = async (iam: Iam, within: Context = context): Promise<void> => {
  await good(iam.identityProviders.addOidc(oidc, within))
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, within))
  await good(
    iam.projectRoles.add(
      { projectId: 'portal', roleKey: 'editor', displayName: 'Editor', group: 'content' },
      within,
    ),
  )
}

/** What a link is issued with. */
export const setupLink = {
  expiresAt: new Date('2999-12-31T00:00:00Z'),
  intents: ['provider', 'domain'] as const,
}

/** A project of another organization, which has granted it to `acme`. */
const receiveShop = async ({ projects, projectRoles, projectGrants }: Iam) => {
  await good(projects.add({ id: 'shop', name: 'Shop' }, inHooli))
  const role = { projectId: 'shop', roleKey: 'seller', displayName: 'Seller' }
  await good(projectRoles.add(role, inHooli))
  const grant = { projectId: 'shop', grantedOrgId: 'acme', roleKeys: ['seller'] }
  await good(projectGrants.add(grant, inHooli))
}

/** Adds the samples, a second role `viewer`, and grants of `editor`: to the organization `initech` and to the user `bob`; a project that `hooli` granted to `acme`; and a pending domain whose challenge is published; and a set-up link, whose token is answered. */
export const addAllSamples = async (
  iam: Iam,
  within: Context = context,
): Promise<{ readonly token: string }> => {
  await addSamples(iam, within)
  const role = { projectId: 'portal', roleKey: 'viewer', displayName: 'Viewer' }
  await good(iam.projectRoles.add(role, within))
  const grant = { projectId: 'portal', grantedOrgId: 'initech', roleKeys: ['editor'] }
  await good(iam.projectGrants.add(grant, within))
  const roles = [{ roleKey: 'editor' }]
  await good(iam.userGrants.add({ userId: 'bob', projectId: 'portal', roles }, within))
  const mapping = { idpId: 'google', group: 'staff', projectId: 'portal', roleKeys: ['editor'] }
  await good(iam.roleMappings.add(mapping, within))
  await good(iam.memberships.report({ idpId: 'google', userId: 'mia', groups: ['staff'] }, within))
  if (within === context) await receiveShop(iam)
  const { challenge } = await good(iam.domains.add({ domain: 'acme.example' }, within))
  published.push([challenge])
  return good(iam.setupLinks.issue({ linkId: 'link-1', ...setupLink }, within))
}

/** What each write of an object says of the whole: recorded at `created` and, last, at `changed`. */
export const detailsAt = (created: Date, changed: Date, sequence: bigint) => ({
  sequence,
  creationDate: created,
  changeDate: changed,
  resourceOwner: 'acme',
})

/** The position of the first event recorded at `time`. */
export const positionAt = (time: Date): bigint => BigInt(time.getTime()) * 1000n

/** How an append goes to a store. */
type Send = EventStore['append']

/** `store` with another way to append; it is handed the real one. */
export const withAppend = (
  store: EventStore,
  append: (append: Append, send: Send) => ReturnType<Send>,
): EventStore => ({ ...store, append: (sent) => append(sent, store.append) })

/** `store` with another `readStream`, which also reads each of several streams. */
export const withReads = (store: EventStore, readStream: EventStore['readStream']): EventStore => ({
  ...store,
  readStream,
  readStreams: (reads) =>
    Promise.all(reads.map(({ stream, afterVersion }) => readStream(stream, afterVersion))),
})
