import { err } from 'neverthrow'
import { type InvalidArgument, invalid } from '../../errors/errors.js'
import { fromPort } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import { method, type Read } from '../../method/method.js'
import type { Runtime } from '../../runtime.js'
import { raceAbort } from '../../waiting/race-abort.js'
import { permissionsForApplyPlan, REFUSED_BY_APPLY } from '../permissions-for-plan.js'
import { Plan } from '../plan/plan.js'
import type { Draft } from '../planning/draft.js'
import { type DeclaredIds, planOf, undeclaredIn } from '../planning/plan-access.js'
import type { Applied } from './applied.js'
import { applyDrafts, applyEach } from './apply-drafts.js'
import { draftsOf } from './drafts-of-plan.js'

/**
 * Records what is planned. Refused before anything is recorded: a plan of another organization, one
 * with a secret that was not sealed for its provider by the current key, one that saw other than there is
 * now, and one that leaves out a field that it changes.
 */
export const applyPlan = (runtime: Runtime): Read<unknown, Applied> =>
  method(
    runtime,
    {
      method: 'apply',
      permissions: [],
      permissionsFor: permissionsForApplyPlan,
      schema: Plan,
      refuses: REFUSED_BY_APPLY,
    },
    async (call, plan) => {
      const objection = await raceAbort(objectionTo(runtime, call, plan), call.signal)
      if (objection) return err(objection)
      const found = await raceAbort(draftsOf(runtime, call, plan), call.signal)
      if (found.isErr()) return err(found.error)
      const finding = undeclaredIn(runtime, call, declaredIn(plan))
      const undeclared = await raceAbort(finding, call.signal)
      const applied = await applyEach(unitsIn(found.value), (drafts) =>
        applyDrafts(runtime, call, { drafts, manager: plan }),
      )
      return applied.map((changes) => planOf(call, plan, { changes, undeclared }))
    },
  )

/** Of which types there was a list is not told by a plan: of those that it names an object of. */
const declaredIn = ({ changes, undeclared }: Plan): DeclaredIds => {
  const declared = changes.map(({ object }) => object)
  const types = new Set([...declared, ...undeclared].map(({ type }) => type))
  return {
    ...(types.has('project') && {
      projects: declared.filter((object) => object.type === 'project'),
    }),
    ...(types.has('identity_provider') && {
      identityProviders: declared.filter((object) => object.type === 'identity_provider'),
    }),
  }
}

/** A project with its roles, the project first, or an identity provider. */
const unitsIn = (drafts: readonly Draft[]): readonly (readonly Draft[])[] => {
  const roles = Map.groupBy(drafts, ({ change: { object } }) =>
    object.type === 'project_role' ? object.projectId : undefined,
  )
  return (roles.get(undefined) ?? []).map((head) => {
    const { object } = head.change
    return [head, ...(object.type === 'project' ? (roles.get(object.id) ?? []) : [])]
  })
}

const objectionTo = async (
  { secrets }: Runtime,
  { orgId }: AdmittedCall,
  { orgId: plannedFor, changes }: Plan,
): Promise<InvalidArgument | undefined> => {
  if (plannedFor !== orgId) return invalid('orgId', 'must be the organization of the context')
  for (const [index, { object, events }] of changes.entries())
    for (const [place, { data }] of events.entries()) {
      const sealed = 'clientSecret' in data ? data.clientSecret : undefined
      if (sealed === undefined || object.type !== 'identity_provider') continue
      const { idpId } = object
      const isUsable = await fromPort(async () => {
        const opened = await secrets.open(sealed, { orgId, idpId })
        // Under a key of before, it would miss the reseal that this key is dropped after.
        return opened.isOk() && secrets.isCurrent(sealed)
      })
      if (!isUsable)
        return invalid(
          `changes[${index}].events[${place}].data.clientSecret`,
          'must be sealed for this provider, by the current key: plan again',
        )
    }
  return undefined
}
