import { isDeepStrictEqual } from 'node:util'
import { judgeAccess } from '../../../src/application/grant-rules/judge-access.js'
import {
  memoryReadModel,
  type Position,
  type ReadModel,
  type RecordedEvent,
} from '../../../src/index.js'
import type {
  HeldRole,
  Holder,
  RoleOfUser,
  UserRoles,
  UsersQuery,
} from '../../../src/ports/access-reads.js'
import type { EventRestore } from '../../../src/ports/event-store.js'
import type { ViewType } from '../../../src/ports/read-model.js'
import { presentAccess } from '../../../src/projections/present-access.js'
import { isOfObject, readEvents } from '../../../src/projections/read-events.js'
import { keyOfHeldRole, keyOfHolder } from '../../../src/projections/row-order.js'
import { identityField } from '../../../src/projections/rows.js'
import {
  GROUPS,
  ORGS,
  PERMISSIONS,
  PROJECTS,
  PROVIDERS,
  RESOURCES,
  ROLES,
  USERS,
} from '../../application/access/any-history.js'

/** A read model that has applied a log. */
export interface Fed {
  readonly name: string
  readonly model: ReadModel
}

/** Restores `log` into an empty database, and applies it in batches of `size`. */
export const restored = async (
  { store, readModel }: { readonly store: EventRestore; readonly readModel: ReadModel },
  log: readonly RecordedEvent[],
  size: number,
): Promise<ReadModel> => {
  await store.restore(log)
  await feed(readModel, log, size)
  return readModel
}

/** Applies the events of `log` that `model` lacks, in batches of `size`. */
export const feed = async (
  model: ReadModel,
  log: readonly RecordedEvent[],
  size: number,
): Promise<void> => {
  let from = await model.checkpoint()
  const left = log.filter(({ position }) => position > from)
  for (let start = 0; start < left.length; start += size) {
    const batch = left.slice(start, start + size)
    await model.apply(from, batch)
    from = batch.at(-1)?.position ?? from
  }
}

type Ask = (question: string, answer: () => Promise<unknown>) => Promise<void>

/** A question, and its answer. */
type Answers = ReadonlyMap<string, unknown>

const everyAccess = ORGS.flatMap((orgId) =>
  ORGS.flatMap((projectOrgId) =>
    PROJECTS.flatMap((projectId) =>
      USERS.flatMap((userId) => {
        const whole = { orgId, projectOrgId, projectId, userId }
        return [whole, ...RESOURCES.map((resource) => ({ ...whole, resource }))]
      }),
    ),
  ),
)

const LISTED: readonly ViewType[] = ['user_grant', 'role_mapping', 'membership']

/** Everything that `model` says of the present, and of the past at some positions. */
const answersOf = async (
  model: ReadModel,
  log: readonly RecordedEvent[],
  now: Date,
  moments: readonly Position[],
  isAsked = () => true,
): Promise<Answers> => {
  const answers = new Map<string, unknown>()
  const ask: Ask = async (question, answer) => {
    if (isAsked()) answers.set(question, await answer())
  }
  for (const ids of everyAccess) await ask(`access ${JSON.stringify(ids)}`, () => model.access(ids))
  for (const at of [undefined, ...moments]) await askOf(model, ask, now, at)
  for (const orgId of ORGS) {
    await ask(`history ${orgId}`, () => model.history({ orgId, after: 0n, limit: 1000 }))
    for (const idpId of PROVIDERS)
      await ask(`mapped groups ${orgId} ${idpId}`, () =>
        model
          .mappedGroups({ orgId, idpId, groups: GROUPS })
          .then((groups) => groups.map((group) => JSON.stringify(group, text)).sort()),
      )
    for (const type of LISTED)
      for (const limit of [2, 100])
        await ask(`list ${type} ${orgId} ${limit}`, () =>
          model.list({ type, orgId, conditions: [], sort: sortOf(type), limit }),
        )
    const received = { type: 'project_grant', orgId, isReceived: true, conditions: [] } as const
    const sort = ['projectOrgId', 'projectId'].map(
      (field) => ({ field, direction: 'asc' }) as const,
    )
    await ask(`received ${orgId}`, () => model.list({ ...received, sort, limit: 100 }))
    for (const projectId of PROJECTS)
      for (const type of ['project_role', 'project_grant'] as const)
        await ask(`list ${type} ${orgId} ${projectId}`, () =>
          model.list({ type, orgId, projectId, conditions: [], sort: sortOf(type), limit: 100 }),
        )
    for (const type of ['user_grant', 'role_mapping'] as const)
      for (const [value, ignoreCase] of [
        ['', false],
        ['ws:1', false],
        ['WS%2b+1, 2', true],
      ] as const)
        await ask(`list ${type} ${orgId} on ${value}`, () =>
          model.list({
            type,
            orgId,
            conditions: [{ field: 'resource', operator: 'equals', value, ignoreCase }],
            sort: sortOf(type),
            limit: 100,
          }),
        )
    for (const roleKey of ROLES)
      await ask(`list by ${roleKey} ${orgId}`, () =>
        model.list({
          type: 'user_grant',
          orgId,
          conditions: [{ field: 'roleKey', operator: 'equals', value: roleKey, ignoreCase: false }],
          sort: sortOf('user_grant'),
          limit: 100,
        }),
      )
  }
  const at = log.at(-1)?.position ?? 0n
  for (const asIfActive of [undefined, true] as const) {
    const moment = { at, now, limit: 3, ...(asIfActive && { asIfActive }) }
    for (const orgId of ORGS) {
      for (const idpId of PROVIDERS)
        await ask(`affected by ${orgId} ${idpId} ${asIfActive}`, () =>
          model.affected({ provider: { orgId, idpId }, ...moment }),
        )
      for (const projectId of PROJECTS)
        for (const userOrgId of [undefined, ...ORGS])
          await ask(`affected in ${orgId} ${projectId} ${userOrgId} ${asIfActive}`, () =>
            model.affected({ orgId, projectId, ...(userOrgId && { userOrgId }), ...moment }),
          )
    }
  }
  return answers
}

