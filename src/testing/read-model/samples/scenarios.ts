import { type RecordedEvent, timeOf } from '../../../ports/event-store.js'
import type { FieldChange } from '../../../ports/read-model.js'
import { isEqual } from '../../law.js'
import { type Log, newLog } from './log.js'
import type { Row, Scenario } from './sample.js'

/** An event of a scenario, and what is read after it. */
interface Moment {
  readonly event: RecordedEvent
  /** The object after it; undefined when there is none. */
  readonly row: Row | undefined
  /** What the event changed. */
  readonly changes: readonly FieldChange[]
}

/** A log of the events before a scenario. */
export const logBefore = ({ others }: Scenario): Log => {
  const log = newLog()
  for (const [orgId, event] of others) log.record(orgId, event)
  return log
}

/** Records the events of a scenario in `log`, in the organization `acme`. */
export const play = (log: Log, { ref, steps }: Scenario): readonly Moment[] => {
  let row: Row | undefined
  let creationDate: Date | undefined
  return steps.map(([event, changed, secret]) => {
    const recorded = log.record('acme', event)
    const changeDate = timeOf(recorded.position)
    const before = row
    if (before === undefined) creationDate = changeDate
    const sequence = recorded.position
    const details = { sequence, creationDate, changeDate, resourceOwner: 'acme' }
    row = changed && { ...before, ...changed, details }
    const shown = row === undefined ? removal(before) : changesOf(ref, before, row)
    const changes = secret ? [...shown, { field: secret, changed: true } as const] : shown
    return { event: recorded, row, changes }
  })
}

const removal = (before: Row | undefined): readonly FieldChange[] => [
  { field: 'state', from: before?.['state'], to: 'removed' },
]

/** What history shows of the change of an object from one row to another. */
const changesOf = (ref: object, before: Row | undefined, after: Row): readonly FieldChange[] => {
  const from = fieldsOf(ref, before ?? {})
  const to = fieldsOf(ref, after)
  const fields = [...new Set([...to.keys(), ...from.keys()])]
  return fields
    .filter((field) => !isEqual(from.get(field), to.get(field)))
    .map((field) => ({ field, from: from.get(field), to: to.get(field) }))
}

/** The fields of a row that history shows: no ids, owner or details; each assigned role as a field of its own. */
const fieldsOf = (ref: object, row: Row): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(row).flatMap(([field, value]): readonly (readonly [string, unknown])[] => {
      if (field in ref || field === 'details' || field === 'projectOrgId') return []
      if (field === 'roles' || field === 'roleKeys') return rolesIn(value)
      return [[field, value]]
    }),
  )

const rolesIn = (value: unknown): readonly (readonly [string, unknown])[] =>
  Array.from(Array.isArray(value) ? value : [], (role) =>
    typeof role === 'string'
      ? [`roles.${role}`, 'granted']
      : [`roles.${role.roleKey}`, role.expiresAt?.toISOString() ?? 'granted'],
  )
