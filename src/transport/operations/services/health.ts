import type { DescService } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { ok, type Result, ResultAsync } from 'neverthrow'
import type { Iam, IamError, Projection } from '../../../index.js'
import { statusError, transportStatus } from '../../errors/status-error.js'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { answering, type Operation } from '../operation.js'

/** Longest wait for the store, in milliseconds: one that answers no sooner is of no use to anybody. */
const LONGEST_WAIT = 5_000

/** What {@link Health} tells, and the same for clients that go by the status of the answer. */
export interface HealthOperations {
  /** Answers with a status, whatever it is. NOT_FOUND for a service that is not one of `services`. */
  readonly check: Operation
  /** Answers with a status, or refuses because the store does not answer. */
  readonly ready: Operation
}

/** Asks the store of `iam` for the position of its last event. */
export const healthOperations = (iam: Iam, services: readonly DescService[]): HealthOperations => {
  const { check: rpc } = Health.method
  const ask = askOnce(() => storeAnswers(iam))
  const check = async ({ service }: { readonly service: string }): Promise<Answer> => {
    if (service !== '' && !services.some(({ typeName }) => typeName === service))
      throw statusError(NOT_SERVED)
    return (await ask()).orElse(() => ok({ status: 'NOT_SERVING' }))
  }
  const whole = (answer: object) => answer
  return {
    check: answering(
      rpc,
      (asked: { readonly service: string }) => new ResultAsync(check(asked)),
      whole,
    ),
    ready: answering(rpc, () => new ResultAsync(ask()), whole),
  }
}

type Answer = Result<object, IamError>

const NOT_SERVED = transportStatus(
  Code.NotFound,
  'There is no service of this name',
  'SERVICE_NOT_FOUND',
)

/** Anybody may ask, so all who ask at the same time get one answer: more questions cost the store nothing. */
const askOnce = (ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let asked: Promise<Answer> | undefined
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return asked
  }
}

/** A projection that is behind no event: to catch it up is to ask where the log ends. */
const AT_THE_END: Projection = {
  name: 'health',
  checkpoint: async () => 2n ** 63n,
  apply: async () => true,
  reset: async () => {},
}

const storeAnswers = async (iam: Iam): Promise<Answer> =>
  iam
    .catchUp(AT_THE_END, { signal: AbortSignal.timeout(LONGEST_WAIT) })
    .map(() => ({ status: 'SERVING' }))
    .mapErr((error) => (error.kind === 'Cancelled' ? TOO_LATE : error))

const TOO_LATE: IamError = {
  kind: 'Unavailable',
  outcome: 'not_recorded',
  cause: new Error(`The store has not answered within ${LONGEST_WAIT} ms`),
}
