import {
  aesGcmCipher,
  type Caller,
  createIam,
  type EventStore,
  type Iam,
  memoryEventStore,
  orThrow,
  permissionsFromCaller,
} from 'claviger'
import {
  type FoundScimUser,
  memoryScimRecords,
  type ScimOptions,
  type ScimPlace,
  type ScimUser,
  scimHandler,
} from 'claviger/scim'

/** What a provider's caller needs, and no more. */
const DIRECTORY = [
  'membership.read',
  'membership.write',
  'user.grant.read',
  'user.grant.write',
  'role_mapping.read',
] as const

/** An admin of both organizations. */
const ALL = [
  ...DIRECTORY,
  'role_mapping.write',
  'identity_provider.write',
  'project.write',
  'project.role.write',
] as const

export const admin = (orgId = 'acme'): Caller => ({ userId: 'admin', orgId, permissions: ALL })

/** A library with a project, its role, a provider in each organization, and a second one in `acme`. */
export const openHost = async (store: EventStore = memoryEventStore()) => {
  /** Another process on a store. */
  const open = (on: EventStore): Iam =>
    createIam({
      store: on,
      secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } }),
      authorize: permissionsFromCaller,
    })
  const iam = open(store)
  const places: Record<string, ScimPlace> = {}
  for (const [token, orgId] of [
    ['entra', 'acme'],
    ['okta', 'acme'],
    ['globex', 'globex'],
  ] as const) {
    const context = { caller: admin(orgId) }
    const { idpId } = await orThrow(
      iam.identityProviders.addOidc(
        { name: token, issuer: 'https://idp.example', clientId: 'c', clientSecret: 's' },
        context,
      ),
    )
    const caller = { userId: `scim-${token}`, orgId, permissions: DIRECTORY }
    places[token] = { orgId, idpId, caller }
  }
  for (const orgId of ['acme', 'globex']) {
    const context = { caller: admin(orgId) }
    await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, context))
    for (const roleKey of ['accountant', 'auditor'])
      await orThrow(
        iam.projectRoles.add({ projectId: 'invoicing', roleKey, displayName: roleKey }, context),
      )
  }
  const place = (token: string): ScimPlace => {
    const found = places[token]
    if (!found) throw new Error(token)
    return found
  }
  /** Gives the members of a group a role. */
  const map = (group: string, roleKey = 'accountant', token = 'entra', validFor?: number) => {
    const { orgId, idpId } = place(token)
    const mapping = { idpId, group, projectId: 'invoicing', roleKeys: [roleKey], validFor }
    return orThrow(iam.roleMappings.add(mapping, { caller: admin(orgId) }))
  }
  /** Whether a user has a role. */
  const has = async (userId: string, roleKey = 'accountant', orgId = 'acme'): Promise<boolean> => {
    const question = { userId, projectId: 'invoicing', roleKey }
    return (await orThrow(iam.access.check(question, { caller: admin(orgId) }))).allowed
  }
  return { iam, open, place, map, has }
}

/** The users of an application, each in one organization. */
export const userTable = (names: readonly string[] = [], orgId = 'acme') => {
  const rows = new Map<string, FoundScimUser & { readonly orgId: string }>()
  const add = (user: ScimUser, org = orgId, id = `u-${rows.size + 1}`): FoundScimUser => {
    const row = { ...user, id, orgId: org }
    rows.set(id, row)
    return shown(row)
  }
  const shown = ({ orgId: _, ...user }: FoundScimUser & { readonly orgId: string }) => user
  for (const name of names) add({ userName: name }, orgId, name)
  const users = {
    find: async (by: { userName?: string; externalId?: string }, place: ScimPlace) => {
      const found = [...rows.values()].find(
        (row) =>
          row.orgId === place.orgId &&
          (by.userName === undefined || row.userName.toLowerCase() === by.userName.toLowerCase()) &&
          (by.externalId === undefined || row.externalId === by.externalId),
      )
      return found && shown(found)
    },
    get: async (id: string, place: ScimPlace) => {
      const row = rows.get(id)
      return row?.orgId === place.orgId ? shown(row) : undefined
    },
    create: async (user: ScimUser, place: ScimPlace) => add(user, place.orgId),
    update: async (id: string, user: ScimUser, place: ScimPlace) => {
      rows.set(id, { ...user, id, orgId: place.orgId })
    },
  }
  return { rows, users, add }
}

/** A request, and what its response must have. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A client with the token of a provider. */
export const clientOf = (
  iam: Iam,
  place: (token: string) => ScimPlace,
  options: Pick<ScimOptions, 'users'> & Partial<ScimOptions>,
) => {
  const handler = scimHandler(iam, {
    authenticate: (headers) => {
      const token = headers.get('authorization')?.replace('Bearer ', '') ?? ''
      return ['entra', 'okta', 'globex'].includes(token) ? place(token) : undefined
    },
    records: memoryScimRecords(),
    basePath: '/scim/v2',
    ...options,
  })
  const send = async (exchange: Exchange, token = 'entra') => {
    const { method, path, body, headers } = exchange
    const response = await handler(
      new Request(`https://app.example/scim/v2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: bodies of responses, for tests alone
    const json: any = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, body: json }
  }
  return { handler, send }
}

export const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

export const patchOf = (...Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

/** The names of members in operations. */
export const members = (...ids: readonly string[]) => ids.map((value) => ({ value }))
