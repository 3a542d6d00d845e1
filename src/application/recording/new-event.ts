import { currentVersion, type Message, type Upcasters } from '../../domain/message.js'
import type { NewEvent } from '../../ports/event-store.js'

/** A decided event, as a store takes it. */
export const newEvent = (upcasters: Upcasters, { type, data }: Message): NewEvent => ({
  type,
  schemaVersion: currentVersion(upcasters, type),
  data,
})
