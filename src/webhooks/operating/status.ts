import { err, ok, type Result } from 'neverthrow'
import type { IamError, Position } from '../../index.js'
import { type Cursor, type HeldOrganization, readCursor, type SuspensionReason } from '../cursor.js'
import { ageOf, type Setup } from '../options.js'
import { listedIds, objectionToInput, type StatusInput, unknownEndpoint } from './input.js'

/** An organization of which messages wait for an endpoint. */
export interface HeldStatus {
  /** The organization. */
  readonly orgId: string
  /** Everything at or below was taken. */
  readonly taken: Position
  /** The message that was not taken; absent while the first attempt is under way. */
  readonly failing?: {
    /** Its position. */
    readonly position: Position
    /** Attempts in a row that failed. */
    readonly failures: number
    /** When the first of them failed. */
    readonly since: Date
    /** When the next attempt is made. */
    readonly nextAttempt: Date
  }
}

/** How far an endpoint is. */
export interface EndpointStatus {
  /** Id of the endpoint. */
  readonly endpoint: string
  /** `new` before anything was kept of it; `suspended` when nothing is sent until `redeliver`. */
  readonly state: 'new' | 'active' | 'suspended'
  /** Everything at or below was taken, but for what is held; absent of a new endpoint. */
  readonly position?: Position
  /** Organizations of which messages wait, at most 1,000. */
  readonly held: readonly HeldStatus[]
  /** Why and since when nothing is sent: it answered 410, or a message was not taken for three days. */
  readonly suspended?: {
    /** `gone` after 410, `exhausted` after three days. */
    readonly reason: SuspensionReason
    /** When it was suspended. */
    readonly since: Date
  }
  /** Whether a process has the lease. */
  readonly isServed: boolean
  /** Age of the oldest event that was not read for this endpoint or not taken by it, in milliseconds; 0 without one. */
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

/** How far one endpoint is, by what is kept of it. */
export const statusOf = async (setup: Setup, endpoint: string): Promise<EndpointStatus> => {
  const stored = await setup.options.cursors.read(endpoint)
  const isServed = stored.lease !== undefined
  const cursor = readCursor(stored)
  if (cursor === undefined) return { endpoint, state: 'new', held: [], isServed, lag: 0 }
  const { position, held, suspended } = cursor
  return {
    endpoint,
    state: suspended ? 'suspended' : 'active',
    position,
    held: held.map(shownHeld),
    ...(suspended && { suspended: { ...suspended, since: new Date(suspended.since) } }),
    isServed,
    lag: await lagOf(setup, cursor),
  }
}

const shownHeld = ({ failing, ...held }: HeldOrganization): HeldStatus => {
  if (failing === undefined) return held
  const [since, nextAttempt] = [new Date(failing.since), new Date(failing.nextAttempt)]
  return { ...held, failing: { ...failing, since, nextAttempt } }
}

const lagOf = async (setup: Setup, cursor: Cursor): Promise<number> => {
  const failing = cursor.held.flatMap(({ failing }) => failing?.position ?? [])
  const due = (await firstDue(setup, cursor)) ?? []
  return Math.max(0, ...failing.concat(due).map((each) => ageOf(each, setup)))
}

/** The oldest event that was not read, or that waits without a failure, as after `redeliver`. */
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
