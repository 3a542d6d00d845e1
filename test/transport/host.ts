import {
  aesGcmCipher,
  type Caller,
  createIam,
  type EventStore,
  type Iam,
  memoryEventStore,
  type Permission,
  permissionsFromCaller,
} from 'claviger'
import { fixedClock } from 'claviger/testing'
import type { Failure, TransportOptions } from 'claviger/transport'
import { ok } from 'neverthrow'

const everything: readonly Permission[] = [
  'identity_provider.read',
  'identity_provider.write',
  'project.read',
  'project.write',
  'project.role.read',
  'desired_state.write',
  'project.role.write',
  'project.grant.read',
  'project.grant.write',
  'membership.read',
  'membership.write',
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

/** Who may call, by the token that stands for them. */
export const callers: Readonly<Record<string, Caller>> = {
  admin: {
    userId: 'alice',
    orgId: 'acme',
    permissions: everything,
    permissionsIn: { globex: everything },
  },
  guest: { userId: 'bob', orgId: 'acme', permissions: [] },
}

/** The id of the provider that every host has. */
export const IDP_ID = 'corporate'

/** A host that answers the same to the same calls, whenever and however often it is made. */
export const openIam = async (wrap: (store: EventStore) => EventStore = (store) => store) => {
  const clock = fixedClock('2026-02-03T04:05:06Z')
  const store = memoryEventStore({ now: clock })
  let drawn = 0
  const options = {
    domains: { isPublicSuffix: isSuffix, resolveTxt: textsAt },
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } }),
    authorize: permissionsFromCaller,
    now: clock,
    newId: () => `01JGFJJZ00V6RM8DHQ4B0${String(++drawn).padStart(5, '0')}`,
  }
  await seed(createIam({ ...options, store }))
  const iam = createIam({ ...options, store: wrap(store) })
  const { issue } = iam.setupLinks
  // The token is the only answer that is drawn.
  const drawnOnce: typeof issue = (input, context) =>
    issue(input, context).map((issued) =>
      'token' in issued ? { ...issued, token: 'x'.repeat(43) } : issued,
    )
  return { ...iam, setupLinks: { ...iam.setupLinks, issue: drawnOnce } }
}

const isSuffix = (domain: string) => domain === 'co.uk'

/** What the one domain that has published something has published, and another record. */
const textsAt = async (name: string) => {
  if (name !== '_claviger-challenge.published.example')
    throw Object.assign(new Error('nothing'), { code: 'ENOTFOUND' })
  const challenges = Array.from({ length: 100 }, (_, n) => [
    'claviger-domain-verification=',
    `01JGFJJZ00V6RM8DHQ4B0${String(n).padStart(5, '0')}`,
  ])
  return [['v=spf1 -all'], ...challenges]
}

const seed = async (iam: Iam): Promise<void> => {
  const caller = callers['admin']
  const added = [
    await iam.projects.add({ id: 'portal', name: 'Portal' }, { caller }),
    await iam.projects.add({ id: 'portal', name: 'Shop' }, { caller, orgId: 'globex' }),
    await iam.projectRoles.add(
      { projectId: 'portal', roleKey: 'editor', displayName: 'Editor', group: 'content' },
      { caller },
    ),
    await iam.identityProviders.addOidc(
      {
        idpId: IDP_ID,
        name: 'Corporate',
        clientId: 'client-1',
        clientSecret: 'hush',
        issuer: 'https://idp.example.com',
        scopes: ['openid', 'email'],
      },
      { caller },
    ),
  ]
  for (const result of added) if (result.isErr()) throw new Error(result.error.kind)
}

/** What a test of a provider finds, of each verdict. */
export const foundIn = ({ orgId, idpId }: { readonly orgId: string; readonly idpId: string }) => ({
  checks: [
    { name: 'discovery', verdict: 'ok' as const, message: `Read for ${orgId}.` },
    { name: 'scopes', verdict: 'warning' as const, message: 'The provider does not say.' },
    { name: 'secret', verdict: 'failed' as const, message: `${idpId} refuses it.` },
  ],
})

/** Transport options of a host that knows {@link callers}, and what `onError` was told. */
export const transportOptions = () => {
  const failures: { readonly cause: unknown; readonly failure: Failure }[] = []
  const options: TransportOptions = {
    authenticate: (headers) => callers[headers.get('authorization')?.slice('Bearer '.length) ?? ''],
    onError: (cause, failure) => failures.push({ cause, failure }),
    testIdentityProvider: async (provider) => ok(foundIn(provider)),
  }
  return { options, failures }
}
