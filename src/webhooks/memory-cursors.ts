import type { StoredCursor, WebhookCursors } from '../ports/webhook-cursors.js'

interface Kept {
  readonly state?: string
  readonly version: number
  readonly holder?: string
  /** By the clock of the process, in milliseconds. */
  readonly until: number
}

/** Cursors in memory: they end with the process, and endpoints then begin at the head again. */
export const memoryCursors = (): WebhookCursors => {
  const kept = new Map<string, Kept>()
  const now = () => performance.now()
  const find = (endpoint: string): Kept => kept.get(endpoint) ?? { version: 0, until: 0 }
  const isHeld = ({ holder, until }: Kept): boolean => holder !== undefined && until > now()
  const shown = (found: Kept): StoredCursor => {
    const { state, version, holder, until } = found
    const lease = holder !== undefined && isHeld(found) && { holder, remaining: until - now() }
    return { version, ...(state !== undefined && { state }), ...(lease && { lease }) }
  }
  return {
    read: async (endpoint) => shown(find(endpoint)),
    lease: async (endpoint, holder, milliseconds) => {
      const found = find(endpoint)
      if (isHeld(found) && found.holder !== holder) return undefined
      const leased = { ...found, holder, until: now() + milliseconds }
      kept.set(endpoint, leased)
      return shown(leased)
    },
    write: async (endpoint, { state, version, holder }) => {
      const found = find(endpoint)
      if (found.version !== version) return false
      if (holder !== undefined && !(isHeld(found) && found.holder === holder)) return false
      kept.set(endpoint, { ...found, state, version: version + 1 })
      return true
    },
    release: async (endpoint, holder) => {
      const { holder: held, ...found } = find(endpoint)
      if (held === holder) kept.set(endpoint, { ...found, until: 0 })
    },
  }
}
