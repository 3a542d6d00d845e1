import type { ServerMetadata } from 'openid-client'

/** How long a document is used, in milliseconds. */
const LIFETIME = 300_000
const MAX_DOCUMENTS = 100
/** Most characters of all documents together. */
const MAX_LENGTH = 4 * 1024 * 1024

interface KeptDocument {
  readonly metadata: ServerMetadata
  readonly length: number
  readonly until: number
}

/** What issuers said of themselves, and nothing else: no key, no secret. The oldest documents make room for new ones. */
export interface DiscoveryCache {
  readonly find: (issuer: string) => ServerMetadata | undefined
  readonly keep: (issuer: string, metadata: ServerMetadata) => void
}

/** @see DiscoveryCache */
export const discoveryCache = (): DiscoveryCache => {
  const documents = new Map<string, KeptDocument>()
  let total = 0
  const drop = (issuer: string): void => {
    total -= documents.get(issuer)?.length ?? 0
    documents.delete(issuer)
  }
  return {
    find: (issuer) => {
      const found = documents.get(issuer)
      return found !== undefined && Date.now() < found.until ? found.metadata : undefined
    },
    keep: (issuer, metadata) => {
      drop(issuer)
      const { length } = JSON.stringify(metadata)
      documents.set(issuer, { metadata, length, until: Date.now() + LIFETIME })
      total += length
      for (const oldest of documents.keys()) {
        if (documents.size <= MAX_DOCUMENTS && total <= MAX_LENGTH) return
        drop(oldest)
      }
    },
  }
}
