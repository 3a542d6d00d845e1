import type { Iam } from '../../src/application/iam.js'
import type { Chance } from './chance.js'
import type { Command, Org } from './model.js'

/** What is asked of the library: a command of the model, or a read. */
export interface Operation {
  /** Its name in the log and in the trace. */
  readonly id: string
  readonly command: Command
  readonly isRead: boolean
  readonly consistency: 'strong' | 'eventual'
  /** The same for a caller that tries again after an unknown outcome. */
  readonly idempotencyKey?: string
}

const WRITES = [
  'projects.add',
  'projectRoles.add',
  'projectRoles.add',
  'projectRoles.add',
  'projectRoles.remove',
  'projectGrants.add',
  'projectGrants.add',
  'projectGrants.update',
  'projectGrants.deactivate',
  'projectGrants.reactivate',
  'projectGrants.remove',
  'userGrants.add',
  'userGrants.add',
  'userGrants.addRoles',
  'userGrants.update',
  'userGrants.addRoles',
  'userGrants.removeRoles',
  'userGrants.deactivate',
  'userGrants.reactivate',
  'userGrants.remove',
  'projects.deactivate',
  'projects.reactivate',
] as const

const READS = [
  'access.check',
  'access.check',
  'access.rolesOf',
  'access.whoHas',
  'projects.get',
  'projectRoles.list',
] as const

const ROLE_KEYS = ['a', 'b', 'c'] as const

/** What every run begins with, so that later operations find something. */
const FIRST: readonly Partial<Command>[] = [
  { method: 'projects.add' },
  { method: 'projectRoles.add', roleKey: 'a' },
  { method: 'projectRoles.add', roleKey: 'b' },
  { method: 'projectGrants.add', roleKeys: ['a', 'b'] },
  { method: 'userGrants.add', org: 'globex', userId: 'ann', roleKeys: ['a'] },
  { method: 'userGrants.add', org: 'acme', userId: 'bob', roleKeys: ['a', 'b'] },
]

/** How many operations are performed one after another, before all others. */
export const FIRST_OPERATIONS = FIRST.length

/** Any operation; few objects, so that most meet what others have done. */
export const operationOf = (chance: Chance, number: number): Operation => {
  const found = FIRST[number]
  const isRead = !found && chance.happens(0.5)
  const isRemoval = !isRead && chance.happens(0.005)
  const drawn = isRead ? chance.pick(READS) : isRemoval ? 'projects.remove' : chance.pick(WRITES)
  const method = found?.method ?? drawn
  const org: Org = /^(userGrants|access)/.test(method) ? chance.pick(['acme', 'globex']) : 'acme'
  const first = chance.pick(ROLE_KEYS)
  const second = chance.pick(ROLE_KEYS)
  return {
    id: `op${number}`,
    isRead,
    consistency: chance.happens(0.7) ? 'strong' : 'eventual',
    ...(!isRead && chance.happens(0.3) && { idempotencyKey: `key${number}` }),
    command: {
      method,
      org,
      projectId: found || chance.happens(0.8) ? 'p' : 'q',
      roleKey: first,
      roleKeys: first === second ? [first] : [first, second],
      userId: chance.pick(['ann', 'bob']),
      ...found,
    },
  }
}

/** What the library answered, as far as it is judged. */
export type Answer =
  | { readonly refused: string; readonly outcome?: string }
  | { readonly changed: boolean; readonly positions: readonly bigint[] }
  | { readonly read: string }

/** Performs an operation on an instance. */
export const perform = async (iam: Iam, operation: Operation): Promise<Answer> => {
  const { id, isRead, command, consistency, idempotencyKey } = operation
  const { org, projectId, roleKey = '', roleKeys = [], userId = '' } = command
  const caller = { userId: 'admin', orgId: org }
  const context = isRead
    ? { caller, consistency }
    : { caller, correlationId: id, ...(idempotencyKey && { idempotencyKey }) }
  const project = { projectId }
  const role = { ...project, roleKey }
  const grant = { ...project, grantedOrgId: 'globex' }
  const user = { userId, projectId, projectOrgId: 'acme' }
  const roles = roleKeys.map((key) => ({ roleKey: key }))
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
    'access.check': () =>
      iam.access.check({ ...user, roleKey }, context).map((found) => found.roleKeys.join()),
    'access.rolesOf': () =>
      iam.access.rolesOf({ userId }, context).map(({ items }) => {
        const held = items.filter((item) => item.projectId === projectId)
        return held.map((item) => item.roleKey).join()
      }),
    'access.whoHas': () =>
      iam.access
        .whoHas(role, { ...context, orgId: 'acme' })
        .map(({ items }) =>
          String(items.some((item) => item.userId === userId && item.orgId === org)),
        ),
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
  return { changed, positions: events.map(({ position }) => position) }
}
