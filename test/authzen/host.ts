import {
  aesGcmCipher,
  type Caller,
  createIam,
  type Iam,
  memoryEventStore,
  orThrow,
  type Permission,
  permissionsFromCaller,
} from 'claviger'
import { type AuthZenOptions, authZenHandler } from 'claviger/authzen'
import { fixedClock } from 'claviger/testing'

const ALL: readonly Permission[] = [
  'project.read',
  'project.write',
  'project.role.read',
  'project.role.write',
  'project.grant.read',
  'project.grant.write',
  'user.grant.read',
  'user.grant.write',
  'identity_provider.write',
  'role_mapping.write',
  'membership.write',
]

/** Who may ask, by the token that stands for them. */
export const callers = {
  admin: {
    userId: 'gateway',
    orgId: 'acme',
    permissions: ALL,
    permissionsIn: { globex: ALL },
  },
  guest: { userId: 'guest', orgId: 'acme', permissions: [] },
  globex: { userId: 'other', orgId: 'globex', permissions: ALL },
} as const satisfies Readonly<Record<string, Caller>>

const isCaller = (token: string): token is keyof typeof callers => Object.hasOwn(callers, token)

/** By the token of the request. */
export const authenticate: AuthZenOptions['authenticate'] = (headers) => {
  const token = headers.get('authorization')?.replace('Bearer ', '') ?? ''
  return isCaller(token) ? callers[token] : undefined
}

export const IDENTIFIER = 'https://pdp.example.com'

/** An empty library, and the clock of its log. */
export const openIam = () => {
  const clock = fixedClock('2026-02-03T04:05:06Z')
  const iam = createIam({
    store: memoryEventStore({ now: clock }),
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } }),
    authorize: permissionsFromCaller,
    now: clock,
  })
  return { iam, clock }
}

/** Adds a project with roles, each with its permissions. */
export const addProject = async (
  iam: Iam,
  projectId: string,
  roles: Readonly<Record<string, readonly string[]>>,
  orgId = 'acme',
): Promise<void> => {
  const context = { caller: callers.admin, orgId }
  await orThrow(iam.projects.add({ id: projectId, name: projectId }, context))
  for (const [roleKey, permissions] of Object.entries(roles))
    await orThrow(
      iam.projectRoles.add({ projectId, roleKey, displayName: roleKey, permissions }, context),
    )
}

/** The subjects and resources of the scenario, section 1: a record is a project. */
export const scenario = async (): Promise<Iam> => {
  const { iam } = openIam()
  const context = { caller: callers.admin }
  for (const projectId of ['record-1', 'record-2'])
    await addProject(iam, projectId, { editor: ['read', 'write'], reader: ['read'] })
  for (const [userId, roleKey] of [
    ['alice', 'editor'],
    ['bob', 'reader'],
  ] as const)
    await orThrow(
      iam.userGrants.add({ userId, projectId: 'record-1', roles: [{ roleKey }] }, context),
    )
  return iam
}

/** Records are the projects whose ids say so. */
export const RECORDS: AuthZenOptions['resources'] = {
  record: {
    project: (id) => (id.startsWith('record-') ? { projectId: id } : undefined),
    id: ({ projectId }) => (projectId.startsWith('record-') ? projectId : undefined),
  },
}

/** What a request may differ in. */
export interface Asked {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of a handler: asks, and reads the answer. */
export const clientOf = (iam: Iam, options: Partial<AuthZenOptions> = {}) => {
  const handler = authZenHandler(iam, { authenticate, identifier: IDENTIFIER, ...options })
  const send = (path: string, body?: unknown, { method, token = 'admin', headers }: Asked = {}) =>
    handler(
      new Request(`${IDENTIFIER}${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body !== undefined && {
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      }),
    )
  /** The status and, of an answer, the body. */
  const ask = async (path: string, body: unknown, asked?: Asked) => {
    const response = await send(path, body, asked)
    return { status: response.status, body: response.ok ? await response.json() : undefined }
  }
  return { handler, send, ask }
}
