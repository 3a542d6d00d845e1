import type { Iam } from '../../src/application/iam.js'
import type { HeldRole } from '../../src/ports/access-reads.js'
import type { RecordedEvent } from '../../src/ports/event-store.js'
import type { Chance } from './chance.js'
import { type Command, UNPUBLISHED } from './model.js'

/** What is asked of the library: a command of the model, or a read. */
export interface Operation {
  /** Its name in the log and in the trace. */
  readonly id: string
  readonly command: Command
  readonly isRead: boolean
  readonly consistency: 'strong' | 'eventual'
  /** The same for a caller that tries again after an unknown outcome. */
  readonly idempotencyKey?: string
  /** Asks what would be recorded. */
  readonly isDryRun?: boolean
  /** Asks the live checks of an instance. */
  readonly isLive?: boolean
}

type Methods = readonly [string, ...string[]]

/** Commands and reads of one subject; a method that stands twice is drawn twice as often. */
interface Area {
  readonly writes: Methods
  readonly reads: Methods
  readonly removals: Methods
}

/** Methods of `subject`. */
const of = (subject: string, verbs: string): readonly string[] =>
  verbs.split(' ').map((verb) => `${subject}.${verb}`)

const ACCESS: Methods = ['access.check', ...of('access', 'check rolesOf whoHas')]

const GRANTS: Area = {
  writes: [
    'projects.add',
    ...of('projectRoles', 'add add add remove'),
    ...of('projectGrants', 'add add update deactivate reactivate remove'),
    ...of('userGrants', 'add add update addRoles addRoles removeRoles'),
    ...of('userGrants', 'deactivate reactivate remove'),
    ...of('projects', 'deactivate reactivate'),
  ],
  reads: [...ACCESS, 'projects.get', 'projectRoles.list'],
  removals: ['projects.remove'],
}

const PROVIDERS: Methods = [
  'identityProviders.add',
  ...of('identityProviders', 'deactivate reactivate reactivate'),
]

const GROUPS: Area = {
  writes: [
    ...PROVIDERS,
    ...of('roleMappings', 'add add add update addRoles removeRoles remove'),
    ...of('memberships', 'report report report remove'),
  ],
  reads: ACCESS,
  removals: ['identityProviders.remove'],
}

const SIGN_IN: Area = {
  writes: [
    ...PROVIDERS,
    ...of('domains', 'add add verify verify setProvider setProvider remove'),
    ...of('setupLinks', 'redeem complete revoke'),
  ],
  reads: ['domains.route'],
  removals: ['identityProviders.remove'],
}

/** A seed has some areas alone, so that what happens in one meets often. */
const AREAS: readonly (readonly [Area, ...Area[]])[] = [
  [GRANTS],
  [GRANTS, GROUPS],
  [SIGN_IN],
  [GRANTS, GROUPS, SIGN_IN],
]

const ROLE_KEYS = ['a', 'b', 'c'] as const

/** Every so many operations a link is issued, if links are among them. Those that follow are about it. */
const LINK_EVERY = 15

/** What every run begins with, so that later operations find something. */
const FIRST: readonly Partial<Command>[] = [
  { method: 'projects.add' },
  { method: 'projectRoles.add', roleKey: 'a' },
  { method: 'projectRoles.add', roleKey: 'b' },
  { method: 'projectGrants.add', roleKeys: ['a', 'b'] },
  { method: 'userGrants.add', org: 'globex', userId: 'ann', roleKeys: ['a'] },
  { method: 'userGrants.add', org: 'acme', userId: 'bob', roleKeys: ['a', 'b'] },
  { method: 'identityProviders.add', org: 'globex' },
  { method: 'roleMappings.add', org: 'globex', group: 'f', roleKeys: ['b'] },
  { method: 'memberships.report', org: 'globex', userId: 'bob', groups: ['f'] },
]

/** How many operations are performed one after another, before all others. */
export const FIRST_OPERATIONS = FIRST.length

/** Whether the operations of a seed have dry runs and live checks, which leave less time for others. */
export const hasMore = (seed: number): boolean => seed % 3 === 0

/** An operation, or in its place a dry run or a live check of the same. */
export const varied = (chance: Chance, operation: Operation): Operation => {
  const { command, isRead, idempotencyKey } = operation
  const isLive = command.method === 'access.check' && chance.happens(0.7)
  // What is looked up for a report or a proof may change between a dry run's reads.
  const mayBeDry = !isRead && !idempotencyKey && !/\.(report|verify)$|^setup/.test(command.method)
  const isDryRun = mayBeDry && chance.happens(0.2)
  return { ...operation, ...(isLive && { isLive }), ...(isDryRun && { isDryRun }) }
}

