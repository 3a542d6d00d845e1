import { err } from 'neverthrow'
import { changedFields } from '../../../domain/message.js'
import { fieldOf, MAX_REPORTED, type ObjectRef } from '../../../domain/values.js'
import { streamOf } from '../../../projections/read-events.js'
import type { InvalidArgument, Moved, PlanOutdated, Violation } from '../../errors/errors.js'
import { fromPort } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import type { Runtime } from '../../runtime.js'
import type {
  ParsedPlan,
  PlannedChange,
  PlannedChangeInput,
  PlannedEvent,
  PlannedField,
} from '../plan/plan.js'
import type { PlanUnit } from '../planning/plan-access.js'

/**
 * The refusal of a given plan whose changes are not those that its desired state leads to now. It is outdated when an
 * object has changed since, and invalid when its changes never followed from its desired state.
 */
export const comparePlan = (
  { changes: given, desired }: ParsedPlan,
  planned: readonly PlannedChange[],
): PlanOutdated | InvalidArgument | undefined => {
  const sealed = new Set(desired.identityProviders?.map(({ sealedSecret }) => sealedSecret))
  const left = new Map(planned.map((change) => [streamOf('', change.object), change]))
  const moved: Moved[] = []
  const violations: Violation[] = []
  for (const [index, change] of given.entries()) {
    const { object } = change
    const stream = streamOf('', object)
    const now = left.get(stream)
    left.delete(stream)
    const what = now ? movedTo(change, now) : whenNotPlanned(change)
    if (what) moved.push({ object, change: what })
    const field = now ? wrongField(change, now, sealed) : 'object'
    if (!what && field && violations.length < MAX_REPORTED)
      violations.push({ field: `changes[${index}].${field}`, description: NOT_PLANNED })
  }
  for (const { object } of left.values()) moved.push({ object, change: 'added' })
  if (moved.length > 0) return { kind: 'PlanOutdated', moved }
  return violations.length > 0 ? { kind: 'InvalidArgument', violations } : undefined
}

const NOT_PLANNED = 'must be what the desired state of the plan leads to: plan again'

/** What happened to the object of a change since; undefined for nothing. */
const movedTo = (given: PlannedChangeInput, now: PlannedChange): Moved['change'] | undefined => {
  const change = sequenceMoved(given.sequence, now.sequence)
  if (change) return change
  if (given.action !== now.action)
    return now.sequence === undefined && WITHOUT_OBJECT.has(now.action) ? 'removed' : 'changed'
  // A grant loses roles that are removed, without an event of its own.
  const isOtherBefore = given.fields.some((field) => {
    const other = now.fields.find((each) => each.field === field.field)
    return other && differing(valueBefore(field), valueBefore(other)).length > 0
  })
  return isOtherBefore ? 'changed' : undefined
}

/** What happened to an object that was at one sequence and is at another; undefined for nothing. */
export const sequenceMoved = <Sequence>(
  before: Sequence | undefined,
  now: Sequence | undefined,
): Moved['change'] | undefined => {
  if (before === now) return undefined
  if (before === undefined) return 'added'
  return now === undefined ? 'removed' : 'changed'
}

/** Actions of objects that exist no more, if they have no sequence. */
const WITHOUT_OBJECT: ReadonlySet<PlannedChange['action']> = new Set(['blocked', 'superseded'])

/** Only what is not declared can leave a plan: it is removed, or marked by others. */
const whenNotPlanned = ({ action }: PlannedChangeInput): Moved['change'] | undefined =>
  action === 'remove' || action === 'superseded' ? 'removed' : undefined

const valueBefore = (field: PlannedField): object => ('from' in field ? { from: field.from } : {})

/** The field of a given change that is not as planned; undefined when all are. */
const wrongField = (
  given: PlannedChangeInput,
  now: PlannedChange,
  sealed: ReadonlySet<unknown>,
): string | undefined => {
  if (given.reason !== now.reason) return 'reason'
  if (!sameList(given.fields, now.fields, sameField)) return 'fields'
  if (!given.events) return undefined
  return sameList(given.events, now.events, (one, other) => sameEvent(one, other, sealed))
    ? undefined
    : 'events'
}

const sameField = (one: PlannedField, other: PlannedField): boolean =>
  differing(one, other).length === 0

/** A secret that is not one of the `sealed` ones was not declared, and is sealed anew each time. */
const sameEvent = (
  one: NonNullable<PlannedChangeInput['events']>[number],
  other: PlannedEvent,
  sealed: ReadonlySet<unknown>,
): boolean =>
  one.type === other.type &&
  one.schemaVersion === other.schemaVersion &&
  differing(one.data, other.data).every(
    (field) =>
      field === 'clientSecret' &&
      [one, other].every(({ data }) => {
        const secret = fieldOf(data, field)
        return secret !== undefined && !sealed.has(secret)
      }),
  )

const sameList = <Item, Other>(
  list: readonly Item[],
  others: readonly Other[],
  isSame: (one: Item, other: Other) => boolean,
): boolean =>
  list.length === others.length &&
  list.every((item, index) => {
    const other = others[index]
    return other !== undefined && isSame(item, other)
  })

/** Names of the fields that differ in two objects. */
const differing = (one: object, other: object): readonly string[] => [
  ...changedFields(one, other),
  ...changedFields(other, one),
]

/** The units of the desired state of a plan: what is refused now, and was not when the plan was made, is outdated. */
export const asGiven = (
  runtime: Runtime,
  call: AdmittedCall,
  { plan, units }: { readonly plan: ParsedPlan; readonly units: readonly PlanUnit[] },
): readonly PlanUnit[] =>
  units.map((unit) => ({
    object: unit.object,
    plan: async () => {
      const planned = await unit.plan()
      if (planned.isOk()) return planned
      const refusal = planned.error
      if (refusal.kind === 'NotFound') return err(outdatedBy(refusal.object, 'removed'))
      if (refusal.kind !== 'InvalidArgument') return planned
      const change = await movedSince(runtime, call, { plan, object: unit.object })
      return err(change ? outdatedBy(unit.object, change) : withinPlan(refusal))
    },
  }))

const outdatedBy = (object: ObjectRef, change: Moved['change']): PlanOutdated => ({
  kind: 'PlanOutdated',
  moved: [{ object, change }],
})

/** What happened since to the object of a unit that cannot be planned; undefined for nothing. */
const movedSince = async (
  { readModel }: Runtime,
  { orgId }: AdmittedCall,
  { plan, object }: { readonly plan: ParsedPlan; readonly object: ObjectRef },
): Promise<Moved['change'] | undefined> => {
  const stream = streamOf('', object)
  const given = plan.changes.find((change) => streamOf('', change.object) === stream)
  if (!given) return undefined
  const found = await fromPort(() => readModel.get(orgId, object))
  const change = sequenceMoved(given.sequence, found && String(found.details.sequence))
  return change ?? (given.action === 'blocked' ? 'changed' : undefined)
}

const withinPlan = ({ kind, violations }: InvalidArgument): InvalidArgument => ({
  kind,
  violations: violations.map(({ field, description }) => ({
    field: `desired.${field}`,
    description,
  })),
})
