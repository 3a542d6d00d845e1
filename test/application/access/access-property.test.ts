import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryEventStore, timeOf } from '../../../src/index.js'
import { context, good } from '../host.js'
import { ORGS, PERMISSIONS, PROJECTS, ROLES, USERS } from './any-history.js'
import { NaiveModel } from './naive-model.js'
import { byKind, everyCheck, HISTORIES, HOMES, histories, played, questions } from './played.js'

test.each(HOMES)(
  'after any history, every check and every list of roles agrees with a naive replay: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const { iam, log, now } = await played(steps, open)
        const model = new NaiveModel(log)
        for (const ids of everyCheck)
          for (const asked of questions) {
            const { orgId, ...rest } = ids
            const checked = await good(
              iam.access.check({ ...rest, ...asked }, { ...context, orgId }),
            )
            expect(byKind(checked), JSON.stringify({ ids, asked })).toEqual(
              byKind(model.check(ids, asked, now)),
            )
          }
        for (const orgId of ORGS)
          for (const userId of USERS) {
            const { items } = await good(iam.access.rolesOf({ userId }, { ...context, orgId }))
            expect(items).toEqual(model.rolesOf(orgId, userId, now))
          }
      }),
      { numRuns: HISTORIES * share },
    )
  },
)

test.each(HOMES)(
  'after any history, an organization lists and counts its own grants and those it has received: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const { iam, log } = await played(steps, open)
        const model = new NaiveModel(log)
        for (const orgId of [...ORGS, 'nobody']) {
          const at = { ...context, orgId }
          const own = await good(iam.userGrants.list({}, at))
          const shown = own.items.map(({ userId, projectId, projectOrgId, roles }) => {
            const roleKeys = roles.map(({ roleKey }) => roleKey).toSorted()
            return { userId, projectId, projectOrgId, roleKeys }
          })
          expect(shown).toEqual(model.userGrants(orgId))
          expect(own.totalSize).toBe(shown.length)
          const { items, totalSize } = await good(iam.projectGrants.listReceived({}, at))
          const received = items.map(({ projectId, projectOrgId, grantedOrgId, roleKeys }) => ({
            projectId,
            projectOrgId,
            grantedOrgId,
            roleKeys: roleKeys.toSorted(),
          }))
          expect(received).toEqual(model.received(orgId))
          expect(totalSize).toBe(received.length)
        }
      }),
      { numRuns: HISTORIES * share },
    )
  },
)

test.each(HOMES)(
  'after any history, who had which role at each time agrees with a naive replay: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const { iam, log, now } = await played(steps, open)
        const moments = [
          ...new Set(log.map(({ position }) => timeOf(position).getTime())),
          now.getTime(),
        ]
        for (const moment of moments) {
          const at = new Date(moment)
          const model = new NaiveModel(log.filter(({ position }) => timeOf(position) <= at))
          for (const orgId of ORGS)
            for (const projectId of PROJECTS)
              for (const permission of [undefined, ...PERMISSIONS]) {
                const which = permission === undefined ? {} : { permission }
                const asked = { projectId, ...which, ...(at < now && { at }) }
                const { items } = await good(iam.access.whoHas(asked, { ...context, orgId }))
                expect(items).toEqual(model.whoHas(orgId, projectId, permission, at))
              }
        }
      }),
      { numRuns: (HISTORIES / 2) * share },
    )
  },
)

/** Cedar on the same facts: a policy for each role that was given, and for what it allows, with conditions on entities. */
const cedar = (model: NaiveModel, now: Date) => {
  const facts = model.facts()
  const entity = (type: string, id: string, active: boolean) => ({
    uid: { type, id },
    attrs: { active },
    parents: [],
  })
  const nameOf = (...parts: readonly string[]) => parts.join('|')
  const entities = facts.flatMap((fact) => {
    const { orgId, projectOrgId, projectId, userId } = fact
    return [
      entity('Project', nameOf(projectOrgId, projectId), fact.project),
      entity('ProjectGrant', nameOf(projectOrgId, projectId, orgId), fact.projectGrant),
      entity('Way', nameOf(orgId, projectOrgId, projectId, userId, fact.way), fact.isWayActive),
    ]
  })
  const unique = [
    ...new Map(entities.map((each) => [`${each.uid.type} ${each.uid.id}`, each])).values(),
  ]
  const policies = facts.flatMap((fact) => {
    const { orgId, projectOrgId, projectId, userId, way, roleKey, permissions, expiresAt } = fact
    const literal = (type: string, ...id: readonly string[]) =>
      `${type}::${JSON.stringify(nameOf(...id))}`
    const permit = (actions: readonly string[], resource: string) => `permit (
      principal == ${literal('User', orgId, userId)},
      action in [${actions.map((action) => literal('Action', action))}],
      resource == ${resource}
    ) when {
      ${literal('Project', projectOrgId, projectId)}.active &&
      ${literal('ProjectGrant', projectOrgId, projectId, orgId)}.active &&
      ${literal('Way', orgId, projectOrgId, projectId, userId, way)}.active &&
      context.now < ${expiresAt?.getTime() ?? Number.MAX_SAFE_INTEGER}
    };`
    return [
      permit(['use'], literal('Role', projectOrgId, projectId, roleKey)),
      permit(permissions, literal('Project', projectOrgId, projectId)),
    ]
  })
  return (user: readonly string[], action: string, type: string, resource: readonly string[]) => {
    const answer = isAuthorized({
      principal: { type: 'User', id: nameOf(...user) },
      action: { type: 'Action', id: action },
      resource: { type, id: nameOf(...resource) },
      context: { now: now.getTime() },
      policies: { staticPolicies: policies.join('\n') },
      entities: unique,
    })
    if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors))
    return answer.response.decision === 'allow'
  }
}

test('at the end of any history, every check of a role or a permission agrees with Cedar on the same facts', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const { iam, log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
      const decide = cedar(new NaiveModel(log), now)
      for (const { orgId, projectOrgId, projectId, userId } of everyCheck) {
        const [user, project] = [
          [orgId, userId],
          [projectOrgId, projectId],
        ]
        const isAllowed = async (asked: { roleKey: string } | { permission: string }) => {
          const input = { userId, projectOrgId, projectId, ...asked }
          return (await good(iam.access.check(input, { ...context, orgId }))).allowed
        }
        for (const roleKey of ROLES)
          expect(await isAllowed({ roleKey })).toBe(
            decide(user, 'use', 'Role', [...project, roleKey]),
          )
        for (const permission of PERMISSIONS)
          expect(await isAllowed({ permission })).toBe(decide(user, permission, 'Project', project))
      }
    }),
    { numRuns: HISTORIES / 3 },
  )
})
