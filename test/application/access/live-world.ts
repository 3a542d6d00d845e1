import { onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import type {
  AccessCheck,
  EventStore,
  IamOptions,
  LiveChecks,
  LiveQuestion,
  LiveScopesQuestion,
  Scope,
} from '../../../src/index.js'
import { context, good, type Iam, iamOn } from '../host.js'
import { ORGS, PERMISSIONS, PROJECTS, RESOURCES, ROLES, USERS } from './any-history.js'

/** Begins live checks that end with the test. */
export const liveOf = (iam: Iam, maxLag?: number): Promise<LiveChecks> => {
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  return good(iam.access.live({ signal: ending.signal, maxLag }))
}

/** Every question about what {@link anyStep} changes. */
export const everyQuestion: readonly LiveQuestion[] = ORGS.flatMap((orgId) =>
  ORGS.flatMap((projectOrgId) =>
    PROJECTS.flatMap((projectId) =>
      USERS.flatMap((userId) => {
        const whole = { orgId, projectOrgId, projectId, userId }
        return [whole, ...RESOURCES.map((resource) => ({ ...whole, resource }))].flatMap((ids) => [
          ids,
          ...ROLES.map((roleKey) => ({ ...ids, roleKey })),
          ...PERMISSIONS.map((permission) => ({ ...ids, permission })),
        ])
      }),
    ),
  ),
)

/** Scopes that are listed in two ways. */
interface ScopesDifference {
  readonly question: LiveScopesQuestion
  readonly scopes: readonly Scope[]
  readonly items: readonly Scope[]
}

const everyScopesQuestion: readonly LiveScopesQuestion[] = ORGS.flatMap((orgId) =>
  USERS.flatMap((userId) => [
    ...ROLES.map((roleKey) => ({ orgId, userId, roleKey })),
    ...PERMISSIONS.map((permission) => ({ orgId, userId, permission, projectId: PROJECTS[0] })),
  ]),
)

/** A question that is answered in two ways. */
export interface Difference {
  readonly question: LiveQuestion
  readonly live: AccessCheck
  readonly can: boolean
  readonly eventual: AccessCheck
}

/**
 * The law of live checks: `can` and `check` answer every question as an eventual check does that is fed up to the same
 * position. Returns the questions for which they do not.
 */
export const differences = async (
  live: Pick<LiveChecks, 'can' | 'check' | 'scopesOf' | 'position'>,
  store: EventStore,
  options: Partial<IamOptions> = {},
): Promise<readonly (Difference | ScopesDifference)[]> => {
  const { position } = live
  const answers = everyQuestion.map((question) => ({
    question,
    live: live.check(question),
    can: live.can(question),
  }))
  const scopesBefore = everyScopesQuestion.map((question) => ({
    question,
    scopes: live.scopesOf(question),
  }))
  // The read model in memory answers from the same projection as live checks: another one is the judge.
  const { readModel, close } = openSqlite(':memory:')
  const iam = iamOn(upTo(store, position), { authorize: () => true, ...options, readModel })
  await good(iam.catchUp(readModel))
  const found: (Difference | ScopesDifference)[] = []
  for (const answer of answers) {
    const { orgId, ...input } = answer.question
    const at = { ...context, orgId, consistency: 'eventual' } as const
    const eventual = await good(iam.access.check(input, at))
    const isSame = JSON.stringify(answer.live) === JSON.stringify(eventual)
    if (!isSame || answer.can !== eventual.allowed) found.push({ ...answer, eventual })
  }
  for (const { question, scopes } of scopesBefore) {
    const { orgId, ...input } = question
    const at = { ...context, orgId, consistency: 'eventual' } as const
    const { items } = await good(iam.access.scopesOf(input, at))
    if (JSON.stringify(scopes) !== JSON.stringify(items)) found.push({ question, scopes, items })
  }
  await close()
  return found
}

/** The store as it was right after the event at `position`. */
const upTo = (store: EventStore, position: bigint): EventStore => ({
  ...store,
  lastPosition: async () => position,
  readAll: async (after, limit) =>
    (await store.readAll(after, limit)).filter((event) => event.position <= position),
})
