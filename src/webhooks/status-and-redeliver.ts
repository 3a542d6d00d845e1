import { err, ok, type Result } from 'neverthrow'
import type { IamError, Position } from '../index.js'
import {
  type Cursor,
  type HeldOrganization,
  readCursor,
  type SuspensionReason,
  writeCursor,
} from './cursors.js'
import { isEndpointId, isPosition } from './endpoint.js'
import { ageOf, type Setup } from './options.js'

/** The endpoints to read the status of. */
export interface StatusInput {
  /** Id of the endpoint. Default: all endpoints of the host. */
  readonly endpoint?: string | undefined
}

/** An endpoint, and the position to continue from. */
export interface RedeliverInput {
  /** Id of the endpoint. */
  readonly endpoint: string
  /**
   * Position after which messages are sent again: `0n` (the start of the log) to `2n ** 64n - 1n`. To skip a message
   * that a receiver keeps rejecting, pass its position or a later one: messages of other organizations up to it are
   * skipped, too. Default: the endpoint continues where it was.
   */
  readonly after?: Position | undefined
}

/** An organization with messages that wait for an endpoint. */
export interface HeldStatus {
  /** The organization. */
  readonly orgId: string
  /** Every message up to this position was accepted. */
  readonly taken: Position
  /** The message that failed; absent during its first attempt. */
  readonly failing?: {
    /** Position of the message. */
    readonly position: Position
    /** Number of failed attempts in a row. */
    readonly failures: number
    /** Time of the first failure. */
    readonly since: Date
    /** Time of the next attempt. */
    readonly nextAttempt: Date
  }
}

/** The progress of an endpoint. */
export interface EndpointStatus {
  /** Id of the endpoint. */
  readonly endpoint: string
  /** `new` before it has a cursor; `suspended` when nothing is sent until `redeliver`. */
  readonly state: 'new' | 'active' | 'suspended'
  /** Every message up to this position was accepted, except those of `held`; absent for a new endpoint. */
  readonly position?: Position
  /** Organizations with messages that wait, at most 1,000. */
  readonly held: readonly HeldStatus[]
  /** Why and since when nothing is sent: the endpoint responded with 410, or refused a message for three days. */
  readonly suspended?: {
    /** `gone` after 410, `exhausted` after three days. */
    readonly reason: SuspensionReason
    /** When it was suspended. */
    readonly since: Date
  }
  /** Whether a process sends to the endpoint. */
  readonly isServed: boolean
  /** Age of the oldest event that the endpoint has not accepted, in milliseconds; 0 if it has accepted all. */
  readonly lag: number
}

/** @see Webhooks.status */
export const status = async (
  setup: Setup,
  input: StatusInput,
): Promise<Result<readonly EndpointStatus[], IamError>> => {
  const objection = objectionToInput(input, { fields: ['endpoint'], required: false })
  if (objection) return err(objection)
  const listed = await listedIds(setup)
  if (input.endpoint === undefined)
    return ok(await Promise.all(listed.map((id) => statusOf(setup, id))))
  const found = await statusOf(setup, input.endpoint)
  const isKnown = found.state !== 'new' || listed.includes(input.endpoint)
  return isKnown ? ok([found]) : err(unknownEndpoint)
}

/** The progress of one endpoint, from its cursor. */
const statusOf = async (setup: Setup, endpoint: string): Promise<EndpointStatus> => {
  const stored = await setup.options.cursors.read(endpoint)
  const isServed = stored.lease !== undefined
  const cursor = readCursor(stored)
  if (cursor === undefined) return { endpoint, state: 'new', held: [], isServed, lag: 0 }
  const { position, held, suspended } = cursor
  return {
    endpoint,
    state: suspended ? 'suspended' : 'active',
    position,
    held: held.map(heldStatus),
    ...(suspended && { suspended: { ...suspended, since: new Date(suspended.since) } }),
    isServed,
    lag: await lagOf(setup, cursor),
  }
}

