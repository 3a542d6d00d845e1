import type { Result } from 'neverthrow'
import { fieldOf } from '../../domain/field-of.js'
import { type RecordedEvent, timeOf } from '../../ports/event-store.js'
import type { Projection } from '../../ports/projection.js'
import type { IamError } from '../errors/errors.js'
import type { CallDone, FaultKind, FaultSeen, Hooks } from './hooks.js'

/** Calls a hook; what it throws or rejects with is dropped. */
const tell = (call: () => unknown): void => {
  try {
    Promise.resolve(call()).catch(() => undefined)
  } catch {
    // Documented at Hooks.
  }
}

/** Follows one call of a method, on behalf of the hooks of the host. */
export interface Observer {
  /** A decision is about to be taken, for one write the `attempt`-th time. */
  readonly deciding: (attempt: number) => void
  /** The store recorded `events`, having been asked at `begin`. */
  readonly appended: (events: readonly RecordedEvent[], begin: number) => void
  readonly conflicted: (kind: 'VersionConflict' | 'IdempotencyKeyUsed') => void
}

/** Runs `call` under the eyes of the host's hooks. */
export const observed = async <Answer>(
  hooks: Hooks,
  method: string,
  call: (observer: Observer) => Promise<Result<Answer, IamError>>,
): Promise<Result<Answer, IamError>> => {
  const begin = performance.now()
  let attempts = 0
  let verdict: CallDone['verdict'] = 'threw'
  try {
    const result = await call({
      deciding: (attempt) => {
        attempts++
        if (attempt > 1) tell(() => hooks.onRetry?.({ method, attempt }))
      },
      appended: (events, sent) => tellAppended(hooks, method, { events, duration: since(sent) }),
      conflicted: (kind) => tell(() => hooks.onConflict?.({ method, kind })),
    })
    verdict = result.isOk() ? 'ok' : result.error.kind
    if (result.isErr()) reportFault(hooks, method, result.error)
    return result
  } finally {
    const done = { method, verdict, duration: since(begin), attempts }
    tell(() => hooks.onCall?.(done))
  }
}

/** Milliseconds since `begin`, a reading of `performance.now()`. */
const since = (begin: number): number => performance.now() - begin

const tellAppended = (
  hooks: Hooks,
  method: string,
  { events, duration }: { readonly events: readonly RecordedEvent[]; readonly duration: number },
): void => {
  const last = events.at(-1)
  if (!last) return
  const types = events.map(({ type }) => type)
  tell(() => hooks.onAppend?.({ method, types, position: last.position, duration }))
}

/** Tells of a batch of events that a projection was fed. */
export const reportCatchUp = (
  hooks: Hooks | undefined,
  { name: projection }: Projection,
  { first, events, begin }: Batch,
): void => {
  if (!hooks?.onCatchUp) return
  const lag = Math.max(0, Date.now() - timeOf(first.position).getTime())
  const duration = since(begin)
  tell(() => hooks.onCatchUp?.({ projection, events, lag, duration }))
}

interface Batch {
  readonly first: RecordedEvent
  /** How many were applied; 0 when another process was faster. */
  readonly events: number
  /** When it was handed over, as `performance.now()` had it. */
  readonly begin: number
}

/** Tells of an error when it is a fault. */
export const reportFault = (hooks: Hooks | undefined, method: string, error: IamError): void => {
  if (!hooks || !isFault(error)) return
  const fault = { method, ...faultOf(error) }
  tell(() => hooks.onFault?.(fault))
}

type FaultError = Extract<IamError, { readonly kind: FaultKind }>

const FAULTS: Readonly<Record<FaultKind, true>> = {
  Unavailable: true,
  UnknownEvent: true,
  CorruptEvent: true,
  SecretUnreadable: true,
  ProjectionFailed: true,
}

const isFault = (error: IamError): error is FaultError => Object.hasOwn(FAULTS, error.kind)

const faultOf = (error: FaultError): Omit<FaultSeen, 'method'> => {
  const { kind } = error
  switch (kind) {
    case 'Unavailable':
      return { kind, outcome: error.outcome, ...causeOf(error.cause) }
    case 'ProjectionFailed':
      return { kind, position: error.position, ...causeOf(error.cause) }
    case 'UnknownEvent':
    case 'CorruptEvent':
      return { kind, position: error.position }
    case 'SecretUnreadable':
      return { kind }
  }
}

/** What names an error without quoting anything; the code may be that of the error behind it. */
const causeOf = (cause: unknown): Pick<FaultSeen, 'cause'> => {
  const name = fieldOf(cause, 'name')
  // What else has a name might be a person. Errors of Node.js need not be instances of our `Error`.
  if (typeof name !== 'string' || fieldOf(cause, 'stack') === undefined) return {}
  const code = codeOf(cause) ?? codeOf(fieldOf(cause, 'cause'))
  return { cause: { name, ...(code !== undefined && { code }) } }
}

const codeOf = (thrown: unknown): string | number | undefined => {
  // That of SQLite tells more: Node.js gives all its errors one `code`.
  const code = fieldOf(thrown, 'errcode') ?? fieldOf(thrown, 'code')
  return typeof code === 'string' || typeof code === 'number' ? code : undefined
}
