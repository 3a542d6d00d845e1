import { err } from 'neverthrow'
import { streamOf } from '../../projections/stream-name.js'
import type { Session } from '../context.js'
import { type InvalidArgument, invalid } from '../errors.js'
import { fromPort } from '../fault.js'
import { method, type Read } from '../method.js'
import { orCancelled } from '../or-cancelled.js'
import type { Runtime } from '../runtime.js'
import type { Applied } from './applied.js'
import { applyDrafts, applyEach } from './apply-drafts.js'
import { askedToApplyPlan, REFUSED_BY_APPLY } from './asked-of-access.js'
import { movedSince } from './moved-since.js'
import { countsOf, Plan } from './plan.js'
import type { Draft } from './planned-change.js'
import { seenNow } from './seen-now.js'

/**
 * Records what is planned. Refused before anything is recorded: a plan of another organization, one
 * with a secret that was not sealed for its provider by the current key, and one that saw other than
 * there is now.
 */
export const applyPlan = (runtime: Runtime): Read<unknown, Applied> =>
  method(
    runtime,
    {
      method: 'apply',
      permissions: [],
      asks: askedToApplyPlan,
      schema: Plan,
      refuses: REFUSED_BY_APPLY,
    },
    async (session, plan) => {
      const objection = await orCancelled(objectionTo(runtime, session, plan), session.signal)
      if (objection) return err(objection)
      const drafts = await orCancelled(draftsOf(runtime, session, plan), session.signal)
      const outdated = movedSince(
        drafts.map(({ change: { object, sequence }, details }) => ({
          object,
          expected: sequence === undefined ? undefined : BigInt(sequence),
          actual: details?.sequence,
        })),
      )
      if (outdated) return err(outdated)
      const { managedBy } = plan
      const applied = await applyEach(unitsIn(drafts), (drafts) =>
        applyDrafts(runtime, session, { drafts, managedBy }),
      )
      return applied.map((changes) => ({ ...plan, changes, counts: countsOf(changes) }))
    },
  )

const draftsOf = async (
  runtime: Runtime,
  session: Session,
  { changes }: Plan,
): Promise<readonly Draft[]> => {
  const objects = changes.map(({ object }) => object)
  const seen = await seenNow(runtime, session, objects)
  return changes.map((change) => ({
    change,
    details: seen.get(streamOf(session.orgId, change.object)),
  }))
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
  { orgId }: Session,
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
