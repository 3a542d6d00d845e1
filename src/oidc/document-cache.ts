/** How long a document is used, in milliseconds. */
const LIFETIME_MS = 300_000
const MAX_DOCUMENTS = 100
/** Most characters of all documents together. */
const MAX_LENGTH = 4 * 1024 * 1024

interface CachedDocument<Document> {
  readonly document: Document
  readonly length: number
  readonly loadedAt: number
  readonly isExpired: boolean
}

/** Public documents of providers, such as discoveries; no secrets. New documents replace the oldest. */
export interface DocumentCache<Document extends object> {
  /** Returns a document that was loaded within five minutes and has not expired. */
  readonly find: (key: string) => Document | undefined
  /**
   * Returns a document that was loaded within `maxAge` milliseconds; otherwise loads it, once for all waiting callers.
   * After a failure it rejects with the same error until the pause is over.
   */
  readonly load: (key: string, maxAge: number, load: () => Promise<Document>) => Promise<Document>
  /** Makes `find` return nothing until the document is loaded again. */
  readonly expire: (key: string) => void
}

interface Failure {
  readonly error: unknown
  readonly failedAt: number
}

/** `failurePause` is in milliseconds. @see DocumentCache */
export const documentCache = <Document extends object>(
  failurePause = 0,
): DocumentCache<Document> => {
  const cached = new Map<string, CachedDocument<Document>>()
  const loading = new Map<string, Promise<Document>>()
  const failures = new Map<string, Failure>()
  let total = 0

  const drop = (key: string): void => {
    total -= cached.get(key)?.length ?? 0
    cached.delete(key)
  }
  const keep = (key: string, document: Document): Document => {
    drop(key)
    failures.delete(key)
    const { length } = JSON.stringify(document)
    cached.set(key, { document, length, loadedAt: Date.now(), isExpired: false })
    total += length
    for (const oldest of cached.keys()) {
      if (cached.size <= MAX_DOCUMENTS && total <= MAX_LENGTH) break
      drop(oldest)
    }
    return document
  }

  const fail = (key: string, error: unknown): never => {
    failures.delete(key)
    failures.set(key, { error, failedAt: Date.now() })
    for (const oldest of failures.keys()) {
      if (failures.size <= MAX_DOCUMENTS) break
      failures.delete(oldest)
    }
    throw error
  }

  return {
    find: (key) => {
      const found = cached.get(key)
      const isCurrent = found && !found.isExpired && Date.now() < found.loadedAt + LIFETIME_MS
      return isCurrent ? found.document : undefined
    },
    load: (key, maxAge, load) => {
      const found = cached.get(key)
      if (found && Date.now() < found.loadedAt + maxAge) return Promise.resolve(found.document)
      const failure = failures.get(key)
      if (failure && Date.now() < failure.failedAt + failurePause)
        return Promise.reject(failure.error)
      const pending =
        loading.get(key) ??
        load()
          .then(
            (document) => keep(key, document),
            (error: unknown) => fail(key, error),
          )
          .finally(() => loading.delete(key))
      loading.set(key, pending)
      return pending
    },
    expire: (key) => {
      const found = cached.get(key)
      if (found) cached.set(key, { ...found, isExpired: true })
    },
  }
}
