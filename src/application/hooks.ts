import type { Result } from 'neverthrow'
import { fieldOf } from '../domain/values.js'
import type { Environment } from '../ports/environment.js'
import { type Position, type RecordedEvent, timeOf } from '../ports/event-store.js'
import type { Projection } from '../ports/projection.js'
import type { IamError, Unavailable } from './errors/errors.js'

/**
 * Callbacks for metrics, traces and logs. Their arguments contain no secrets, no ids of people or objects, and no text
 * that a user entered. Hooks are called synchronously, in the asynchronous context of the call they report, so they
 * should be quick. Anything a hook throws or rejects with is ignored: hooks never change the outcome of a call.
 */
export interface Hooks {
  /** A call of a method has ended. */
  readonly onCall?: ((call: CallDone) => void) | undefined
  /** Events were recorded. */
  readonly onAppend?: ((append: Appended) => void) | undefined
  /**
   * A decision could not be recorded: another writer was faster, the object to create exists already, or
   * the idempotency key was used before.
   */
  readonly onConflict?: ((conflict: Conflicted) => void) | undefined
  /** A write is retried after a conflict. */
  readonly onRetry?: ((retry: Retried) => void) | undefined
  /** A read model or a projection was fed a batch of events. */
  readonly onCatchUp?: ((batch: CaughtUp) => void) | undefined
  /** A port of the host, an event or a projection has a fault. */
  readonly onFault?: ((fault: FaultSeen) => void) | undefined
}

/** A call that has ended. */
export interface CallDone {
  /** Such as `projectRoles.add`. */
  readonly method: string
  /** `ok`, the kind of the error, or `threw` for a bug in the library or in an `onProgress`. */
  readonly verdict: 'ok' | IamError['kind'] | 'threw'
  /** In milliseconds. */
  readonly duration: number
  /** How many times the write was tried; 0 for a read, and for a call that was refused before the first try. */
  readonly attempts: number
}

/** Events that were stored by one append. */
export interface Appended {
  /** The method that was called. */
  readonly method: string
  /** Types of the events, in order. */
  readonly types: readonly string[]
  /** Position of the last event. */
  readonly position: Position
  /** Time that the store took, in milliseconds. */
  readonly duration: number
}

/** An append that the store refused. */
export interface Conflicted {
  /** The method that was called. */
  readonly method: string
  /** A stream was changed or existed already, or the idempotency key was used before. */
  readonly kind: 'VersionConflict' | 'IdempotencyKeyUsed'
}

/** A write that is retried. */
export interface Retried {
  /** The method that was called. */
  readonly method: string
  /** Number of the try: 2 for the first retry. */
  readonly attempt: number
}

/** A batch of events that was fed to a read model or a projection. */
export interface CaughtUp {
  /** Name of the projection. */
  readonly projection: string
  /** Events applied; 0 when another process was faster. */
  readonly events: number
  /** Age of the oldest event in the batch, by this process's clock, in milliseconds. */
  readonly lag: number
  /** Time that applying them took, in milliseconds. */
  readonly duration: number
}

/** Errors that concern the host and not the caller. */
export type FaultKind = Extract<
  IamError['kind'],
  'Unavailable' | 'UnknownEvent' | 'CorruptEvent' | 'SecretUnreadable' | 'ProjectionFailed'
>

/** A fault of a port, an event or a projection. */
export interface FaultSeen {
  /** The method that found it; also `subscribe`, `catchUp` or `run`. */
  readonly method: string
  /** Kind of the error. */
  readonly kind: FaultKind
  /** Only for `Unavailable`: `not_recorded` when nothing was stored for certain, else `unknown`. */
  readonly outcome?: Unavailable['outcome']
  /**
   * Name and code of the error that a port threw, such as `Error` and `ECONNREFUSED`. Its message may contain anything,
   * so only the method's error has it.
   */
  readonly cause?: {
    /** Name of its class. */
    readonly name: string
    /** Absent without a code. For SQLite the result code, such as 13 for a full disk. */
    readonly code?: string | number
  }
  /** Position of the event that cannot be read or applied. */
  readonly position?: Position
}

/** Ignores exceptions and rejections of a hook, as documented at {@link Hooks}. */
const callHook = (call: () => unknown): void => {
  try {
    Promise.resolve(call()).catch(() => undefined)
  } catch {}
}

/** Receives the steps of one call and passes them to the host's hooks. */
export interface Observer {
  /** Before each decision; `attempt` counts the decisions of one write from 1. */
  readonly deciding: (attempt: number) => void
  /** After an append that was sent at `begin`, by the environment. */
  readonly appended: (events: readonly RecordedEvent[], begin: number) => void
  /** After an append that the store refused. */
  readonly conflicted: (kind: 'VersionConflict' | 'IdempotencyKeyUsed') => void
}

/** The hooks to call, and the clock to time calls with. */
export interface Observed {
  readonly hooks?: Hooks | undefined
  readonly environment: Environment
}

/** Runs `call` with an observer, and reports its end; without hooks, there is nobody to report to. */
export const observed = async <Answer, Failure extends IamError>(
  { hooks, environment }: Observed,
  method: string,
  call: (observer: Observer | undefined) => Promise<Result<Answer, Failure>>,
): Promise<Result<Answer, Failure>> => {
  if (!hooks) return call(undefined)
  const begin = environment.elapsed()
  let attempts = 0
  let verdict: CallDone['verdict'] = 'threw'
  try {
    const result = await call({
      deciding: (attempt) => {
        attempts++
        if (attempt > 1) callHook(() => hooks.onRetry?.({ method, attempt }))
      },
      appended: (events, sent) => {
        const duration = environment.elapsed() - sent
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
    const done = { method, verdict, duration: environment.elapsed() - begin, attempts }
    callHook(() => hooks.onCall?.(done))
  }
}

/** Reports a batch that begins with `first`. @param batch.begin - when it was applied, by the environment */
export const reportCatchUp = (
  { hooks, environment }: Observed,
  { name: projection }: Projection,
  {
    first,
    events,
    begin,
  }: { readonly first: RecordedEvent; readonly events: number; readonly begin: number },
): void => {
  if (!hooks?.onCatchUp) return
  const lag = Math.max(0, environment.now() - timeOf(first.position).getTime())
  const duration = environment.elapsed() - begin
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

/** Name and code of an error, never its message; the code may be its cause's. */
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