/** Who has which role, page by page. */
const askOf = async (
  model: ReadModel,
  ask: Ask,
  now: Date,
  at: Position | undefined,
): Promise<void> => {
  const moment = { now, ...(at !== undefined && { at }) }
  for (const orgId of ORGS) {
    for (const asked of ASKED_OF_USERS)
      await ask(`users of ${orgId} ${JSON.stringify(asked)} at ${at}`, () =>
        usersOf(model, { orgId, ...moment, ...asked }),
      )
    for (const userOrgId of ORGS)
      await ask(`holders ${orgId} in ${userOrgId} at ${at}`, () =>
        holdersIn(model, { orgId, userOrgId, ...moment }),
      )
    for (const userId of USERS)
      for (const which of [
        {},
        ...RESOURCES.map((resource) => ({ resource })),
        ...ROLES.map((roleKey) => ({ roleKey })),
        ...PERMISSIONS.map((permission) => ({ permission })),
      ])
        await ask(`roles of ${[orgId, userId, ...Object.values(which)].join(' ')} at ${at}`, () =>
          heldBy(model, { orgId, userId, ...which, ...moment }),
        )
    for (const permission of [undefined, ...PERMISSIONS])
      for (const userId of [undefined, USERS[0]])
        await ask(`holders ${orgId} ${permission} ${userId} at ${at}`, () =>
          holdersIn(model, {
            orgId,
            ...moment,
            ...(permission && { permission }),
            ...(userId && { userId }),
          }),
        )
    for (const projectId of PROJECTS)
      for (const roleKey of ROLES)
        await ask(`holders ${orgId} ${projectId} ${roleKey} at ${at}`, () =>
          holdersIn(model, { orgId, projectId, roleKey, ...moment }),
        )
    for (const projectId of PROJECTS)
      for (const resource of RESOURCES)
        for (const userId of [undefined, ...USERS])
          await ask(`holders ${orgId} ${projectId} on ${resource} ${userId} at ${at}`, () =>
            holdersIn(model, { orgId, projectId, resource, ...(userId && { userId }), ...moment }),
          )
  }
}

const ASKED_OF_USERS: readonly Partial<UsersQuery>[] = [
  {},
  ...ORGS.map((projectOrgId) => ({ projectOrgId })),
  ...PROJECTS.map((projectId) => ({ projectId, userIds: USERS.slice(1) })),
  ...PERMISSIONS.map((permission) => ({ permission })),
  ...ROLES.map((roleKey) => ({ roleKey })),
]

/** The roles of all users, in pages of two users. */
const usersOf = async (
  model: ReadModel,
  query: Omit<UsersQuery, 'after' | 'limit'>,
): Promise<readonly RoleOfUser[]> => {
  const all: UserRoles[] = []
  for (;;) {
    const last = all.at(-1)
    const page = await model.users({ ...query, limit: 2, ...(last && { after: [last.userId] }) })
    all.push(...page.items)
    if (!page.hasMore)
      return all.flatMap(({ userId, roles }) => roles.map((role) => ({ userId, ...role })))
  }
}

type HeldBy = Omit<Parameters<ReadModel['heldRoles']>[0], 'after' | 'limit'>
type HoldersIn = Omit<Parameters<ReadModel['holders']>[0], 'after' | 'limit'>