const heldStatus = ({ failing, ...held }: HeldOrganization): HeldStatus => {
  if (failing === undefined) return held
  const [since, nextAttempt] = [new Date(failing.since), new Date(failing.nextAttempt)]
  return { ...held, failing: { ...failing, since, nextAttempt } }
}

const lagOf = async (setup: Setup, cursor: Cursor): Promise<number> => {
  const failing = cursor.held.flatMap(({ failing }) => failing?.position ?? [])
  const due = (await firstDue(setup, cursor)) ?? []
  return Math.max(0, ...failing.concat(due).map((each) => ageOf(each, setup)))
}

/** The oldest event that was not read yet, or that waits without a failure, as after `redeliver`. */
const firstDue = async (
  { options }: Setup,
  { position, held }: Cursor,
): Promise<Position | undefined> => {
  const waiting = held.filter(({ failing }) => failing === undefined)
  const taken = new Map(waiting.map((each) => [each.orgId, each.taken]))
  const after = [...taken.values()].reduce((low, each) => (each < low ? each : low), position)
  for await (const event of options.iam.subscribe({ after, until: 'head' }))
    if (event.position > (taken.get(event.metadata.resourceOwner) ?? position))
      return event.position
  return undefined
}

/** Most attempts to write a cursor that moves meanwhile. */
const MAX_ATTEMPTS = 20

/** @see Webhooks.redeliver */
export const redeliver = async (
  setup: Setup,
  input: RedeliverInput,
): Promise<Result<EndpointStatus, IamError>> => {
  const objection = objectionToInput(input, { fields: ['endpoint', 'after'], required: true })
  if (objection) return err(objection)
  const { endpoint, after } = input
  const { cursors } = setup.options
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const stored = await cursors.read(endpoint)
    const known = readCursor(stored)
    const isListed = known !== undefined || (await listedIds(setup)).includes(endpoint)
    const cursor = after === undefined ? known && resumed(known) : { position: after, held: [] }
    if (!isListed || cursor === undefined) return err(unknownEndpoint)
    const { version } = stored
    if (await cursors.write(endpoint, { state: writeCursor(cursor), version }))
      return ok(await statusOf(setup, endpoint))
  }
  return err({ kind: 'Aborted', attempts: MAX_ATTEMPTS })
}

/** The cursor at the same position. Every message is due at once and has three days again. */
const resumed = ({ position, held }: Cursor): Cursor => ({
  position,
  held: held.map(({ orgId, taken }) => ({ orgId, taken })),
})

/** The error about a malformed input, if any. */
const objectionToInput = (
  input: StatusInput | RedeliverInput,
  { fields, required }: { readonly fields: readonly string[]; readonly required: boolean },
): IamError | undefined => {
  const record = Object(input)
  const violations = Object.keys(record)
    .filter((name) => !fields.includes(name))
    .map((field) => ({ field, description: 'is not a field of this input' }))
  const { endpoint, after } = record
  if (endpoint === undefined ? required : !isEndpointId(endpoint))
    violations.push({ field: 'endpoint', description: 'must be 1 to 200 characters' })
  if (after !== undefined && !isPosition(after))
    violations.push({ field: 'after', description: 'must be a bigint from 0 to 2 ** 64 - 1' })
  return violations.length === 0 ? undefined : { kind: 'InvalidArgument', violations }
}

/** Ids of the endpoints of the host, each once, without malformed ones. */
const listedIds = async ({ options }: Setup): Promise<readonly string[]> => {
  const listed = await options.endpoints()
  return [...new Set(listed.map((endpoint) => endpoint?.id).filter(isEndpointId))]
}

/** The error for an endpoint that neither the host nor the cursors know. */
const unknownEndpoint: IamError = {
  kind: 'InvalidArgument',
  violations: [{ field: 'endpoint', description: 'must be the id of an endpoint' }],
}
