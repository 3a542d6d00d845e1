import { err } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { streamOf } from '../../../projections/read-events.js'
import { type InvalidArgument, invalid } from '../../errors/errors.js'
import { fromPort } from '../../errors/fault.js'
import { method, type Read } from '../../method/method.js'
import type { Runtime } from '../../runtime.js'
import { raceAbort } from '../../waiting.js'
import { permissionsToApplyPlan, REFUSED_BY_APPLY } from '../permissions-for-plan.js'
import { Plan } from '../plan/plan.js'
import type { PendingChange } from '../planning/pending-change.js'
import { findUndeclared, LISTED_TYPES, planOf } from '../planning/plan-access.js'
import type { Applied } from './applied.js'
import { applyChanges, applyEach } from './apply-changes.js'
import { checkPlan } from './check-plan.js'

/**
 * The method that applies a given plan. Refused before anything is recorded: a plan of another organization, a
 * secret that was not sealed for its provider by the current key, an object that has changed since, and a change
 * that does not show all its fields.
 */
export const applyPlan = (runtime: Runtime): Read<unknown, Applied> =>
  method(
    runtime,
    {
      method: 'apply',
      permissions: [],
      permissionsFor: permissionsToApplyPlan,
      schema: Plan,
      refuses: REFUSED_BY_APPLY,
    },
    async (call, plan) => {
      if (plan.orgId !== call.orgId)
        return err(invalid('orgId', 'must be the organization of the context'))
      const unusable = await raceAbort(unusableSecret(runtime, plan), call.signal)
      if (unusable) return err(unusable)
      const checked = await raceAbort(checkPlan(runtime, call, plan), call.signal)
      if (checked.isErr()) return err(checked.error)
      const finding = findUndeclared(runtime, call, { types: typesIn(plan), changes: plan.changes })
      const undeclared = await raceAbort(finding, call.signal)
      const applied = await applyEach(unitsIn(checked.value), (changes) =>
        applyChanges(runtime, call, { changes, marks: plan }),
      )
      return applied.map((changes) => planOf(call, plan, { changes, undeclared }))
    },
  )

/** A plan does not say which types its desired state listed: at least those of the objects it names. */
const typesIn = ({ changes, undeclared }: Plan) => {
  const types = new Set(
    [...changes.map(({ object }) => object), ...undeclared].map(({ type }) => type),
  )
  return LISTED_TYPES.filter((type) => types.has(type))
}

/** Each project with its roles, the project first, and each identity provider. */
const unitsIn = (changes: readonly PendingChange[]): readonly (readonly PendingChange[])[] => {
  const inContainers = Map.groupBy(changes, ({ change: { object } }) => {
    const container = aggregates[object.type].container?.ref(object)
    return container && streamOf('', container)
  })
  return (inContainers.get(undefined) ?? []).map((head) => [
    head,
    ...(inContainers.get(streamOf('', head.change.object)) ?? []),
  ])
}

const unusableSecret = async (
  { secrets }: Runtime,
  { orgId, changes }: Plan,
): Promise<InvalidArgument | undefined> => {
  for (const [index, { object, events }] of changes.entries())
    for (const [place, { data }] of events.entries()) {
      const sealed = 'clientSecret' in data ? data.clientSecret : undefined
      if (sealed === undefined || object.type !== 'identity_provider') continue
      const { idpId } = object
      const isUsable = await fromPort(async () => {
        const opened = await secrets.open(sealed, { orgId, idpId })
        // A secret of an earlier key would be missed by a reseal that ran before that key is dropped.
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
