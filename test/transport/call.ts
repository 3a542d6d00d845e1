import {
  type Context,
  type Iam,
  type IamError,
  type Json,
  type Status,
  toJson,
  toStatus,
} from 'claviger'
import type { ResultAsync } from 'neverthrow'
import { callers } from './host.js'

/** An object of JSON. */
export type JsonObject = { readonly [field: string]: Json }

/** One call, as each client makes it and as the library is called in the process. */
export interface Call {
  /** Such as `claviger.v1.ProjectService/UpdateProject`. */
  readonly rpc: string
  /** The message in JSON. */
  readonly request: JsonObject
  /** The same in plain HTTP: method and path, and what the path does not say. */
  readonly http: readonly [verb: string, path: string, body?: JsonObject]
  readonly headers: Readonly<Record<string, string>>
  readonly inProcess: (iam: Iam) => ResultAsync<unknown, IamError>
  /** The response, from what the library answered as JSON. */
  readonly shape: (outcome: JsonObject) => Json
}

/** What a call was answered, in the same form by every client. */
export interface Answer {
  readonly response?: Json
  readonly error?: Status
  readonly etag?: string
  readonly isDeprecated: boolean
}

/** What may be different from one call of an rpc to another. */
export interface Details {
  /** Whose token is sent; that of the admin when absent. */
  readonly caller?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What the headers stand for in the library. */
  readonly context?: Partial<Context>
}

/** The context that a call with these details has in the process. */
export const contextOf = ({ caller = 'admin', context }: Details): Context => ({
  caller: callers[caller],
  ...context,
})

/** The headers of a call with these details. */
export const headersOf = ({ caller = 'admin', headers }: Details) => ({
  ...(caller !== '' && { authorization: `Bearer ${caller}` }),
  ...headers,
})

/** What the library answers in the process, in the form of the clients' answers. */
export const answerInProcess = async (iam: Iam, call: Call): Promise<Answer> => {
  const isDeprecated = /AddOidcIdentityProvider|UpdateOidcConfig/.test(call.rpc)
  const result = await call.inProcess(iam)
  if (result.isErr()) return { error: toStatus(result.error), isDeprecated }
  const outcome = objectOf(toJson(result.value ?? {}))
  const sequence = objectOf(outcome['details'] ?? {})['sequence']
  return {
    response: call.shape(outcome),
    ...(sequence !== undefined && { etag: `"${sequence}"` }),
    isDeprecated,
  }
}

const objectOf = (json: Json): JsonObject => {
  if (typeof json === 'object' && json !== null && !isList(json)) return json
  throw new Error('Not an object')
}

const isList = (json: Json): json is readonly Json[] => Array.isArray(json)
