import type { RecordedEvent } from '../../ports/event-store.js'

/** Makes sure that nobody who holds `event` can change what the store remembers. */
export const freezeEvent = (event: RecordedEvent): void => {
  freezeJson(event.data)
  if (!Object.isFrozen(event.metadata)) {
    Object.freeze(event.metadata.actor)
    Object.freeze(event.metadata)
  }
  Object.freeze(event)
}

const freezeJson = (value: unknown): void => {
  if (!isRecord(value)) return
  Object.freeze(value)
  for (const key in value) freezeJson(value[key])
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
