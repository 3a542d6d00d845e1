import {
  aesGcmCipher,
  type Caller,
  createIam,
  memoryEventStore,
  orThrow,
  PERMISSIONS,
  permissionsFromCaller,
} from 'claviger'
import { type ConsoleOptions, consoleHandler, german } from 'claviger/console'
import { memoryScimRecords, scimHandler, scimTokens } from 'claviger/scim'
import { served } from './served.js'

const callerOf = (userId: string, permissions: readonly string[], orgId = 'acme'): Caller => ({
  userId,
  orgId,
  // Cast: all of them are permissions.
  permissions: permissions as Caller['permissions'] & object,
})

/** Callers by the cookie `who`. */
const CALLERS: Readonly<Record<string, Caller>> = {
  admin: callerOf('olivia', PERMISSIONS),
  reader: callerOf(
    'rita',
    PERMISSIONS.filter((each) => each.endsWith('.read')),
  ),
  nobody: callerOf('nils', []),
  globex: callerOf('gus', PERMISSIONS, 'globex'),
}

/** A host with a console at `/admin`, links at `/set-up`, and SCIM at `/scim/v2`. */
export const openScimHost = async (options: Partial<ConsoleOptions> = {}) => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
  })
  const client = { issuer: 'https://idp.example', clientId: 'c', clientSecret: 's' }
  for (const [idpId, orgId] of [
    ['entra', 'acme'],
    ['okta', 'acme'],
    ['other', 'globex'],
  ] as const)
    await orThrow(
      iam.identityProviders.addOidc(
        { idpId, name: idpId, ...client },
        { caller: callerOf('olivia', PERMISSIONS, orgId) },
      ),
    )
  const records = memoryScimRecords()
  const tokens = scimTokens(iam, {
    records,
    placeOf: ({ orgId, idpId }) => ({ orgId, idpId, caller: callerOf('scim', PERMISSIONS, orgId) }),
  })
  const { authenticate, onRefused } = tokens
  const users = { find: () => undefined, get: () => undefined }
  const scim = scimHandler(iam, { authenticate, onRefused, users, records, basePath: '/scim/v2' })
  const console = consoleHandler(iam, {
    basePath: '/admin',
    authenticate: (headers) =>
      CALLERS[/who=(\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? 'admin'],
    setUp: { path: '/set-up' },
    scim: { url: 'https://app.example/scim/v2', tokens },
    messages: { de: german },
    ...options,
  })
  const { origin, close } = await served((request, response) =>
    request.url?.startsWith('/scim/') ? scim(request, response) : console(request, response),
  )
  /** What a directory sends. */
  const push = async (token: string, method: string, path: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = method === 'GET' ? null : '{}'
    return (await fetch(`${origin}/scim/v2${path}`, { method, headers, body })).status
  }
  const admin = { caller: callerOf('olivia', PERMISSIONS) }
  return { iam, tokens, console, origin, close, push, admin, client }
}