/** All roles of a user, in pages of three. */
const heldBy = async (model: ReadModel, query: HeldBy): Promise<readonly HeldRole[]> => {
  const all: HeldRole[] = []
  for (;;) {
    const last = all.at(-1)
    const after = last && keyOfHeldRole(last)
    const page = await model.heldRoles({ ...query, limit: 3, ...(after && { after }) })
    all.push(...page.items)
    if (!page.hasMore) return all
  }
}

/** All holders, in pages of three. */
const holdersIn = async (model: ReadModel, query: HoldersIn): Promise<readonly Holder[]> => {
  const all: Holder[] = []
  for (;;) {
    const last = all.at(-1)
    const after = last && keyOfHolder(last)
    const page = await model.holders({ ...query, limit: 3, ...(after && { after }) })
    all.push(...page.items)
    if (!page.hasMore) return all
  }
}

const sortOf = (type: ViewType) => [{ field: identityField[type], direction: 'asc' }] as const

const text = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

/** What the live checks say of the present. */
const liveAnswers = (log: readonly RecordedEvent[]): Answers => {
  const { apply, access } = presentAccess()
  for (const event of readEvents(log)) if (isOfObject(event)) apply(event)
  return new Map(everyAccess.map((ids) => [`access ${JSON.stringify(ids)}`, access(ids)]))
}

/** Who had which role at a position, by a replay up to it: of roles that still exist, their names are the present ones. */
const pastAnswers = async (
  log: readonly RecordedEvent[],
  now: Date,
  at: Position,
): Promise<Answers> => {
  const past = memoryReadModel()
  await feed(
    past,
    log.filter(({ position }) => position <= at),
    1000,
  )
  const answers = new Map<string, unknown>()
  const ask: Ask = async (question, answer) => {
    answers.set(question.replace(/undefined$/, `${at}`), withoutNames(await answer()))
  }
  await askOf(past, ask, now, undefined)
  return answers
}

/** Roles without the names and permissions that they have now. */
const withoutNames = (answer: unknown): unknown =>
  Array.isArray(answer)
    ? answer.map(({ displayName: _, group: __, permissions: ___, ...role }) => role)
    : answer

/**
 * The first question that two of the worlds answer differently, with both answers; undefined if they agree on all. The
 * first of `fed` and the replays answer every question; `isAsked` says whether another is asked the next one.
 */
export const firstDifference = async (
  fed: readonly Fed[],
  log: readonly RecordedEvent[],
  now: Date,
  moments: readonly Position[],
  isAsked?: () => boolean,
): Promise<string | undefined> => {
  const [first, ...others] = fed
  if (!first) throw new Error('There is nothing to compare')
  const answers = await answersOf(first.model, log, now, moments)
  const compared: (readonly [name: string, Answers])[] = [['live checks', liveAnswers(log)]]
  for (const { name, model } of others)
    compared.push([name, await answersOf(model, log, now, moments, isAsked)])
  for (const [name, given] of compared)
    for (const [question, answer] of given)
      if (!isDeepStrictEqual(answer, answers.get(question)))
        return difference(question, [first.name, answers.get(question)], [name, answer])
  for (const at of moments)
    for (const [question, answer] of await pastAnswers(log, now, at)) {
      const asked = withoutNames(answers.get(question))
      if (!isDeepStrictEqual(answer, asked))
        return difference(question, [first.name, asked], ['a replay', answer])
    }
  return disagreement(answers, now)
}

/** A role that counts by one read and not by another. */
const disagreement = (answers: Answers, now: Date): string | undefined => {
  for (const ids of everyAccess) {
    const access = answers.get(`access ${JSON.stringify(ids)}`) as Awaited<
      ReturnType<ReadModel['access']>
    >
    const { orgId, userId, projectOrgId, projectId } = ids
    const resource = 'resource' in ids ? ids.resource : undefined
    const held = answers.get(
      `roles of ${[orgId, userId, ...(resource === undefined ? [] : [resource])].join(' ')} at undefined`,
    ) as readonly HeldRole[]
    const own = held.filter(
      (role) =>
        role.projectOrgId === projectOrgId &&
        role.projectId === projectId &&
        (resource !== undefined || role.resource === undefined),
    )
    // The list has the roles on the whole project first.
    const listed = [...new Set(own.map(({ roleKey }) => roleKey))].sort()
    const { roleKeys } = judgeAccess(access, { isOwn: orgId === projectOrgId, now })
    if (!isDeepStrictEqual(roleKeys, listed))
      return difference(`roles ${JSON.stringify(ids)}`, ['check', roleKeys], ['list', listed])
  }
  return undefined
}

const difference = (
  question: string,
  one: readonly [name: string, answer: unknown],
  other: readonly [name: string, answer: unknown],
): string =>
  [
    question,
    ...[one, other].map(([name, answer]) => `${name}: ${JSON.stringify(answer, text)}`),
  ].join('\n  ')
