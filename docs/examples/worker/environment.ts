import type { DurableObjectStorage } from 'claviger/cloudflare'

/** What the runtime gives an object; `DurableObjectState` of `@cloudflare/workers-types` has it all. */
export interface ObjectContext {
  readonly storage: DurableObjectStorage
}

/** The objects of a class. */
interface Namespace {
  readonly idFromName: (name: string) => unknown
  readonly get: (id: unknown) => { readonly fetch: (request: Request) => Promise<Response> }
}

/** What wrangler.jsonc binds, and the secrets. */
export interface Environment {
  readonly TENANTS: Namespace
  readonly DIRECTORY: Namespace
  /** Signs sessions. */
  readonly SESSION_KEY: string
  /** Seals client secrets: 32 bytes in base64. */
  readonly SECRETS_KEY: string
}
