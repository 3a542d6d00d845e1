import { FUNCTION, type OptionCheck, type OptionChecks } from '../check-options.js'

/** The call that failed. */
export interface Failure {
  /**
   * Also in the response, if there is one: the trace id of the request's `traceparent` (with AuthZEN, its
   * `X-Request-ID`), otherwise a random id.
   */
  readonly correlationId: string
  /**
   * Such as `claviger.v1.ProjectService/UpdateProject`; `PUT /v1/projects/billing` if the response could not be sent.
   */
  readonly method: string
}

/** The default of `onError`. */
export const toConsole = (cause: unknown, { correlationId, method }: Failure): void =>
  // biome-ignore lint/suspicious/noConsole: nothing may fail unseen
  console.error(method, correlationId, cause)

/** Calls `onError`. If it throws or rejects, the console shows both errors, and the client neither. */
export const notifyHost = (
  onError: (cause: unknown, failure: Failure) => void,
  cause: unknown,
  failure: Failure,
): void => {
  new Promise<void>((resolve) => resolve(onError(cause, failure)))
    .catch((thrown) => {
      toConsole(cause, failure)
      toConsole(thrown, failure)
    })
    .catch(() => {})
}

// Checked here because runtimes differ in which headers they accept.
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t -~]*$/

/** Segments are not `.` or `..`, which clients resolve, and have no character that clients may encode in two ways. */
const BASE_PATH = /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/

/** A text that matches `form`. */
export const text = (form: RegExp, description: string): OptionCheck => [
  (value) => typeof value === 'string' && form.test(value),
  description,
]

/** The default of `organizationHeader`. */
export const ORGANIZATION_HEADER = 'x-service-orgid'

/** The optional options of every request handler. */
export const HANDLER_OPTIONS: OptionChecks = {
  onError: FUNCTION,
  organizationHeader: text(HEADER_NAME, 'must be the name of a header'),
  challenge: text(HEADER_VALUE, 'must be the value of a header'),
  basePath: text(
    BASE_PATH,
    'must be a path such as /iam, percent-encoded and without a trailing slash',
  ),
}
