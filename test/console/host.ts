import {
  aesGcmCipher,
  type Caller,
  type Context,
  createIam,
  type Iam,
  memoryEventStore,
  orThrow,
  type Permission,
  type PermissionQuestion,
  permissionsFromCaller,
} from 'claviger'
import { type ConsoleOptions, consoleHandler } from 'claviger/console'
import { ok } from 'neverthrow'
import { served } from './served.ts'

const ALL: readonly Permission[] = [
  'project.read',
  'project.write',
  'project.role.read',
  'desired_state.write',
  'project.role.write',
  'project.grant.read',
  'project.grant.write',
  'user.grant.read',
  'user.grant.write',
  'identity_provider.read',
  'identity_provider.write',
  'domain.read',
  'domain.write',
  'setup_link.read',
  'setup_link.write',
  'event.read',
  'role_mapping.read',
  'role_mapping.write',
  'membership.read',
  'membership.write',
]

const isReading = (permission: Permission) => permission.endsWith('.read')

/** Petra may change one project, and no other. */
const isForPortal = ({ caller, permission, object }: PermissionQuestion) =>
  caller.userId === 'petra' &&
  permission === 'project.write' &&
  object?.type === 'project' &&
  object.id === 'portal'

/** Susan of support may see every organization. */
const isOfSupport = ({ caller, permission }: PermissionQuestion) =>
  caller.userId === 'susan' && isReading(permission)

/** What a test of any provider finds. */
const CHECKS = [
  { name: 'discovery', verdict: 'ok', message: 'The discovery document was read.' },
  {
    name: 'scopes',
    verdict: 'warning',
    message: 'The discovery document does not list the scopes.',
  },
  { name: 'secret', verdict: 'failed', message: 'The provider rejects client id or secret.' },
] as const

const admin = (orgId: string): Caller => ({ userId: 'olivia', orgId, permissions: ALL })

/** The TXT records that DNS has at every name. */
export const published: string[][] = []

/** Names that a page must show as text. */
export const HOSTILE = [`<script>window.hacked=1</script>`, '😀'.repeat(200), 'مدير النظام']

/** An organization as a customer has it, one with hostile names, and a console for them. */
export const openHost = async (
  basePath: string,
  options: Partial<ConsoleOptions> = {},
  fillMore: (iam: Iam, context: Context) => Promise<void> = async () => {},
) => {
  const store = memoryEventStore()
  const iam = createIam({
    store,
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: (question) =>
      permissionsFromCaller(question) || isForPortal(question) || isOfSupport(question),
    domains: { isPublicSuffix: () => false, resolveTxt: async () => published },
  })
  await fill(iam)
  await fillMore(iam, context())
  const callers = new Map<string, Caller>([
    ['admin', admin('acme')],
    ['reader', { ...admin('acme'), userId: 'rita', permissions: ALL.filter(isReading) }],
    ['petra', { ...admin('acme'), userId: 'petra', permissions: ALL.filter(isReading) }],
    ['support', { ...admin('acme'), userId: 'susan', permissions: ALL.filter(isReading) }],
    ['nobody', { userId: 'nils', orgId: 'acme', permissions: [] }],
    ['globex', admin('globex')],
  ])
  const handler = consoleHandler(iam, {
    basePath,
    areas: ['projects', 'users', 'review', 'signIn', 'timeline', 'plan'],
    ...options,
    testIdentityProvider: async () => ok({ checks: [...CHECKS] }),
    authenticate: (headers) =>
      callers.get(/who=(\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? 'admin'),
  })
  const { origin, close } = await served((request, response) => handler(request, response))
  /** How far the log has come. */
  const head = async () => (await store.readAll(0n, 100_000)).at(-1)?.position
  return { iam, head, handler, origin, close }
}

export const context = (orgId = 'acme') => ({ caller: admin(orgId) })

const fill = async (iam: Iam): Promise<void> => {
  const acme = context()
  await orThrow(iam.projects.add({ id: 'portal', name: 'Customer portal' }, acme))
  await orThrow(iam.projects.add({ id: 'billing', name: 'Billing', projectRoleCheck: true }, acme))
  const roles = [
    { roleKey: 'viewer', displayName: 'Viewer', group: 'content' },
    { roleKey: 'editor', displayName: 'Editor', group: 'content' },
    { roleKey: 'billing/admin', displayName: 'Billing administrator', group: 'finance' },
  ]
  await orThrow(iam.projectRoles.addMany({ projectId: 'portal', roles }, acme))
  await orThrow(iam.domains.add({ domain: 'acme.example' }, acme))
  await orThrow(
    iam.projectGrants.add(
      { projectId: 'portal', grantedOrgId: 'globex', roleKeys: ['viewer'] },
      acme,
    ),
  )
  for (const [userId, roleKeys] of [
    ['anna', ['viewer', 'editor']],
    ['ben', ['viewer']],
    ['carla', ['editor', 'billing/admin']],
  ] as const)
    await orThrow(
      iam.userGrants.add(
        {
          userId,
          projectId: 'portal',
          roles: roleKeys.map((roleKey) =>
            roleKey === 'viewer'
              ? { roleKey }
              : { roleKey, expiresAt: new Date('2099-01-31T00:00:00Z') },
          ),
        },
        acme,
      ),
    )
  await orThrow(iam.userGrants.deactivate({ userId: 'ben', projectId: 'portal' }, acme))
  await orThrow(
    iam.identityProviders.addOidc(
      {
        idpId: 'google',
        name: 'Google',
        issuer: 'https://accounts.google.com',
        clientId: 'portal.apps.example.com',
        clientSecret: 'a-secret-that-never-shows',
        scopes: ['openid', 'email'],
      },
      acme,
    ),
  )
  await orThrow(iam.projects.patch({ id: 'portal', name: 'Portal' }, acme))
  for (const [index, name] of HOSTILE.entries())
    await orThrow(iam.projects.add({ id: `h${index}`, name }, context('globex')))
}
