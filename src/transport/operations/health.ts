import { ok, type Result, ResultAsync } from 'neverthrow'
import type { Iam, IamError } from '../../index.js'
import { health } from '../wire.js'
import { type Operation, readOperation } from './operation.js'
import { Refusal, transportStatus } from './refusal.js'

/** Longest wait for the store, in milliseconds. */
const LONGEST_WAIT = 5_000

/** How long a result is reused, in milliseconds, because anybody may call it and a query costs the store. */
const REUSED_FOR = 1_000

/** Health for gRPC, and for probes that only look at the HTTP status. */
export interface HealthOperations {
  /** Always returns a status; NOT_FOUND for an unknown service. */
  readonly check: Operation
  /** Returns a status, or refuses the call because the store does not respond. */
  readonly ready: Operation
}

/** Healthy means that the store responds to a query for the position of its last event. */
export const healthOperations = (iam: Iam, operations: readonly Operation[]): HealthOperations => {
  const ask = oncePerSecond(() => storeAnswers(iam))
  const check = async (service: string): Promise<Answer> => {
    if (service !== '' && !operations.some(({ method }) => method.service === service))
      throw new Refusal(NOT_SERVED)
    return (await ask()).orElse(() => ok({ status: 'NOT_SERVING' }))
  }
  return {
    check: publicRead(({ service }) => check(service)),
    ready: publicRead(ask),
  }
}

type Answer = Result<object, IamError>

const publicRead = (
  answer: (request: { readonly service: string }) => Promise<Answer>,
): Operation => ({
  ...readOperation(
    health.check,
    (request: { readonly service: string }) => new ResultAsync(answer(request)),
  ),
  isPublic: true,
})

const NOT_SERVED = transportStatus('not_found', 'No such service', 'SERVICE_NOT_FOUND')

/** All callers while a check is pending, or within a second after it, get the same result. */
const oncePerSecond = (ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let pending: Promise<Answer> | undefined
  let isPending = false
  let since = 0
  return () => {
    if (pending && (isPending || performance.now() - since < REUSED_FOR)) return pending
    since = performance.now()
    isPending = true
    pending = ask().finally(() => {
      isPending = false
    })
    return pending
  }
}

const storeAnswers = async (iam: Iam): Promise<Answer> =>
  iam
    .head({ signal: AbortSignal.timeout(LONGEST_WAIT) })
    .map(() => ({ status: 'SERVING' }))
    .mapErr((error) => (error.kind === 'Cancelled' ? TOO_LATE : error))

const TOO_LATE: IamError = {
  kind: 'Unavailable',
  outcome: 'not_recorded',
  cause: new Error(`The store has not answered within ${LONGEST_WAIT} ms`),
}
