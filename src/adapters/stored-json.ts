import type { Metadata } from '../ports/event-store.js'

/**
 * What a column of JSON holds; undefined when it is none. Whoever reads the event finds that out and
 * names its place: to throw here would make a damaged row look like a store that is away.
 */
export const storedJson = (text: string): ReturnType<typeof JSON.parse> => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads metadata; neighbours often have the same, which is then read once. */
export const metadataReader = (): ((json: string) => Metadata) => {
  let last: { readonly json: string; readonly metadata: Metadata } | undefined
  return (json) => {
    if (last?.json !== json) last = { json, metadata: storedJson(json) }
    return last.metadata
  }
}
