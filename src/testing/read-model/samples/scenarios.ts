import { type RecordedEvent, timeOf } from '../../../ports/event-store.js'
import type { FieldChange } from '../../../ports/read-model.js'
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
    const shown: readonly FieldChange[] = Object.entries(changed ?? { state: 'removed' })
      .filter(([field]) => !(field in ref))
      .map(([field, to]) => ({ field, from: before?.[field], to }))
    const changes = secret ? [...shown, { field: secret, changed: true } as const] : shown
    return { event: recorded, row, changes }
  })
}
