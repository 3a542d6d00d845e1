import type { DurableObjectStorage } from '../../../../src/adapters/cloudflare/index.js'

/** What the runtime gives an object. */
export interface ObjectState {
  readonly storage: DurableObjectStorage & { readonly deleteAll: () => Promise<void> }
  readonly abort: () => never
}

/** A namespace of objects, as a worker sees it. */
export interface ObjectNamespace {
  readonly idFromName: (name: string) => unknown
  readonly get: (id: unknown) => { readonly fetch: (request: Request) => Promise<Response> }
}
