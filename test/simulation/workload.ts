import type { AccessCause } from '../../src/application/access/explain-access.js'
import type { DesiredAccess } from '../../src/application/desired-state/declared/desired-access.js'
import type { Counts, Plan } from '../../src/application/desired-state/plan/plan.js'
import type { IamError } from '../../src/application/errors/errors.js'
import type { Iam } from '../../src/application/iam.js'
import type { Impact, Planned } from '../../src/application/method/method.js'
import { fieldOf } from '../../src/domain/values.js'
import type { HeldRole } from '../../src/ports/access-reads.js'
import type { InTransaction, RecordedEvent } from '../../src/ports/event-store.js'
import type { Chance } from './chance.js'
import { type Command, UNPUBLISHED } from './model.js'
import { wayAs } from './rights.js'

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
  /** Writes only if the object is as the caller last saw it. */
  readonly isExpecting?: boolean
  /** Asks the live checks of an instance. */
  readonly isLive?: boolean
  /** How late in the log so far lies the time that is asked about: from 0 to 1. */
  readonly past?: number
  /** The caller gives up after this many milliseconds. */
  readonly patience?: number
  /** Another write of the same object, which is asked for at the same time. */
  readonly rival?: Operation
  /** How long the roles that are given last, in milliseconds. */
  readonly lifetime?: number
  /** A desired state is planned first, and its plan applied a little later. */
  readonly isPlanned?: boolean
  /** Writes a row of the host in the transaction of its events. */
  readonly hasRow?: boolean
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
export const varied = (
  chance: Chance,
  operation: Operation,
  { hasLiveChecks }: { readonly hasLiveChecks: boolean },
): Operation => {
  const { command, isRead, idempotencyKey } = operation
  const isLive = hasLiveChecks && command.method === 'access.check' && chance.happens(0.7)
  // What is looked up for a report or a proof may change between a dry run's reads.
  const mayBeDry = !isRead && !idempotencyKey && !/\.(report|verify)$|^setup/.test(command.method)
  const isDryRun = mayBeDry && chance.happens(0.2)
  const isExpecting = /(update|activate|Roles)$/.test(command.method) && chance.happens(0.5)
  return {
    ...operation,
    ...(isLive && { isLive }),
    ...(isDryRun && { isDryRun }),
    ...(isExpecting && !isDryRun && { isExpecting }),
  }
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

/** The objects that an append has changed, each with its last event. @param name - the only one, except of a desired state */
export const namesIn = (
  events: readonly RecordedEvent[],
  name: string,
): readonly (readonly [name: string, position: bigint])[] =>
  events.map(({ type, data, metadata, position }) => {
    const own = String(fieldOf(data, 'projectId'))
    const isOf = (subject: string) => metadata.managedBy !== undefined && type.startsWith(subject)
    if (isOf('project_role.')) return [`role ${own} ${fieldOf(data, 'roleKey')}`, position]
    return [isOf('project_grant.') ? `grant ${own}` : name, position]
  })

const BY_TOKEN: ReadonlyMap<string, string> = new Map([
  ['setup_link.used', 'setupLinks.redeem'],
  ['setup_link.completed', 'setupLinks.complete'],
])

/** What the library answered, as far as it is judged. */
export type Answer =
  | { readonly refused: string; readonly outcome?: string }
  | { readonly changed: boolean; readonly positions: readonly bigint[] }
  | { readonly read: string }
  /** Of a dry run: whether the write would change something, the roles of its object that would, and of users. */
  | { readonly planned: boolean; readonly roles?: string; readonly impact?: string }

/** What a call has besides its operation. */
export interface Given {
  /** Of the links that clients have been given, by link. */
  readonly tokens?: Map<string, string>
  /** Of the object, as the caller last saw it. */
  readonly expectedSequence?: bigint | undefined
  /** The time that is asked about, if it is past. */
  readonly at?: Date | undefined
  readonly signal?: AbortSignal | undefined
  readonly inTransaction?: InTransaction | undefined
  /** Lets time go by between a plan and its application. */
  readonly pause?: () => Promise<void>
  /** Takes what an explanation rests on. */
  readonly onCauses?: (causes: readonly AccessCause[]) => void
}

/** Performs an operation on an instance. */
export const perform = async (
  iam: Iam,
  operation: Operation,
  { tokens = new Map(), expectedSequence, at, signal, inTransaction, ...given }: Given = {},
): Promise<Answer> => {
  const { id, isRead, isDryRun, command, consistency, idempotencyKey } = operation
  const { org, projectId, roleKey = '', roleKeys = [], userId = '', domain = '' } = command
  const { idpId = '', group = '', groups = [], linkId = '', resource, expiresAt } = command
  const token = tokens.get(linkId)
  if (isByToken(command) && token === undefined) return { refused: 'without a token' }
  const caller = { userId: 'admin', orgId: org }
  const context = isRead
    ? { caller, consistency, signal }
    : {
        ...{ caller, correlationId: id, signal, inTransaction },
        ...(idempotencyKey && { idempotencyKey }),
        ...(expectedSequence !== undefined && { expectedSequence }),
        // For the compiler all are writes.
        ...(isDryRun && { dryRun: true as false }),
      }
  const project = { projectId }
  const role = { ...project, roleKey }
  const grant = { ...project, grantedOrgId: 'globex' }
  const on = { ...(resource !== undefined && { resource }) }
  const then = { ...(at && { at }) }
  const user = { userId, projectId, projectOrgId: 'acme', ...on }
  const expiring = { ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }) }
  const roles = roleKeys.map((key) => ({ roleKey: key, ...expiring }))
  const provider = { name: idpId, clientId: 'c', clientSecret: 's', issuer: 'https://login.test' }
  const mapping = { idpId, group, projectId, projectOrgId: 'acme', ...on }
  const member = { idpId, userId }
  const link = { linkId, expiresAt: new Date(Date.UTC(2100)), intents: ['domain' as const] }
  const byToken = { token: token ?? '' }
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
      iam.setupLinks.issue(link, context).map((issued) => {
        tokens.set(linkId, issued.token)
        return issued
      }),
    'setupLinks.revoke': () => iam.setupLinks.revoke({ linkId }, context),
    'setupLinks.redeem': () =>
      iam.setupLinks.redeem(byToken).map(({ orgId, caller }) => `${orgId} ${caller.userId}`),
    'setupLinks.complete': () => iam.setupLinks.complete(byToken).map((link) => link.linkId),
    'access.check': () =>
      iam.access
        .check({ ...user, roleKey, ...then }, context)
        .map((found) => found.roleKeys.join()),
    'access.explain': () =>
      iam.access.explain({ ...user, roleKey, ...then }, context).map(({ allowed, because }) => {
        given.onCauses?.(because)
        return String(allowed)
      }),
    'access.rolesOf': () =>
      iam.access.rolesOf({ userId, ...on, ...then }, context).map(({ items }) => {
        const held = items.filter((item) => item.projectId === projectId)
        return held.map(sourceOf).sort().join()
      }),
    'access.whoHas': () =>
      iam.access
        .whoHas({ ...role, ...on, ...then }, { ...context, orgId: 'acme' })
        .map(({ items }) => {
          const held = items.filter((item) => item.userId === userId && item.orgId === org)
          return held.map(sourceOf).sort().join()
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
  if (command.desired) return performDesired(iam, operation, { ...given, signal })
  const answer = await calls[command.method as keyof typeof calls]()
  if (answer.isErr()) return refusedAs(answer.error)
  if (typeof answer.value === 'string') return { read: answer.value }
  if (isDryRun) return dryAnswer(answer.value)
  const { changed, events } = answer.value
  return { changed, positions: events.map(({ position }) => position) }
}

/** Applies a desired state, at once or by a plan. A dry run plans it. */
const performDesired = async (
  iam: Iam,
  { id, command: { org, projectId, desired }, isDryRun, isPlanned }: Operation,
  { signal, pause }: Given,
): Promise<Answer> => {
  const context = { caller: { userId: 'admin', orgId: org }, signal }
  const { roleKeys = [], granted = [], protect = false } = desired ?? {}
  const access = {
    ...{ managedBy: 'ops', prune: true, protect },
    projects: [
      {
        ...{ id: projectId, name: projectId },
        roles: roleKeys.map((roleKey) => ({ roleKey, displayName: roleKey })),
        grants: granted.length > 0 ? [{ grantedOrgId: 'globex', roleKeys: granted }] : [],
      },
    ],
  }
  const changes = ({ add, update, remove }: Counts): boolean => add + update + remove > 0
  let given: DesiredAccess | Plan = access
  if (isDryRun || isPlanned) {
    const planned = await iam.plan(access, context)
    if (planned.isErr()) return refusedAs(planned.error)
    if (isDryRun) return { planned: changes(planned.value.counts) }
    given = planned.value
    await pause?.()
  }
  const applied = await iam.apply(given, { ...context, correlationId: id })
  if (applied.isErr()) return refusedAs(applied.error)
  return { changed: changes(applied.value.counts), positions: [] }
}

const refusedAs = (error: IamError): Answer => ({
  refused: error.kind,
  ...('outcome' in error && { outcome: error.outcome }),
})

/** What a dry run would change, as the model writes it. For the compiler it may be the outcome of a write. */
const dryAnswer = (planned: Partial<Planned>): Answer => {
  const { changed = false, changes = [], impact } = planned
  const signs = changes.flatMap(({ field, ...change }) => {
    if (!field.startsWith('roles.') || 'changed' in change) return []
    const sign = change.from === undefined ? '+' : change.to === undefined ? '-' : '~'
    return [[field.slice('roles.'.length), sign] as const]
  })
  const roles = signs
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([roleKey, sign]) => `${sign}${roleKey}`)
  const affected = (sign: string, { count, first }: Impact['loses']) => {
    const named = first.map(({ orgId, userId, roleKey, resource }) => {
      const on = resource === undefined ? roleKey : `${roleKey}@${resource}`
      return `${sign}${orgId} ${userId} ${on}`
    })
    return [...named, ...(count > first.length ? [`${sign}${count}`] : [])].sort()
  }
  const { loses, gains } = impact ?? { loses: NOBODY, gains: NOBODY }
  const affecting = [...affected('-', loses), ...affected('+', gains)].join()
  return { planned: changed, roles: roles.join(), impact: affecting }
}

const NOBODY = { count: 0, first: [] }

/** `a` by a grant, `a i/f` by a group, `a@r` on a resource. */
const sourceOf = ({
  roleKey,
  resource,
  via,
}: Pick<HeldRole, 'roleKey' | 'resource' | 'via'>): string =>
  wayAs({ roleKey, resource, ...(via !== 'grant' && { via: `${via.idpId}/${via.group}` }) })
