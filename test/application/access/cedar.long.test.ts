import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/index.js'
import { context, good } from '../host.js'
import { PERMISSIONS, ROLES } from './any-history.js'
import { NaiveModel } from './naive-model.js'
import { everyCheck, HISTORIES, histories, played } from './played.js'

/** A project, or a resource of it. */
const placeOf = (ids: {
  readonly projectOrgId: string
  readonly projectId: string
  readonly resource?: string | undefined
}): readonly string[] => [
  ids.projectOrgId,
  ids.projectId,
  ...(ids.resource === undefined ? [] : [ids.resource]),
]

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
      entity('Way', nameOf(orgId, ...placeOf(fact), userId, fact.way), fact.isWayActive),
    ]
  })
  // Every role and every resource lies in that of the whole project.
  const parts = everyCheck.flatMap((ids) => {
    const whole = placeOf({ ...ids, resource: undefined })
    const pairs = [['Place'], ...ROLES.map((roleKey) => ['Role', roleKey])]
    return pairs.flatMap(([type = '', ...rest]) =>
      placeOf(ids).length === whole.length
        ? []
        : [
            {
              uid: { type, id: nameOf(...placeOf(ids), ...rest) },
              attrs: { active: true },
              parents: [{ type, id: nameOf(...whole, ...rest) }],
            },
          ],
    )
  })
  const unique = [
    ...new Map(
      [...entities, ...parts].map((each) => [`${each.uid.type} ${each.uid.id}`, each]),
    ).values(),
  ]
  const policies = facts.flatMap((fact) => {
    const { orgId, projectOrgId, projectId, userId, way, roleKey, permissions, expiresAt } = fact
    // A role of the whole project counts on all of its resources.
    const on = fact.resource === undefined ? 'in' : '=='
    const place = placeOf(fact)
    const literal = (type: string, ...id: readonly string[]) =>
      `${type}::${JSON.stringify(nameOf(...id))}`
    const permit = (actions: readonly string[], resource: string) => `permit (
      principal == ${literal('User', orgId, userId)},
      action in [${actions.map((action) => literal('Action', action))}],
      resource ${on} ${resource}
    ) when {
      ${literal('Project', projectOrgId, projectId)}.active &&
      ${literal('ProjectGrant', projectOrgId, projectId, orgId)}.active &&
      ${literal('Way', orgId, ...place, userId, way)}.active &&
      context.now < ${expiresAt?.getTime() ?? Number.MAX_SAFE_INTEGER}
    };`
    return [
      permit(['use'], literal('Role', ...place, roleKey)),
      permit(permissions, literal('Place', ...place)),
    ]
  })
  // Parsed once for all questions, under one name, so that the last ones are forgotten.
  const parsed = preparsePolicySet('facts', { staticPolicies: policies.join('\n') })
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors))
  return (user: readonly string[], action: string, type: string, resource: readonly string[]) => {
    const answer = statefulIsAuthorized({
      principal: { type: 'User', id: nameOf(...user) },
      action: { type: 'Action', id: action },
      resource: { type, id: nameOf(...resource) },
      context: { now: now.getTime() },
      preparsedPolicySetId: 'facts',
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
      for (const { orgId, ...ids } of everyCheck) {
        const [user, place] = [[orgId, ids.userId], placeOf(ids)]
        const isAllowed = async (asked: { roleKey: string } | { permission: string }) => {
          const input = { ...ids, ...asked }
          return (await good(iam.access.check(input, { ...context, orgId }))).allowed
        }
        for (const roleKey of ROLES)
          expect(await isAllowed({ roleKey })).toBe(
            decide(user, 'use', 'Role', [...place, roleKey]),
          )
        for (const permission of PERMISSIONS)
          expect(await isAllowed({ permission })).toBe(decide(user, permission, 'Place', place))
      }
    }),
    { numRuns: Math.ceil(HISTORIES / 3) },
  )
})