/** Any operation of a seed; few objects, so that most meet what others have done. */
export const operationOf = (chance: Chance, seed: number, number: number): Operation => {
  const found = FIRST[number]
  const areas = AREAS[seed % AREAS.length] ?? [GRANTS]
  const { reads, writes, removals } = chance.pick(areas)
  const isIssue = !found && areas.includes(SIGN_IN) && number % LINK_EVERY === 0
  const isRead = !found && !isIssue && chance.happens(0.5)
  const isRemoval = !isRead && chance.happens(0.005)
  const drawn = chance.pick(isRead ? reads : isRemoval ? removals : writes)
  const method = found?.method ?? (isIssue ? 'setupLinks.issue' : drawn)
  const isOfOrg = !/^(project|setupLinks)/.test(method)
  const first = chance.pick(ROLE_KEYS)
  const second = chance.pick(ROLE_KEYS)
  const mayHaveKey = !isRead && !method.startsWith('setupLinks.')
  return {
    id: `op${number}`,
    isRead,
    consistency: chance.happens(0.7) ? 'strong' : 'eventual',
    ...(mayHaveKey && chance.happens(0.3) && { idempotencyKey: `key${number}` }),
    command: {
      method,
      org: isOfOrg && chance.happens(0.6) ? 'globex' : 'acme',
      projectId: found || chance.happens(0.8) ? 'p' : 'q',
      roleKey: first,
      roleKeys: first === second ? [first] : [first, second],
      userId: chance.pick(['ann', 'bob']),
      idpId: found || chance.happens(0.9) ? 'i' : 'j',
      group: chance.happens(0.7) ? 'f' : 'g',
      groups: chance.pick([['f'], ['f', 'g'], ['g', 'unmapped'], []]),
      domain: chance.happens(0.8) ? 'one.example' : UNPUBLISHED,
      linkId: `link${number - (number % LINK_EVERY)}`,
      ...found,
    },
  }
}

/** Opening or completing a link has no context: what is recorded of it names the link alone. */
export const isByToken = ({ method }: Command): boolean => /\.(redeem|complete)$/.test(method)

/** The operation by a token that has recorded `events`. */
export const operationByToken = ([event]: readonly RecordedEvent[]): Operation | undefined => {
  const method = event && BY_TOKEN.get(event.type)
  if (!method) return undefined
  const linkId = event.metadata.actor.userId.replace('setup-link:', '')
  const command = { method, org: 'acme', projectId: '', linkId } as const
  return { id: `${method} ${linkId}`, command, isRead: false, consistency: 'strong' }
}

const BY_TOKEN: ReadonlyMap<string, string> = new Map([
  ['setup_link.used', 'setupLinks.redeem'],
  ['setup_link.completed', 'setupLinks.complete'],
])

/** What the library answered, as far as it is judged. */
export type Answer =
  | { readonly refused: string; readonly outcome?: string }
  | { readonly changed: boolean; readonly positions: readonly bigint[] }
  | { readonly read: string }
  /** Of a dry run: whether the write would change something. */
  | { readonly planned: boolean }

