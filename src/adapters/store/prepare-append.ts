import type { Append, Metadata } from '../../ports/event-store.js'
import { checkAppend } from './check-append.js'

/** A valid append with its JSON. */
export interface PreparedAppend {
  readonly append: Append
  /** The data of each event as JSON, in the order written. */
  readonly data: readonly string[]
  /** The metadata as JSON. */
  readonly metadata: string
  /** Length of all JSON, in UTF-16 units. */
  readonly size: number
}

/** Does all that needs no database, so that a mistake fails this append alone. */
export const prepareAppend = (append: Append): PreparedAppend => {
  const invalid = checkAppend(append)
  if (invalid) throw invalid
  const metadata = metadataJson(append.metadata)
  const data: string[] = []
  let size = 0
  for (const { events } of append.writes) {
    for (const event of events) {
      const json = JSON.stringify(event.data)
      data.push(json)
      size += json.length + metadata.length
    }
  }
  return { append, data, metadata, size }
}

/** The last metadata and its JSON: appends in a row often share one object, and making it takes 0.3 µs. */
let last: { readonly metadata: Metadata; readonly json: string } | undefined

const metadataJson = (metadata: Metadata): string => {
  if (metadata === last?.metadata) return last.json
  const json = JSON.stringify(metadata)
  // An object that is not frozen may change before the next append.
  if (Object.isFrozen(metadata) && Object.isFrozen(metadata.actor)) last = { metadata, json }
  return json
}
