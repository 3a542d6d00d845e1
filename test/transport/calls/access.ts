// The path stands here as a client writes it, not as our annotations are read.
import type { Json } from 'claviger'
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, type Untrusted } from './call-of.js'

/** A plan as the network has it: without the events, and without what it was planned on. */
const shape = ({ version, counts, changes, ...plan }: JsonObject): Json => ({
  ...plan,
  ...(version !== undefined && { version: String(version) }),
  counts: { blocked: 0, superseded: 0, ...(counts as JsonObject) },
  changes: (changes as readonly JsonObject[]).map(({ events: _, sequence: __, ...shown }) => shown),
})

/** `desired` as the library takes it: with a number for its version, and without masks. */
const inLibrary = (desired: JsonObject): Untrusted =>
  JSON.parse(
    JSON.stringify(desired, (name, value) => {
      if (name === 'updateMask') return undefined
      return name === 'version' ? Number(value) : value
    }),
  )

const applyCall = (desired: JsonObject, details: Details, isPlan: boolean): Call => {
  const request = { ...desired, ...(isPlan && { validateOnly: true }) }
  return callOf(details, {
    rpc: 'claviger.v1.AccessService/ApplyAccess',
    request,
    http: ['POST', '/v1/access:apply', request],
    inProcess: (iam) => iam[isPlan ? 'plan' : 'apply'](inLibrary(desired), contextOf(details)),
    shape,
  })
}

export const applyAccess = (desired: JsonObject, details: Details = {}): Call =>
  applyCall(desired, details, false)

export const planAccess = (desired: JsonObject, details: Details = {}): Call =>
  applyCall(desired, details, true)
