import type { Result } from 'neverthrow'
import { fieldOf } from '../../domain/field-of.js'
import { type RecordedEvent, timeOf } from '../../ports/event-store.js'
import type { Projection } from '../../ports/projection.js'
import type { IamError } from '../errors/errors.js'
import type { CallDone, FaultSeen, Hooks } from './hooks.js'

/** Ignores what a hook throws or rejects with, as documented at {@link Hooks}. */
const callHook = (call: () => unknown): void => {
  try {
    Promise.resolve(call()).catch(() => undefined)
  } catch {}
}

/** Receives the steps of one call, and passes them to the hooks of the host. */
export interface Observer {
  /** Before each decision; `attempt` counts those of one write from 1. */
  readonly deciding: (attempt: number) => void
  /** After an append that was sent at `begin`, by `performance.now()`. */
  readonly appended: (events: readonly RecordedEvent[], begin: number) => void
  /** After an append that the store refused. */
  readonly conflicted: (kind: 'VersionConflict' | 'IdempotencyKeyUsed') => void
}

/** Runs `call` with an observer, and reports its end. */
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
        if (attempt > 1) callHook(() => hooks.onRetry?.({ method, attempt }))
      },
      appended: (events, sent) => {
        const duration = millisecondsSince(sent)
        const types = events.map(({ type }) => type)
        const position = events.at(-1)?.position
        if (position !== undefined)
          callHook(() => hooks.onAppend?.({ method, types, position, duration }))
      },
      conflicted: (kind) => callHook(() => hooks.onConflict?.({ method, kind })),
    })
    verdict = result.isOk() ? 'ok' : result.error.kind
    if (result.isErr()) reportFault(hooks, method, result.error)
    return result
  } finally {
    const done = { method, verdict, duration: millisecondsSince(begin), attempts }
    callHook(() => hooks.onCall?.(done))
  }
}

/** @param begin - by `performance.now()` */
const millisecondsSince = (begin: number): number => performance.now() - begin

interface Batch {
  readonly first: RecordedEvent
  readonly events: number
  /** When it was given to the projection, by `performance.now()`. */
  readonly begin: number
}

export const reportCatchUp = (
  hooks: Hooks | undefined,
  { name: projection }: Projection,
  { first, events, begin }: Batch,
): void => {
  if (!hooks?.onCatchUp) return
  const lag = Math.max(0, Date.now() - timeOf(first.position).getTime())
  const duration = millisecondsSince(begin)
  callHook(() => hooks.onCatchUp?.({ projection, events, lag, duration }))
}

/** Reports an error of the kinds that a host should look into. */
export const reportFault = (hooks: Hooks | undefined, method: string, error: IamError): void => {
  const fault = hooks?.onFault && faultOf(error)
  if (fault) callHook(() => hooks.onFault?.({ method, ...fault }))
}

const faultOf = (error: IamError): Omit<FaultSeen, 'method'> | undefined => {
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
    default:
      return undefined
  }
}

/** Name and code of an error, never its message; the code may be that of its own cause. */
const causeOf = (cause: unknown): Pick<FaultSeen, 'cause'> => {
  const name = fieldOf(cause, 'name')
  // Only errors: any other object with a name could be a person. `instanceof` fails for errors of other realms.
  if (typeof name !== 'string' || fieldOf(cause, 'stack') === undefined) return {}
  const code = codeOf(cause) ?? codeOf(fieldOf(cause, 'cause'))
  return { cause: { name, ...(code !== undefined && { code }) } }
}

const codeOf = (thrown: unknown): string | number | undefined => {
  // `errcode` is the result code of SQLite; its `code` is the same for all errors.
  const code = fieldOf(thrown, 'errcode') ?? fieldOf(thrown, 'code')
  return typeof code === 'string' || typeof code === 'number' ? code : undefined
}
