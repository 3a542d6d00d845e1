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
  if (typeof value !== 'object' || value === null) return
  for (const item of Object.values(value)) freezeJson(item)
  Object.freeze(value)
}