/** Performs an operation on an instance. @param tokens - of the links that clients have been given, by link */
export const perform = async (
  iam: Iam,
  operation: Operation,
  tokens: Map<string, string> = new Map(),
): Promise<Answer> => {
  const { id, isRead, isDryRun, command, consistency, idempotencyKey } = operation
  const { org, projectId, roleKey = '', roleKeys = [], userId = '', domain = '' } = command
  const { idpId = '', group = '', groups = [], linkId = '' } = command
  const token = tokens.get(linkId)
  if (isByToken(command) && token === undefined) return { refused: 'without a token' }
  const caller = { userId: 'admin', orgId: org }
  const context = isRead
    ? { caller, consistency }
    : {
        ...{ caller, correlationId: id },
        ...(idempotencyKey && { idempotencyKey }),
        // For the compiler all are writes.
        ...(isDryRun && { dryRun: true as false }),
      }
  const project = { projectId }
  const role = { ...project, roleKey }
  const grant = { ...project, grantedOrgId: 'globex' }
  const user = { userId, projectId, projectOrgId: 'acme' }
  const roles = roleKeys.map((key) => ({ roleKey: key }))
  const provider = { name: idpId, clientId: 'c', clientSecret: 's', issuer: 'https://login.test' }
  const mapping = { idpId, group, projectId, projectOrgId: 'acme' }
  const member = { idpId, userId }
  const byToken = { token: token ?? '' }
  const expiresAt = new Date(Date.UTC(2100))
  const calls = {
    'projects.add': () => iam.projects.add({ id: projectId, name: projectId }, context),
    'projects.deactivate': () => iam.projects.deactivate({ id: projectId }, context),
    'projects.reactivate': () => iam.projects.reactivate({ id: projectId }, context),
    'projects.remove': () => iam.projects.remove({ id: projectId }, context),
    'projectRoles.add': () => iam.projectRoles.add({ ...role, displayName: roleKey }, context),
    'projectRoles.remove': () => iam.projectRoles.remove(role, context),
    'projectGrants.add': () => iam.projectGrants.add({ ...grant, roleKeys }, context),
    'projectGrants.update': () => iam.projectGrants.update({ ...grant, roleKeys }, context),
    'projectGrants.deactivate': () => iam.projectGrants.deactivate(grant, context),
    'projectGrants.reactivate': () => iam.projectGrants.reactivate(grant, context),
    'projectGrants.remove': () => iam.projectGrants.remove(grant, context),
    'userGrants.add': () => iam.userGrants.add({ ...user, roles }, context),
    'userGrants.update': () => iam.userGrants.update({ ...user, roles }, context),
    'userGrants.addRoles': () => iam.userGrants.addRoles({ ...user, roles }, context),
    'userGrants.removeRoles': () => iam.userGrants.removeRoles({ ...user, roleKeys }, context),
    'userGrants.deactivate': () => iam.userGrants.deactivate(user, context),
    'userGrants.reactivate': () => iam.userGrants.reactivate(user, context),
    'userGrants.remove': () => iam.userGrants.remove(user, context),
    'identityProviders.add': () => iam.identityProviders.addOidc({ idpId, ...provider }, context),
    'identityProviders.deactivate': () => iam.identityProviders.deactivate({ idpId }, context),
    'identityProviders.reactivate': () => iam.identityProviders.reactivate({ idpId }, context),
    'identityProviders.remove': () => iam.identityProviders.remove({ idpId }, context),
    'roleMappings.add': () => iam.roleMappings.add({ ...mapping, roleKeys }, context),
    'roleMappings.update': () => iam.roleMappings.update({ ...mapping, roleKeys }, context),
    'roleMappings.addRoles': () => iam.roleMappings.addRoles({ ...mapping, roleKeys }, context),
    'roleMappings.removeRoles': () =>
      iam.roleMappings.removeRoles({ ...mapping, roleKeys }, context),
    'roleMappings.remove': () => iam.roleMappings.remove(mapping, context),
    'memberships.report': () => iam.memberships.report({ ...member, groups }, context),
    'memberships.remove': () => iam.memberships.remove(member, context),
    'domains.add': () => iam.domains.add({ domain }, context),
    'domains.verify': () => iam.domains.verify({ domain }, context),
    'domains.setProvider': () => iam.domains.setProvider({ domain, idpId }, context),
    'domains.remove': () => iam.domains.remove({ domain }, context),
    'domains.route': () =>
      iam.domains
        .route({ email: `ann@${domain}` }, { consistency })
        .map((route) => (route ? `${route.orgId} ${route.idpId}` : '')),
    'setupLinks.issue': () =>
      iam.setupLinks.issue({ linkId, expiresAt, intents: ['domain'] }, context).map((issued) => {
        tokens.set(linkId, issued.token)
        return issued
      }),
    'setupLinks.revoke': () => iam.setupLinks.revoke({ linkId }, context),
    'setupLinks.redeem': () =>
      iam.setupLinks.redeem(byToken).map(({ orgId, caller }) => `${orgId} ${caller.userId}`),
    'setupLinks.complete': () => iam.setupLinks.complete(byToken).map((link) => link.linkId),
    'access.check': () =>
      iam.access.check({ ...user, roleKey }, context).map((found) => found.roleKeys.join()),
    'access.rolesOf': () =>
      iam.access.rolesOf({ userId }, context).map(({ items }) => {
        const held = items.filter((item) => item.projectId === projectId)
        return held.map(sourceOf).join()
      }),
    'access.whoHas': () =>
      iam.access.whoHas(role, { ...context, orgId: 'acme' }).map(({ items }) => {
        const held = items.filter((item) => item.userId === userId && item.orgId === org)
        return held.map(sourceOf).join()
      }),
    'projects.get': () => iam.projects.get({ id: projectId }, context).map(({ state }) => state),
    'projectRoles.list': () =>
      iam.projectRoles.list(project, context).map(({ items }) =>
        items
          .map((item) => item.roleKey)
          .sort()
          .join(),
      ),
  }
  const answer = await calls[command.method as keyof typeof calls]()
  if (answer.isErr()) {
    const { kind } = answer.error
    return { refused: kind, ...('outcome' in answer.error && { outcome: answer.error.outcome }) }
  }
  if (typeof answer.value === 'string') return { read: answer.value }
  const { changed, events } = answer.value
  if (isDryRun) return { planned: changed }
  return { changed, positions: events.map(({ position }) => position) }
}

/** `a` by a grant, `a i/f` by a group. */
const sourceOf = ({ roleKey, via }: Pick<HeldRole, 'roleKey' | 'via'>): string =>
  via === 'grant' ? roleKey : `${roleKey} ${via.idpId}/${via.group}`
